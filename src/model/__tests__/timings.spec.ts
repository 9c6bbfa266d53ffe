import { nullTranslator } from '@jupyterlab/translation';

import { Unanswered } from '../../kernel/channel-interface';
import {
  programTiming,
  snapshot,
  sweep
} from '../../protocol/__tests__/documents';
import { typed } from '../../protocol/__tests__/typing';
import { Snapshot } from '../../protocol/snapshot';
import { JaxprModel } from '../model';
import { RUNS_KEPT } from '../runs';
import { Timings, timingsOf } from '../timings';
import {
  AnyReply,
  FakeChannel,
  answered,
  confirm,
  working
} from './fake-channel';

const trans = nullTranslator.load('jupyter_jaxpr');

const run = (n: number, changes: Partial<Snapshot> = {}): Snapshot =>
  snapshot({ id: `run-${n}`, created: 1_786_900_000 + 60 * n, ...changes });

/** Makes a kernel that has sent run 1 and that gives these answers in turn. */
function connected(...answers: AnyReply[]): {
  model: JaxprModel;
  kernel: FakeChannel;
  timings: Timings;
  /** The document of run 1 in the model. */
  one: Snapshot;
} {
  const one = run(1);
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  kernel.sends(one);
  kernel.answer = async () => {
    const answer = answers.shift();
    if (answer === undefined) {
      throw new Unanswered('timeout');
    }
    return answer;
  };
  return { model, kernel, timings: timingsOf(model), one };
}

const time = (timings: Timings, of: Snapshot): Promise<void> =>
  timings.time.start(of, 0, { snapshot: of.id, program: 0 });

describe('timing a program again', () => {
  it('is the same for all views of a model', () => {
    const { model } = connected();
    expect(timingsOf(model)).toBe(timingsOf(model));
  });

  it('keeps what the kernel measured, for that program of that run', async () => {
    const { timings, kernel, one } = connected(answered(programTiming()));
    await time(timings, one);
    expect(kernel.asked).toEqual([
      { type: 'time', snapshot: 'run-1', program: 0, confirmed: false }
    ]);
    expect(timings.timingOf(one, 0)).toEqual(programTiming());
    expect(timings.timingOf(one, 1)).toBeNull();
    expect(timings.timingOf(run(2), 0)).toBeNull();
  });

  it('finds what came with the document, until there is a later one', async () => {
    const first = programTiming({ sentence: 'with the document' });
    const { timings, kernel } = connected(answered(programTiming()));
    const one = run(1, { timings: [first] });
    kernel.sends(one);
    expect(timings.timingOf(one, 0)).toEqual(first);
    await time(timings, one);
    expect(timings.timingOf(one, 0)).toEqual(programTiming());
  });

  it('asks the same again once the question is answered with yes', async () => {
    const { timings, kernel, one } = connected(
      confirm('One call takes 4.2 s. Run it again?'),
      answered(programTiming())
    );
    await time(timings, one);
    expect(timings.time.stateOf(one, 0)).toEqual({
      kind: 'confirm',
      question: 'One call takes 4.2 s. Run it again?'
    });
    expect(timings.timingOf(one, 0)).toBeNull();
    await timings.time.confirm(one, 0);
    expect(kernel.asked[1]).toEqual({
      type: 'time',
      snapshot: 'run-1',
      program: 0,
      confirmed: true
    });
    expect(timings.timingOf(one, 0)).toEqual(programTiming());
  });

  it('is in the document that is sent again, and not in that of a run that was traced anew', async () => {
    const { model, timings, kernel, one } = connected(
      answered(programTiming())
    );
    await time(timings, one);
    kernel.sends(run(1));
    expect(model.snapshot?.timings).toEqual([programTiming()]);
    const { programs } = run(1);
    kernel.sends(run(1, { programs: [...programs, programs[0]] }));
    expect(model.snapshot?.timings ?? []).toEqual([]);
  });

  it('asks nothing where the answer is no', async () => {
    const { timings, kernel } = connected(confirm('It prints. Run it?'));
    await time(timings, run(1));
    timings.time.dismiss(run(1), 0);
    await timings.time.confirm(run(1), 0);
    expect(timings.time.stateOf(run(1), 0)).toEqual({ kind: 'idle' });
    expect(kernel.asked).toHaveLength(1);
  });

  it('tells how far it is, and stops when asked', async () => {
    const { timings, kernel } = connected();
    kernel.answer = () => new Promise(() => undefined);
    void time(timings, run(1));
    void time(timings, run(1));
    expect(kernel.asked).toHaveLength(1);
    const eager = working({ text: 'eager', done: 1, total: 2, elapsed: 0.8 });
    kernel.works(eager);
    timings.time.stop(run(1), 0);
    expect(timings.time.stateOf(run(1), 0)).toMatchObject({
      kind: 'working',
      working: eager,
      stopping: true
    });
    expect(kernel.stops).toBe(1);
  });

  it("says the kernel's own sentence where it cannot", async () => {
    const { timings, kernel } = connected();
    kernel.answer = () =>
      Promise.reject(
        new Unanswered({ kernel: 'The values are gone. Run the cell again.' })
      );
    await time(timings, run(1));
    expect(timings.time.stateOf(run(1), 0)).toEqual({
      kind: 'failed',
      reason: 'The values are gone. Run the cell again.'
    });
  });

  it('asks nothing where no kernel can answer', async () => {
    const model = new JaxprModel(trans);
    model.show(run(1), true);
    await time(timingsOf(model), run(1));
    expect(timingsOf(model).time.stateOf(run(1), 0)).toEqual({ kind: 'idle' });
  });

  it('is in the document of its run, and in no other', async () => {
    const { model, timings, kernel, one } = connected(
      answered(programTiming()),
      answered(programTiming())
    );
    await time(timings, one);
    const changes: string[] = [];
    model.changed.connect((_, change) => changes.push(change));
    const last = run(RUNS_KEPT + 1);
    kernel.sends(last);
    await time(timings, last);
    expect([one.timings, last.timings]).toEqual([
      [programTiming()],
      [programTiming()]
    ]);
    expect(changes.pop()).toBe('results');
    expect(run(1).timings ?? []).toEqual([]);
  });
});

describe('a sweep', () => {
  it('is of the whole run, and as it was typed', async () => {
    const { timings, kernel, one } = connected(answered(sweep()));
    const asked = {
      sweep: typed('n=64,256'),
      call: typed('f(make(n))'),
      functions: [typed('g')]
    };
    await timings.sweep.start(one, 0, { snapshot: 'run-1', ...asked });
    expect(kernel.asked).toEqual([
      {
        type: 'sweep',
        snapshot: 'run-1',
        sweep: 'n=64,256',
        call: 'f(make(n))',
        functions: ['g'],
        confirmed: false
      }
    ]);
    expect(timings.sweepOf(one)).toEqual(sweep());
  });

  it('came with the document', () => {
    const { timings } = connected();
    expect(timings.sweepOf(run(1, { sweep: sweep() }))).toEqual(sweep());
    expect(timings.sweepOf(run(1))).toBeNull();
  });

  it('remembers what was typed for a function, field by field', () => {
    const { timings } = connected();
    let changes = 0;
    timings.changed.connect(() => changes++);
    timings.type('f', 'sweep', typed('n=8'));
    timings.type('f', 'sweep', typed('n=8,16'));
    timings.type('f', 'call', typed('f(n)'));
    const { sweep, call, functions } = timings.draftOf('f');
    expect([sweep?.shown, call?.shown, functions]).toEqual([
      'n=8,16',
      'f(n)',
      undefined
    ]);
    expect(timings.draftOf('g')).toEqual({});
    expect(changes).toBe(3);
  });
});
