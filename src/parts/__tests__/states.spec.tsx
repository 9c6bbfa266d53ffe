import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { JaxprModel } from '../../model/model';
import { FakeChannel } from '../../model/__tests__/fake-channel';
import {
  environment,
  progress,
  snapshot
} from '../../protocol/__tests__/documents';
import { Status } from '../../tokens';
import { panelContent } from '../panel-content';
import { Banner, Waiting } from '../states/banner';
import { Empty } from '../states/empty';
import { Failure } from '../states/failure';
import { Running, RunningAbove } from '../states/running';
import { act, byRole, click, render, words } from './render';

const trans = nullTranslator.load('jupyter_jaxpr');
const ready: Status = { kind: 'ready', environment: environment() };

function connected(): { model: JaxprModel; kernel: FakeChannel } {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  return { model, kernel };
}

beforeEach(() => {
  jest.useFakeTimers({ now: new Date(2026, 7, 17, 2, 51) });
});
afterEach(() => {
  jest.useRealTimers();
  document.body.replaceChildren();
});

describe('where there is no program', () => {
  it.each<[string, Status, string]>([
    [
      'no notebook',
      { kind: 'no-notebook' },
      'No notebook' +
        'Open a notebook, and run a cell that has %%jaxpr as its first line.'
    ],
    [
      'no kernel',
      { kind: 'no-kernel' },
      'No kernel' +
        'Start a kernel, and run a cell. To see a program that was saved with the notebook, click the program below its cell.'
    ],
    [
      'a kernel that does not answer yet',
      { kind: 'connecting' },
      'Connecting to the kernel' +
        'The kernel is starting or busy. When the kernel answers, the panel shows its programs.'
    ],
    [
      'a kernel without the extension',
      { kind: 'not-loaded' },
      'jupyter_jaxpr is not loaded' +
        'Run this line in the notebook, once for each kernel:' +
        '%load_ext jupyter_jaxpr' +
        'Run in the notebook' +
        'If the kernel does not find jupyter_jaxpr, run this line first: %pip install jupyter_jaxpr'
    ],
    [
      'a kernel in the browser',
      { kind: 'not-loaded', hasNoJax: true },
      'JAX does not run in the browser' +
        'The kernel runs in the browser. To see a program that was saved with the notebook, click the program below its cell.'
    ],
    [
      'a kernel that is ready',
      ready,
      'No program yet' +
        'Put %%jaxpr on top of a cell that calls a jitted function, and run the cell.' +
        '%%jaxpr import jax import jax.numpy as jnp jax.jit(jnp.sin)(1.0)' +
        'Run in the notebook' +
        'JAX 0.10.2 on cpu'
    ],
    [
      'a kernel without JAX',
      {
        kind: 'ready',
        environment: environment({
          jax: null,
          tier: 'none',
          tier_note: 'JAX is not installed in this kernel.'
        })
      },
      'No usable JAX' +
        'JAX is not installed in this kernel.' +
        '%pip install "jax>=0.10"' +
        'Run in the notebook'
    ],
    [
      'a kernel of another version',
      { kind: 'unusable', reason: 'Install 0.2.0 and reload.' },
      'The panel cannot show the program.Install 0.2.0 and reload.'
    ]
  ])('%s says what to do', (_, status, expected) => {
    const { node } = render(
      <Empty status={status} run={() => undefined} trans={trans} />
    );
    expect(words(node)).toBe(expected);
    expect(byRole(node, 'status')).toHaveLength(1);
  });

  it('leads to the lessons where no notebook is open', () => {
    let opened = 0;
    const { node } = render(
      <Empty
        status={{ kind: 'no-notebook' }}
        run={() => undefined}
        lessons={() => opened++}
        trans={trans}
      />
    );
    expect(byRole(node, 'button')).toHaveLength(1);
    click(
      byRole(node, 'button', 'Copy the lessons and open the first notebook')[0]
    );
    expect(opened).toBe(1);
  });

  it.each<[Status['kind'] & ('no-kernel' | 'connecting'), string, string]>([
    ['no-kernel', 'Choose a kernel', 'choose'],
    ['connecting', 'Reconnect to the kernel', 'reconnect']
  ])('has one button where a kernel is missing: %s', (kind, label, act) => {
    const asked: string[] = [];
    const { node } = render(
      <Empty
        status={{ kind }}
        run={() => undefined}
        kernel={wanted => asked.push(wanted)}
        trans={trans}
      />
    );
    expect(byRole(node, 'button')).toHaveLength(1);
    click(byRole(node, 'button', label)[0]);
    expect(asked).toEqual([act]);
  });

  it('the button runs a whole example below the cell in which one is', () => {
    const asked: string[][] = [];
    const { node } = render(
      <Empty
        status={ready}
        run={(source, where) => asked.push([source.shown, where])}
        trans={trans}
      />
    );
    click(byRole(node, 'button', 'Run in the notebook')[0]);
    expect(asked).toEqual([
      [
        '%%jaxpr\nimport jax\nimport jax.numpy as jnp\n\njax.jit(jnp.sin)(1.0)',
        'below'
      ]
    ]);
  });

  it("the button runs the user's own cell with the magic, once there is one", () => {
    const ran: string[] = [];
    let cell: { id: string; source: string } | null = null;
    let changed = (): void => undefined;
    const { node } = render(
      <Empty
        status={ready}
        run={() => ran.push('example')}
        cells={{
          find: () => cell,
          follow: listener => {
            changed = listener;
            return () => undefined;
          },
          run: ({ id }) => ran.push(id)
        }}
        trans={trans}
      />
    );
    expect(byRole(node, 'button').map(words)).toEqual(['Run in the notebook']);

    cell = { id: 'own', source: '%%jaxpr --eager\nf(x)\n' };
    act(() => changed());
    expect(words(node)).toBe(
      'No program yet' +
        'The notebook has a cell with %%jaxpr. Run the cell:' +
        '%%jaxpr --eager f(x)' +
        'Run the cell' +
        'JAX 0.10.2 on cpu'
    );
    click(byRole(node, 'button', 'Run the cell')[0]);
    expect(ran).toEqual(['own']);

    const lines = Array.from({ length: 20 }, (_, i) => `x = ${i}`);
    cell = { id: 'own', source: ['%%jaxpr', ...lines].join('\n') };
    act(() => changed());
    expect(words(node.querySelector('pre'))).toBe(
      '%%jaxpr x = 0 x = 1 x = 2 x = 3 x = 4 x = 5 x = 6 …'
    );
  });
});

describe('a long compile', () => {
  it('shows its stage and its time, second by second', () => {
    const { node } = render(<Running progress={progress()} trans={trans} />);
    expect(words(node)).toBe(
      'rnn_unrolled' +
        'Compiling, 41 s' +
        'If you interrupt the kernel, the cell stops after the compile.' +
        'trace451 msdonelower249 msdonecompile41 s…first runnot started'
    );
    act(() => {
      jest.advanceTimersByTime(2000);
    });
    expect(words(node.querySelector('.jp-JaxprPanel-lead'))).toBe(
      'Compiling, 43 s'
    );
  });

  it('reads its stage to a screen reader, not every second', () => {
    const { node } = render(<Running progress={progress()} trans={trans} />);
    expect(byRole(node, 'status').map(words)).toEqual(['Compiling']);
  });

  it('can be interrupted while Python traces', () => {
    const { node } = render(
      <Running
        progress={progress({
          stage: 'trace',
          elapsed: 1,
          finished: [],
          interruptible: true
        })}
        trans={trans}
      />
    );
    expect(words(node)).toBe(
      'rnn_unrolled' +
        'Tracing, 1 s' +
        'Interrupt the kernel to stop the cell.' +
        'trace1 s…lowernot startedcompilenot startedfirst runnot started'
    );
  });

  it('says why the cell takes longer than without the magic', () => {
    const warning =
      '--eager records each dispatch of JAX, so the cell takes up to 20 times as long.';
    const { node } = render(
      <Running
        progress={progress({
          function: null,
          stage: 'running',
          elapsed: 0,
          finished: [],
          interruptible: true,
          warning
        })}
        trans={trans}
      />
    );
    expect(words(node)).toBe(
      `CellRunning, 0 s${warning}Interrupt the kernel to stop the cell.`
    );
    const { model, kernel } = connected();
    kernel.sends(snapshot());
    kernel.received.emit(
      progress({ stage: 'running', warning, function: null })
    );
    const banner = render(<Banner model={model} trans={trans} />);
    expect(words(banner.node)).toBe('');
  });

  it('says how large the program is so far, and which loop is unrolled', () => {
    const { node } = render(
      <RunningAbove
        progress={progress({
          stage: 'trace',
          elapsed: 12,
          interruptible: true,
          equations: 1800,
          loop: { kind: 'for', line: 6, file: null }
        })}
        trans={trans}
      />
    );
    expect(words(node)).toBe(
      'Tracing: rnn_unrolled, 12 s, 1,800 equations' +
        'Interrupt the kernel to stop the cell. ' +
        'Line 6: Python runs this for loop while JAX traces. ' +
        'Every iteration adds equations to the program.'
    );
    expect(byRole(node, 'status').map(words)).toEqual([
      'Tracing: rnn_unrolled'
    ]);
  });

  it('says above a program which loop was unrolled, before a compile that cannot be stopped', () => {
    const { node } = render(
      <RunningAbove
        progress={progress({
          equations: 6000,
          loop: { kind: 'for', line: 5, file: null }
        })}
        trans={trans}
      />
    );
    expect(words(node)).toBe(
      'Compiling: rnn_unrolled, 41 s, 6,000 equations' +
        'Line 5: Python ran this for loop while JAX traced. ' +
        'Every iteration added equations to the program. ' +
        'If you interrupt the kernel, the cell stops after the compile.'
    );
  });

  it('says while XLA compiles which loop was unrolled', () => {
    const { node } = render(
      <Running
        progress={progress({
          equations: 6000,
          loop: { kind: 'for', line: 5, file: 'model.py' }
        })}
        trans={trans}
      />
    );
    expect([...node.querySelectorAll('p')].map(words)).toEqual([
      'rnn_unrolled',
      'Compiling, 41 s',
      'The program has 6,000 equations.',
      'model.py, line 5: Python ran this for loop while JAX traced.',
      'Every iteration added equations to the program.',
      'If you interrupt the kernel, the cell stops after the compile.'
    ]);
  });

  it('takes the place of no earlier program', () => {
    const { model, kernel } = connected();
    expect(panelContent(model)).toBe('empty');
    kernel.sends(snapshot());
    expect(panelContent(model)).toBe('program');
    kernel.received.emit(progress());
    expect(panelContent(model)).toBe('program');
    kernel.received.emit(progress({ stage: 'running', seq: 3 }));
    expect(panelContent(model)).toBe('program');
  });
});

describe('the line above a program', () => {
  function stale(): JaxprModel {
    const { model, kernel } = connected();
    kernel.sends(
      snapshot({ created: new Date(2026, 7, 17, 2, 34).getTime() / 1000 })
    );
    kernel.turns({ kind: 'lost', loss: 'restarting' });
    kernel.greets();
    return model;
  }

  it('says that it is from before, and how to refresh it', () => {
    const { node } = render(<Banner model={stale()} trans={trans} />);
    expect(words(byRole(node, 'status')[0])).toBe(
      'Kernel restarted · 02:51 This run was recorded at 02:34.' +
        'Run cell [7] again to refresh the panel.'
    );
  });

  it('has a button for what it says, which waits until that has ended', async () => {
    let end = (): void => undefined;
    const again = jest.fn(() => new Promise<void>(resolve => (end = resolve)));
    const { node } = render(
      <Banner model={stale()} again={again} trans={trans} />
    );
    const button = byRole(node, 'button', 'Run the cell again')[0];
    click(button);
    click(button);
    expect(again).toHaveBeenCalledTimes(1);
    expect(button.getAttribute('aria-disabled')).toBe('true');
    await act(async () => end());
    expect(button.getAttribute('aria-disabled')).toBe('false');
  });

  it('says that it is a saved copy, what to press, and runs up to its cell', () => {
    const { model, kernel } = connected();
    model.setChannel(null);
    model.standIn(snapshot());
    const asked: string[] = [];
    const again = async (_: unknown, how: string): Promise<void> => {
      asked.push(how);
    };
    const { node, redraw } = render(
      <Banner model={model} again={again} trans={trans} />
    );
    expect(words(node)).toBe(
      'This is a saved copy of cell [7].The cells can run when the notebook has a kernel.' +
        'Run up to this cell'
    );
    click(byRole(node, 'button')[0]);
    expect(asked).toEqual([]);
    model.setChannel(kernel);
    kernel.turns({ kind: 'not-loaded', hasNoJax: true });
    redraw(<Banner model={model} again={again} trans={trans} />);
    expect(words(node)).toBe(
      'This is a saved copy of cell [7].' +
        'The kernel runs in the browser, where JAX does not run.' +
        'Run up to this cell'
    );
    click(byRole(node, 'button')[0]);
    expect(asked).toEqual([]);
    kernel.turns({ kind: 'not-loaded' });
    redraw(<Banner model={model} again={again} trans={trans} />);
    expect(words(node)).toBe(
      'This is a saved copy of cell [7].' +
        'Press Shift+Enter to run the cells, beginning with the first cell.' +
        'Run up to this cell'
    );
    click(byRole(node, 'button')[0]);
    expect(asked).toEqual(['up to cell']);
    kernel.turns({ kind: 'connecting' });
    redraw(<Banner model={model} again={again} trans={trans} />);
    expect(words(node)).toBe(
      'This is a saved copy of cell [7].The kernel is starting or busy.' +
        'Run up to this cell'
    );
  });

  it('says in a widget that the kernel has not answered, and what to do', () => {
    const { model, kernel } = connected();
    kernel.turns({ kind: 'connecting' });
    model.show(snapshot(), true);
    const { node } = render(<Banner model={model} trans={trans} />);
    expect(words(node)).toBe(
      'This is a saved copy of cell [7].The kernel has not answered. If no cell is running, run the cell again.'
    );
    model.dispose();
  });

  it('leads to a newer run', () => {
    const model = stale();
    model.show(
      snapshot({
        id: 'run-2',
        created: new Date(2026, 7, 17, 2, 50).getTime() / 1000
      }),
      false
    );
    model.setRun('run-1');
    const { node } = render(<Waiting model={model} trans={trans} />);
    expect(words(node)).toBe('There is a newer run: Cell [7] · 02:50');
    click(byRole(node, 'button')[0]);
    expect(model.snapshot?.id).toBe('run-2');
  });

  it('counts what waits while updates are paused', () => {
    const { model, kernel } = connected();
    model.setPaused(true);
    const { node, redraw } = render(<Waiting model={model} trans={trans} />);
    expect(words(node)).toBe('Updates of the panel are paused. Resume');
    kernel.sends(snapshot());
    redraw(<Waiting model={model} trans={trans} />);
    expect(words(node)).toBe(
      'Updates of the panel are paused. 1 new run is not shown. Resume'
    );
    click(byRole(node, 'button', 'Resume')[0]);
    expect(model.snapshot?.id).toBe('run-1');
  });
});

describe('a failure of ours', () => {
  it('is told with its cure, and can be dismissed', () => {
    let dismissed = 0;
    const { node } = render(
      <Failure
        failure={{
          text: 'The program could not be read.',
          cure: 'Run the cell again.',
          detail: 'Traceback <b>'
        }}
        dismiss={() => dismissed++}
        trans={trans}
      />
    );
    expect(words(byRole(node, 'alert')[0])).toBe(
      'The program could not be read.Run the cell again.DetailsTraceback <b>'
    );
    click(byRole(node, 'button', 'Dismiss')[0]);
    expect(dismissed).toBe(1);
  });
});
