import { Unanswered } from '../../kernel/channel-interface';
import {
  programCost,
  programTiming,
  recording
} from '../../protocol/__tests__/documents';
import { ExactLinks } from '../../protocol/snapshot';
import { shardings } from '../../workbench/shardings/__tests__/spread';
import { IRequests } from '../../tokens';
import { AnyReply, answered, confirm, working } from './fake-channel';

import { connected, run } from './opened-model';

/** The sentence with which a request is rejected if the kernel's answer does not fit the request. */
const NOT_ASKED =
  'The panel could not send the request to the kernel. Reload the page and try again.';

describe('a request to the kernel', () => {
  it('that has no answer is rejected with a sentence', async () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.answer = () => Promise.reject(new Unanswered('timeout'));
    await expect(
      model.requests?.ask('text', {
        snapshot: 'run-1',
        program: 0,
        level: 'hlo',
        first_line: 0,
        line_count: 10
      })
    ).rejects.toThrow(
      'The kernel has not answered yet. If a cell is running, wait until the cell ends and try again.'
    );
    expect(kernel.asked).toEqual([
      {
        type: 'text',
        snapshot: 'run-1',
        program: 0,
        level: 'hlo',
        first_line: 0,
        line_count: 10
      }
    ]);
  });

  it('is about a run that this kernel sent in this life, whatever a saved one is called', async () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    model.show(run('run-2'), true);
    model.setRun('run-1');
    const sentence =
      'This run comes from a saved copy or from an earlier kernel. Run the cell again.';
    const { requests } = model;
    const saved = { snapshot: 'run-2', program: 0 };
    await expect(requests?.ask('cost', saved)).rejects.toThrow(sentence);
    await expect(requests?.begin('time', saved).result).rejects.toThrow(
      sentence
    );
    await expect(
      requests?.ask('diff', {
        ...saved,
        before: 'run-1',
        before_program: 0,
        level: 'jaxpr'
      })
    ).rejects.toThrow(sentence);
    kernel.turns({ kind: 'lost', loss: 'restarting' });
    kernel.greets();
    await expect(
      requests?.begin('time', { snapshot: 'run-1', program: 0 }).result
    ).rejects.toThrow(sentence);
    expect(kernel.asked).toEqual([]);
  });

  it('about the difference to a saved run takes that along', async () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    const saved = run('run-2');
    model.show(saved, true);
    model.setRun('run-1');
    const { requests } = model;
    void requests
      ?.ask('diff', {
        snapshot: 'run-1',
        program: 0,
        before: 'run-2',
        before_program: 0,
        level: 'jaxpr',
        ...requests.documentOf('run-2')
      })
      .catch(() => undefined);
    expect(kernel.asked).toMatchObject([
      { type: 'diff', snapshot: 'run-1', before_document: saved }
    ]);
  });
});

describe('a long request to the kernel', () => {
  it('says how far it is, is stopped, and has a recording', async () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    let answer: (reply: AnyReply) => void = () => undefined;
    kernel.answer = () => new Promise(resolve => (answer = resolve));
    const heard: string[] = [];
    const asked = model.requests?.begin(
      'steps',
      { snapshot: 'run-1', control: 0 },
      { working: ({ text }) => heard.push(text) }
    );
    kernel.works(
      working({ text: 'step 400', done: 400, total: null, elapsed: 1 })
    );
    asked?.stop();
    answer(answered(recording({ stopped: 'Stopped by you.' })));
    expect(await asked?.result).toEqual({
      kind: 'done',
      value: recording({ stopped: 'Stopped by you.' })
    });
    expect([heard, kernel.stops]).toEqual([['step 400'], 1]);
    expect(kernel.asked).toEqual([
      { type: 'steps', snapshot: 'run-1', control: 0, confirmed: false }
    ]);
  });

  it('may come back as a question: effects would be repeated', async () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.answer = async () => confirm('It prints. Run it again?');
    const compared = { snapshot: 'run-1', programs: [0, 1] };
    expect(await model.requests?.begin('compare', compared).result).toEqual({
      kind: 'confirm',
      question: 'It prints. Run it again?'
    });
    await model.requests
      ?.begin('compare', compared, { confirmed: true })
      .result.catch(() => undefined);
    expect(kernel.asked).toEqual([
      {
        type: 'compare',
        snapshot: 'run-1',
        programs: [0, 1],
        confirmed: false
      },
      {
        type: 'compare',
        snapshot: 'run-1',
        programs: [0, 1],
        confirmed: true
      }
    ]);
  });

  it('is rejected with a sentence: in the words of the kernel, or where the answer is about another run', async () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    const asked = (): Promise<unknown> | undefined =>
      model.requests?.begin('steps', { snapshot: 'run-1', control: 0 }).result;
    kernel.answer = () =>
      Promise.reject(new Unanswered({ kernel: 'Its values are gone.' }));
    await expect(asked()).rejects.toThrow('Its values are gone.');
    for (const other of [{ control: 3 }, { snapshot: 'run-2' }]) {
      kernel.answer = async () => answered(recording(other));
      await expect(asked()).rejects.toThrow(NOT_ASKED);
    }
    kernel.answer = async () => answered(recording());
    expect(await asked()).toEqual({ kind: 'done', value: recording() });
  });
});

describe('an answer', () => {
  const one = { snapshot: 'run-1', program: 0 };
  const lines = { first_line: 0, line_count: 10 };
  const passes = { program: 0, seconds: 0.3, passes: [], left_out: 0 };
  const page = { program: 0, index: 4, lines: 1, first_line: 0, text: '+ a' };
  const file = { path: 'a.py', lines: 1, stretches: [], missing: null };
  const links: ExactLinks = {
    program: 0,
    lower_seconds: 0.1,
    compile_seconds: 0.2,
    equations: 9,
    reached: 9,
    levels: []
  };

  it.each<[string, (of: IRequests) => Promise<unknown>, AnyReply, AnyReply]>([
    [
      'the cost of another program',
      requests => requests.ask('cost', one),
      answered(programCost()),
      answered(programCost({ program: 1 }))
    ],
    [
      'the shardings of another program',
      requests => requests.ask('shardings', one),
      answered(shardings()),
      answered(shardings({ program: 1 }))
    ],
    [
      'the time of another program',
      requests => requests.begin('time', one).result,
      answered(programTiming()),
      answered(programTiming({ program: 1 }))
    ],
    [
      'the passes of another program',
      requests => requests.begin('passes', one).result,
      answered(passes),
      answered({ ...passes, program: 1 })
    ],
    [
      'the exact links of another program',
      requests => requests.begin('exact_links', one).result,
      answered(links),
      answered({ ...links, program: 1 })
    ],
    [
      'what another pass changed',
      requests => requests.ask('pass_diff', { ...one, ...lines, index: 4 }),
      answered(page),
      answered({ ...page, index: 3 })
    ],
    [
      'the text of another file',
      requests =>
        requests.ask('source', { snapshot: 'run-1', path: file.path }),
      answered(file),
      answered({ ...file, path: 'b.py' })
    ]
  ])('with %s is none', async (_, ask, right, other) => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.answer = async () => other;
    await expect(ask(model.requests!)).rejects.toThrow(NOT_ASKED);
    kernel.answer = async () => right;
    await expect(ask(model.requests!)).resolves.toBeTruthy();
  });

  it('to what is answered at once is no question', async () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.answer = async () => confirm('It prints. Run it again?');
    await expect(model.requests?.ask('cost', one)).rejects.toThrow(NOT_ASKED);
  });
});
