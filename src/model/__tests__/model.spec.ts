import { nullTranslator } from '@jupyterlab/translation';

import { Unanswered } from '../../kernel/channel-interface';
import {
  environment,
  program,
  programCost,
  programTiming,
  progress,
  recording,
  snapshot
} from '../../protocol/__tests__/documents';
import { PROTOCOL } from '../../protocol/messages';
import { ExactLinks } from '../../protocol/snapshot';
import { shardings } from '../../workbench/shardings/__tests__/spread';
import { IRequests, ModelChange } from '../../tokens';
import { JaxprModel } from '../model';
import { RUNS_KEPT } from '../runs';
import {
  AnyReply,
  FakeChannel,
  answered,
  confirm,
  working
} from './fake-channel';

const trans = nullTranslator.load('jupyter_jaxpr');

/** The sentence for a kernel that answers something else. */
const NOT_ASKED =
  'The panel could not send the request to the kernel. Reload the page and try again.';

/** Makes a run of a cell; each run has a minute of its own. */
function run(id: string, changes = {}): ReturnType<typeof snapshot> {
  const minute = Number(id.replace(/\D/g, ''));
  return snapshot({ id, created: 1_786_900_000 + 60 * minute, ...changes });
}

/** Makes a model of a notebook whose kernel has not sent anything. */
function opened(accepts?: (cellId: string | null) => boolean): {
  model: JaxprModel;
  kernel: FakeChannel;
} {
  const model = new JaxprModel(trans, accepts);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  return { model, kernel };
}

function connected(): { model: JaxprModel; kernel: FakeChannel } {
  const { model, kernel } = opened();
  kernel.greets();
  return { model, kernel };
}

/** Lists the ids of the runs that the user can choose; the run in view is in brackets. */
function listed(model: JaxprModel): string {
  return model.runs
    .map(({ snapshot: { id } }) => (id === model.snapshot?.id ? `[${id}]` : id))
    .join(' ');
}

describe('a notebook that opens', () => {
  it('goes from no kernel to a kernel with the extension', () => {
    const { model, kernel } = opened();
    model.setChannel(null);
    const seen = [model.status.kind];
    model.changed.connect((_, change) => {
      if (change === 'status') {
        seen.push(model.status.kind);
      }
    });
    kernel.state = { kind: 'connecting' };
    model.setChannel(kernel);
    kernel.turns({ kind: 'not-loaded' });
    kernel.greets();
    expect(seen).toEqual([
      'no-kernel',
      'connecting',
      'not-loaded',
      'connecting',
      'ready'
    ]);
  });

  it.each([
    [
      PROTOCOL + 1,
      'The kernel has jupyter_jaxpr 0.9.0 and JupyterLab has 0.1.0. These versions do not work together. Run "pip install jupyter_jaxpr==0.9.0" where JupyterLab is installed, restart JupyterLab and reload this page.'
    ],
    [
      PROTOCOL - 1,
      'The kernel has jupyter_jaxpr 0.9.0 and JupyterLab has 0.1.0. These versions do not work together. Run "%pip install jupyter_jaxpr==0.1.0" in this notebook and restart its kernel.'
    ]
  ])('of protocol %d names both versions and the cure', (protocol, reason) => {
    const { model, kernel } = opened();
    kernel.greets({ jupyter_jaxpr: '0.9.0' }, protocol);
    kernel.sends(run('run-1'));
    expect(model.status).toEqual({ kind: 'unusable', reason });
    expect(model.snapshot).toBeNull();
  });
});

describe('runs that come', () => {
  it('take the view, the program in focus first', () => {
    const { model, kernel } = connected();
    const two = run('run-1', { programs: [program(), program()], focus: 1 });
    kernel.sends(two);
    expect(model.snapshot).toBe(two);
    expect(model.program).toBe(1);
    kernel.sends(run('run-2'));
    expect(listed(model)).toBe('[run-2] run-1');
  });

  it('can be chosen again, and are let go one by one', () => {
    const { model, kernel } = connected();
    for (let i = 1; i <= RUNS_KEPT + 1; i++) {
      kernel.sends(run(`run-${i}`));
      if (i === 3) {
        model.setPinned(true);
      }
    }
    expect(listed(model)).toBe(
      'run-9 run-8 run-7 run-6 run-5 run-4 [run-3] run-2'
    );
    model.setRun('run-8');
    expect(model.snapshot?.id).toBe('run-8');
  });

  it('wait while updates are paused', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    model.setPaused(true);
    kernel.sends(run('run-2'));
    kernel.sends(run('run-3'));
    expect([listed(model), model.waiting]).toEqual(['[run-1]', 2]);
    model.setPaused(false);
    expect([listed(model), model.waiting]).toEqual(['[run-3] run-2 run-1', 0]);
  });

  it('stand behind a pinned one, and take the view when they are pinned themselves', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    model.setPinned(true);
    kernel.sends(run('run-2'));
    expect(listed(model)).toBe('run-2 [run-1]');
    kernel.sends(run('run-3', { pinned: true }));
    expect(listed(model)).toBe('[run-3] run-2 run-1');
    model.setPinned(false);
    kernel.sends(run('run-4'));
    expect(listed(model)).toBe('[run-4] run-3 run-2 run-1');
  });

  it('move nothing when they are sent again, as to a second tab', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.sends(run('run-2'));
    model.setRun('run-1');
    kernel.sends(run('run-1'));
    kernel.sends(run('run-2'));
    expect(listed(model)).toBe('run-2 [run-1]');
  });

  it('leave the latest in view, in whatever order they are sent again', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-2'));
    kernel.sends(run('run-3'));
    kernel.sends(run('run-1'));
    expect(listed(model)).toBe('[run-3] run-2 run-1');
  });

  it('are left out where they belong to another notebook of the same kernel', () => {
    const { model, kernel } = opened(cellId => cellId !== 'theirs');
    kernel.greets();
    const cell = { id: 'theirs', execution_count: 1, file: 'f', source: '' };
    kernel.sends(run('run-1', { cell }));
    kernel.received.emit(progress({ cell_id: 'theirs' }));
    expect(model.status.kind).toBe('ready');
    expect(model.snapshot).toBeNull();
  });

  it('that were completed on request keep the program that was chosen', () => {
    const { model, kernel } = connected();
    const programs = [program(), program({ name: 'g' })];
    kernel.sends(run('run-1', { programs }));
    model.setProgram(1);
    const made = run('run-1', { programs });
    model.show(made, false);
    expect(model.snapshot).toBe(made);
    expect(model.program).toBe(1);
  });

  it('that were traced on request show the trace, once', () => {
    const { model, kernel } = connected();
    const retrace = { call: 'f(x)', frame: -1, question: '', undoable: true };
    const programs = [program({ origin: 'recorded' })];
    kernel.sends(run('run-1', { programs, retrace }));
    expect(model.program).toBe(0);

    const both = [...programs, program({ origin: 'traced' })];
    kernel.sends(run('run-1', { programs: both, focus: 1 }));
    expect(model.program).toBe(1);
    model.setProgram(0);
    kernel.sends(run('run-1', { programs: both, focus: 1 }));
    expect(model.program).toBe(0);
  });

  it('that were traced on request stay behind what was chosen since', () => {
    const { model, kernel } = connected();
    const retrace = { call: 'f(x)', frame: -1, question: '', undoable: true };
    kernel.sends(run('run-1', { retrace }));
    kernel.sends(run('run-2'));
    kernel.sends(run('run-1', { programs: [program(), program()], focus: 1 }));
    expect(model.snapshot?.id).toBe('run-2');
  });
});

describe('a saved run', () => {
  it('is shown without a kernel', () => {
    const model = new JaxprModel(trans);
    model.show(run('run-1'), true);
    expect(model.status.kind).toBe('no-kernel');
    expect(model.fromSaved).toBe(true);
    expect(model.requests).toBeNull();
    expect(listed(model)).toBe('[run-1]');
  });

  it('gives way to the copy that the kernel still holds', () => {
    const { model, kernel } = connected();
    const whole = run('run-1');
    kernel.sends(whole);
    kernel.sends(run('run-2'));
    model.show(run('run-1', { cut: 'Texts were left out.' }), true);
    expect(model.snapshot).toBe(whole);
    expect(model.fromSaved).toBe(false);
  });
});

describe('a long run', () => {
  it('shows its progress until its snapshot comes', () => {
    const { model, kernel } = connected();
    kernel.received.emit(progress());
    expect(model.status).toEqual({
      kind: 'running',
      environment: environment(),
      progress: progress()
    });
    kernel.sends(run('run-2'));
    expect(model.status.kind).toBe('ready');
  });

  it('is over when its cell has ended, whatever the kernel says', () => {
    const { model, kernel } = connected();
    kernel.received.emit(progress({ cell_id: 'cell-14' }));
    model.endCell('cell-1');
    expect(model.status.kind).toBe('running');
    model.endCell('cell-14');
    expect(model.status.kind).toBe('ready');
  });

  it('is over when something of ours fails', () => {
    const { model, kernel } = connected();
    kernel.received.emit(progress());
    kernel.received.emit({
      type: 'failed',
      seq: 3,
      text: 'The program could not be read.',
      cure: 'Run the cell again.',
      detail: 'Traceback'
    });
    expect(model.status.kind).toBe('ready');
    expect(model.failure).toEqual({
      text: 'The program could not be read.',
      cure: 'Run the cell again.',
      detail: 'Traceback'
    });
    kernel.sends(run('run-2'));
    expect(model.failure).toBeNull();
  });
});

describe('a kernel that goes away', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: new Date(2026, 7, 17, 2, 51) });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const since = new Date(2026, 7, 17, 2, 51);

  it('leaves its last run in view, from before, until the cell runs again', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.turns({ kind: 'lost', loss: 'restarting' });
    kernel.turns({ kind: 'not-loaded' });
    expect(model.status).toEqual({
      kind: 'stale',
      reason: 'Kernel restarted',
      since,
      cure: 'Run %load_ext jupyter_jaxpr and cell [7] again to refresh.',
      again: 'load and run'
    });
    expect(model.requests).toBeNull();

    kernel.greets();
    expect(model.status).toMatchObject({
      kind: 'stale',
      cure: 'Run cell [7] again to refresh.',
      again: 'run'
    });

    kernel.sends(run('run-2'));
    expect(model.status.kind).toBe('ready');
    expect(model.requests).not.toBeNull();
    model.setRun('run-1');
    expect(model.status.kind).toBe('stale');
  });

  it('dies', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.turns({ kind: 'lost', loss: 'dead' });
    expect(model.status).toEqual({
      kind: 'stale',
      reason: 'Kernel died',
      since,
      cure: 'Start a kernel and run the cell again to refresh.',
      again: null
    });
  });

  it('is only out of reach: what is in view holds when it is back', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.turns({ kind: 'lost', loss: 'disconnected' });
    expect(model.status).toMatchObject({
      kind: 'stale',
      reason: 'Connection lost',
      since
    });
    kernel.greets();
    expect(model.status.kind).toBe('ready');
    expect(model.requests).not.toBeNull();
  });

  it('is cut off: JupyterLab connects again when it is told to', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.turns({ kind: 'lost', loss: 'cut-off' });
    expect(model.status).toEqual({
      kind: 'stale',
      reason: 'Connection lost',
      since,
      cure: 'Choose Reconnect to Kernel in the Kernel menu, or reload the page.',
      again: null
    });
  });

  it('is changed for another one', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    const other = new FakeChannel();
    model.setChannel(other);
    expect(model.status).toMatchObject({
      kind: 'stale',
      reason: 'Kernel changed',
      cure: 'Run %load_ext jupyter_jaxpr and cell [7] again to refresh.'
    });
    kernel.sends(run('run-2'));
    expect(listed(model)).toBe('[run-1]');
  });

  it('is shut down', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    model.setChannel(null);
    expect(model.status).toMatchObject({
      kind: 'stale',
      reason: 'Kernel shut down',
      cure: 'Start a kernel and run the cell again to refresh.'
    });
  });

  it('had shown nothing: then there is nothing to grey', () => {
    const { model, kernel } = connected();
    kernel.turns({ kind: 'lost', loss: 'dead' });
    expect(model.status.kind).toBe('no-kernel');
  });
});

describe('a run that cannot be read', () => {
  it('leaves what is in view, and says why', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.unreadable.emit({ unreadable: 'newer', found: 2, known: 1 });
    expect(listed(model)).toBe('[run-1]');
    expect(model.failure).toEqual({
      text: 'The program of the last run cannot be shown.',
      cure: 'A newer version of jupyter_jaxpr made the document (format 2; this panel reads format 1). Update jupyter_jaxpr where JupyterLab is installed and reload this page.',
      detail: null
    });
    model.dismissFailure();
    expect(model.failure).toBeNull();
  });
});

describe('a question to the kernel', () => {
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
    expect(kernel.questions).toEqual([
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
      'This run comes from a saved notebook or from an earlier kernel. Run the cell again.';
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
    expect(kernel.questions).toEqual([]);
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
    expect(kernel.questions).toMatchObject([
      { type: 'diff', snapshot: 'run-1', before_document: saved }
    ]);
  });
});

describe('a long question to the kernel', () => {
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
    expect(kernel.questions).toEqual([
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
    expect(kernel.questions).toEqual([
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

describe('pointing', () => {
  it('is told once, and forgotten with the program', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1', { programs: [program(), program()] }));
    const changes: ModelChange[] = [];
    model.changed.connect((_, change) => {
      changes.push(change);
    });
    const place = { kind: 'caret', cellId: 'c', line: 3, column: 0 } as const;
    model.setSelection({ ...place });
    model.setSelection({ ...place });
    model.setHover({
      kind: 'equations',
      equations: [{ scope: 0, equation: 1 }]
    });
    model.setProgram(1);
    expect(changes).toEqual([
      'selection',
      'hover',
      'hover',
      'selection',
      'program'
    ]);
    expect(model.selection).toBeNull();
  });
});
