import { nullTranslator } from '@jupyterlab/translation';

import { Unanswered } from '../../kernel/channel';
import {
  programTiming,
  snapshot,
  sweep
} from '../../protocol/__tests__/documents';
import { typed } from '../../protocol/__tests__/typing';
import { Reply, Snapshot } from '../../protocol/snapshot';
import { JaxprModel } from '../model';
import { RUNS_KEPT } from '../runs';
import { Timings, timingsOf } from '../timings';
import { FakeChannel } from './fake-channel';

const trans = nullTranslator.load('jupyter_jaxpr');

const run = (n: number, changes: Partial<Snapshot> = {}): Snapshot =>
  snapshot({ id: `run-${n}`, created: 1_786_900_000 + 60 * n, ...changes });

function reply(changes: Partial<Reply>): Reply {
  return {
    type: 'reply',
    id: 1,
    error: null,
    text: null,
    scope: null,
    snapshot: null,
    ...changes
  };
}

/** A kernel that has sent run 1, and that answers in turn with these. */
function connected(...answers: Partial<Reply>[]): {
  model: JaxprModel;
  kernel: FakeChannel;
  timings: Timings;
} {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  kernel.sends(run(1));
  const left = answers.map(reply);
  kernel.answer = async () => left.shift() ?? reply({});
  return { model, kernel, timings: timingsOf(model) };
}

const time = (timings: Timings, of: Snapshot): Promise<void> =>
  timings.time.start(of, 0, (requests, options) =>
    requests.time(of.id, 0, options)
  );

describe('timing a program again', () => {
  it('is the same for all views of a model', () => {
    const { model } = connected();
    expect(timingsOf(model)).toBe(timingsOf(model));
  });

  it('keeps what the kernel measured, for that program of that run', async () => {
    const { timings, kernel } = connected({ timing: programTiming() });
    await time(timings, run(1));
    expect(kernel.questions).toEqual([
      { type: 'time', snapshot: 'run-1', program: 0, confirmed: false }
    ]);
    expect(timings.timingOf(run(1), 0)).toEqual(programTiming());
    expect(timings.timingOf(run(1), 1)).toBeNull();
    expect(timings.timingOf(run(2), 0)).toBeNull();
  });

  it('finds what came with the document, until there is a later one', async () => {
    const first = programTiming({ sentence: 'with the document' });
    const one = run(1, { timings: [first] });
    const { timings } = connected({ timing: programTiming() });
    expect(timings.timingOf(one, 0)).toEqual(first);
    await time(timings, one);
    expect(timings.timingOf(one, 0)).toEqual(programTiming());
  });

  it('asks the same again once a question is answered with yes', async () => {
    const { timings, kernel } = connected(
      { confirm: 'One call takes 4.2 s. Run it again?' },
      { timing: programTiming() }
    );
    await time(timings, run(1));
    expect(timings.time.stateOf(run(1), 0)).toEqual({
      kind: 'confirm',
      question: 'One call takes 4.2 s. Run it again?'
    });
    expect(timings.timingOf(run(1), 0)).toBeNull();
    await timings.time.confirm(run(1), 0);
    expect(kernel.questions[1]).toEqual({
      type: 'time',
      snapshot: 'run-1',
      program: 0,
      confirmed: true
    });
    expect(timings.timingOf(run(1), 0)).toEqual(programTiming());
  });

  it('asks nothing where the answer is no', async () => {
    const { timings, kernel } = connected({ confirm: 'It prints. Run it?' });
    await time(timings, run(1));
    timings.time.dismiss(run(1), 0);
    await timings.time.confirm(run(1), 0);
    expect(timings.time.stateOf(run(1), 0)).toEqual({ kind: 'idle' });
    expect(kernel.questions).toHaveLength(1);
  });

  it('tells how far it is, and stops when asked', async () => {
    const { timings, kernel } = connected();
    kernel.answer = () => new Promise(() => undefined);
    void time(timings, run(1));
    void time(timings, run(1));
    expect(kernel.questions).toHaveLength(1);
    const working = { text: 'eager', done: 1, total: 2, elapsed: 0.8 };
    kernel.works(working);
    timings.time.stop(run(1), 0);
    expect(timings.time.stateOf(run(1), 0)).toMatchObject({
      kind: 'working',
      working,
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

  it('is let go of with its run', async () => {
    const { timings, kernel } = connected(
      { timing: programTiming() },
      { timing: programTiming() }
    );
    await time(timings, run(1));
    for (let n = 2; n <= RUNS_KEPT + 1; n++) {
      kernel.sends(run(n));
    }
    await time(timings, run(RUNS_KEPT + 1));
    expect(timings.timingOf(run(1), 0)).toBeNull();
    expect(timings.timingOf(run(RUNS_KEPT + 1), 0)).not.toBeNull();
  });
});

describe('a sweep', () => {
  it('is of the whole run, and as it was typed', async () => {
    const { timings, kernel } = connected({ sweep: sweep() });
    const asked = {
      sweep: typed('n=64,256'),
      call: typed('f(make(n))'),
      functions: [typed('g')]
    };
    await timings.sweep.start(run(1), 0, (requests, options) =>
      requests.sweep('run-1', asked, options)
    );
    expect(kernel.questions).toEqual([
      {
        type: 'sweep',
        snapshot: 'run-1',
        sweep: 'n=64,256',
        call: 'f(make(n))',
        functions: ['g'],
        confirmed: false
      }
    ]);
    expect(timings.sweepOf(run(1))).toEqual(sweep());
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
