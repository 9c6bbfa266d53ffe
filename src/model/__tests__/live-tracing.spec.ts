import { EvaluableText } from '../../protocol/evaluable';
import type { LiveProgram } from '../../protocol/snapshot';
import type { IJaxprModel } from '../../tokens';
import { liveOf } from '../live';
import { IWrittenCell, LiveTracing } from '../live-tracing';

const KEY = { isTrusted: true };

function answer(change: Partial<LiveProgram> = {}): LiveProgram {
  return {
    state: 'traced',
    function: 'f',
    line: 1,
    text: null,
    snapshot: null,
    seconds: 0,
    ...change
  };
}

/**
 * Makes a model whose kernel answers when the test calls an entry of `answers`, and a cell whose text the test sets.
 */
function notebook() {
  const asked: string[] = [];
  const answers: ((program: LiveProgram) => void)[] = [];
  const cell: IWrittenCell = { id: 'c', text: null, line: 1 };
  const model = {
    isDisposed: false,
    snapshot: null,
    program: -1,
    traceWritten: ({ source }: { source: { shown: string } }) => {
      asked.push(source.shown);
      return new Promise(resolve => answers.push(resolve));
    },
    showWritten: () => undefined
  } as unknown as IJaxprModel;
  const tracing = new LiveTracing(model, () => cell);
  const write = (text: string): void => {
    cell.text = EvaluableText.written(text, KEY);
    tracing.typed('c');
  };
  const reply = async (program: LiveProgram): Promise<void> => {
    answers.shift()?.(program);
    await jest.advanceTimersByTimeAsync(0);
  };
  return { asked, cell, model, tracing, write, reply };
}

describe('a cell that is written in', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('is traced once, a quarter of a second after the last key', async () => {
    const { asked, write } = notebook();
    for (let key = 0; key < 100; key++) {
      write(`x${key}`);
      await jest.advanceTimersByTimeAsync(10);
    }
    expect(asked).toEqual([]);
    await jest.advanceTimersByTimeAsync(250);
    expect(asked).toEqual(['x99']);
  });

  it('is asked about one text at a time, and the newest text wins', async () => {
    const { asked, model, write, reply } = notebook();
    write('a');
    await jest.advanceTimersByTimeAsync(250);
    write('b');
    await jest.advanceTimersByTimeAsync(250);
    write('c');
    await jest.advanceTimersByTimeAsync(250);
    expect(asked).toEqual(['a']);
    await reply(answer());
    expect(liveOf(model).state.kind).toBe('idle');
    expect(asked).toEqual(['a', 'c']);
    await reply(answer({ function: 'c' }));
    expect(liveOf(model).state).toMatchObject({ answer: { function: 'c' } });
  });

  it('that is not trusted is not sent', async () => {
    const { asked, model, tracing } = notebook();
    tracing.typed('c');
    await jest.advanceTimersByTimeAsync(250);
    expect(asked).toEqual([]);
    expect(liveOf(model).state.kind).toBe('distrusted');
  });

  it('is asked about again while the kernel measures', async () => {
    const { asked, write, reply } = notebook();
    write('a');
    await jest.advanceTimersByTimeAsync(250);
    await reply(answer({ state: 'waiting' }));
    await jest.advanceTimersByTimeAsync(1000);
    expect(asked).toEqual(['a', 'a']);
  });

  it('waits after a trace that took too long, until it is run', async () => {
    const { asked, tracing, write, reply } = notebook();
    write('a');
    await jest.advanceTimersByTimeAsync(250);
    await reply(answer({ state: 'stopped' }));
    write('b');
    await jest.advanceTimersByTimeAsync(250);
    expect(asked).toEqual(['a']);
    tracing.ran('c');
    write('c');
    await jest.advanceTimersByTimeAsync(250);
    expect(asked).toEqual(['a', 'c']);
  });

  it('shows nothing of what was on its way when it is run', async () => {
    const { model, tracing, write, reply } = notebook();
    write('a');
    await jest.advanceTimersByTimeAsync(250);
    tracing.ran('c');
    await reply(answer());
    expect(liveOf(model).state.kind).toBe('idle');
  });

  it('is text that a user wrote', () => {
    expect(() => EvaluableText.written('x', { isTrusted: false })).toThrow(
      TypeError
    );
  });
});
