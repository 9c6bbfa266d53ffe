import { nullTranslator } from '@jupyterlab/translation';

import { Unanswered } from '../../kernel/channel-interface';
import { programDiff } from '../../protocol/__tests__/diffs';
import { program, snapshot } from '../../protocol/__tests__/documents';
import { Argument, Snapshot } from '../../protocol/snapshot';
import { Diffs, IDiffChoice, diffsOf } from '../diffs';
import { JaxprModel } from '../model';
import { RUNS_KEPT } from '../runs';
import { FakeChannel, answered } from './fake-channel';

const trans = nullTranslator.load('jupyter_jaxpr');

const run = (n: number, name = 'f'): Snapshot => {
  const one = snapshot({ id: `run-${n}`, created: 1_786_900_000 + 60 * n });
  return {
    ...one,
    programs: one.programs.map(program => ({ ...program, name }))
  };
};

const argument = (type: string): Argument => ({
  name: 'x',
  type,
  summary: type,
  static: false,
  donated: false
});

/** Makes a run of one cell with one program for each type of the argument. */
const three = (n: number, ...types: string[]): Snapshot => ({
  ...run(n),
  programs: types.map(type =>
    program({ name: 'f', arguments: [argument(type)] })
  )
});

/** Makes a model whose kernel has sent these runs. */
function connected(...runs: Snapshot[]): {
  model: JaxprModel;
  kernel: FakeChannel;
  diffs: Diffs;
} {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  runs.forEach(one => kernel.sends(one));
  kernel.answer = async () => answered(programDiff());
  return { model, kernel, diffs: diffsOf(model) };
}

const QUESTION: IDiffChoice = {
  before: { snapshot: 'run-1', program: 0 },
  after: { snapshot: 'run-2', program: 0 },
  level: 'jaxpr'
};

describe('what is compared', () => {
  it('is the program in view with the last one of the same function', () => {
    const { diffs } = connected(run(1), run(2, 'g'), run(3));
    expect(diffs.suggested).toEqual({
      before: { snapshot: 'run-1', program: 0 },
      after: { snapshot: 'run-3', program: 0 },
      level: 'jaxpr'
    });
  });

  it('is another program where the function is new, and nothing where there is none', () => {
    expect(connected(run(1), run(2, 'g')).diffs.suggested?.before).toEqual({
      snapshot: 'run-1',
      program: 0
    });
    expect(connected().diffs.suggested).toBeNull();
  });

  it('is the program of the same signature, where a function has several', () => {
    const { diffs, model } = connected(
      three(1, 'f32[8]', 'f32[16]', 'i32[4]'),
      three(2, 'f32[16]', 'i32[4]', 'f32[8]')
    );
    const befores = [0, 1, 2].map(program => {
      model.setProgram(program);
      return diffs.suggested?.before;
    });
    expect(befores).toEqual([
      { snapshot: 'run-1', program: 1 },
      { snapshot: 'run-1', program: 2 },
      { snapshot: 'run-1', program: 0 }
    ]);
  });

  it('is what is left over where the signature itself changed', () => {
    const { diffs } = connected(
      three(1, 'f32[8]', 'f32[16]', 'i32[4]'),
      three(2, 'f32[8]', 'f32[32]', 'i32[4]')
    );
    const before = (program: number): unknown =>
      diffs.previous({ snapshot: 'run-2', program });
    expect([0, 1, 2].map(before)).toEqual([
      { snapshot: 'run-1', program: 0 },
      { snapshot: 'run-1', program: 1 },
      { snapshot: 'run-1', program: 2 }
    ]);
  });

  it('is another program of the function in the same run, before one of another function', () => {
    const { diffs, model } = connected(
      run(1, 'g'),
      three(2, 'i32[4]', 'i32[8]', 'i32[9]')
    );
    const pairs = [0, 1, 2].map(program => {
      model.setProgram(program);
      const { before, after } = diffs.suggested ?? {};
      return [before?.snapshot, before?.program, after?.program];
    });
    // The pair lists the program that JAX made first before the other program, whichever of the two is in view.
    expect(pairs).toEqual([
      ['run-2', 0, 1],
      ['run-2', 0, 1],
      ['run-2', 1, 2]
    ]);
  });

  it('is nothing where no other program is of the function or the signature', () => {
    const { diffs } = connected(three(1, 'f32[8]', 'f32[9]'), {
      ...run(2, 'g'),
      programs: [program({ name: 'g', arguments: [argument('bool[7]')] })]
    });
    expect(diffs.suggested).toBeNull();
    expect(diffs.programs()).toHaveLength(3);
  });

  it('is what the user chose, until its run has gone', () => {
    const { diffs, kernel } = connected(run(1), run(2));
    diffs.chosen = QUESTION;
    expect(diffs.chosen).toEqual(QUESTION);
    for (let n = 3; n < 3 + RUNS_KEPT; n++) {
      kernel.sends(run(n));
    }
    expect(diffs.chosen).toBeNull();
  });
});

describe('a diff', () => {
  it('is asked for once, and kept', async () => {
    const { diffs, kernel } = connected(run(1), run(2));
    await Promise.all([diffs.ask(QUESTION), diffs.ask(QUESTION)]);
    await diffs.ask(QUESTION);
    expect(kernel.asked).toEqual([
      {
        type: 'diff',
        snapshot: 'run-2',
        program: 0,
        before: 'run-1',
        before_program: 0,
        level: 'jaxpr'
      }
    ]);
    expect(diffs.stateOf(QUESTION)).toEqual({
      kind: 'done',
      diff: programDiff()
    });
  });

  it('is in the document of the later run, and a page that gets the document later asks for nothing', async () => {
    const { diffs, model } = connected(run(1), run(2));
    await diffs.ask(QUESTION);
    const documents = model.runs.map(({ snapshot }) => snapshot);
    expect(documents.map(one => one.diffs ?? [])).toEqual([
      [programDiff()],
      []
    ]);
    const reloaded = connected(...documents);
    expect(reloaded.diffs.stateOf(QUESTION)).toEqual({
      kind: 'done',
      diff: programDiff()
    });
    await reloaded.diffs.ask(QUESTION);
    expect(reloaded.kernel.asked).toEqual([]);
  });

  it('says why there is none, and may be asked for again', async () => {
    const { diffs, kernel } = connected(run(1), run(2));
    const unreadable = {
      unreadable: 'broken',
      field: 'diff.rows',
      expected: 'a list'
    } as const;
    kernel.answer = () => Promise.reject(new Unanswered(unreadable));
    await diffs.ask(QUESTION);
    expect(diffs.stateOf(QUESTION).kind).toBe('failed');
    kernel.answer = async () => answered(programDiff());
    await diffs.ask(QUESTION);
    expect(diffs.stateOf(QUESTION).kind).toBe('done');
  });

  it('is let go of with its runs', async () => {
    const { diffs, kernel } = connected(run(1), run(2));
    await diffs.ask(QUESTION);
    for (let n = 3; n < 3 + RUNS_KEPT; n++) {
      kernel.sends(run(n));
    }
    expect(diffs.stateOf(QUESTION).kind).toBe('idle');
  });

  it('of a program that Live traced is asked anew for each text, and each answer is in its own document', async () => {
    const { diffs, kernel, model } = connected(run(1));
    const texts = [run(2), { ...run(2), created: run(2).created + 1 }];
    const replies: (() => void)[] = [];
    kernel.answer = () =>
      new Promise(resolve =>
        replies.push(() => resolve(answered(programDiff())))
      );
    model.showWritten(texts[0]);
    const first = diffs.ask(QUESTION);
    // the user types before the first diff arrives
    model.showWritten(texts[1]);
    expect(diffs.stateOf(QUESTION).kind).toBe('idle');
    const second = diffs.ask(QUESTION);
    replies.forEach(reply => reply());
    await Promise.all([first, second]);
    expect(kernel.asked).toEqual(
      texts.map(({ created }) => ({
        type: 'live_diff',
        snapshot: '',
        program: 0,
        created,
        before: 'run-1',
        before_program: 0,
        level: 'jaxpr'
      }))
    );
    expect(texts.map(text => text.diffs)).toEqual([
      [programDiff()],
      [programDiff()]
    ]);
    expect(diffs.stateOf(QUESTION).kind).toBe('done');
  });
});
