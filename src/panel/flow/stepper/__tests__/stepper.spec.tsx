import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { JaxprModel } from '../../../../model/model';
import { steppingOf } from '../../../../model/stepping';
import {
  AnyReply,
  FakeChannel,
  answered,
  confirm,
  working as progressed
} from '../../../../model/__tests__/fake-channel';
import { NO_DOCUMENT } from '../../../../protocol/cost';
import { isUnreadable } from '../../../../protocol/document';
import { readReply } from '../../../../protocol/messages';
import { Control, Recording, Snapshot } from '../../../../protocol/snapshot';
import {
  leaf,
  recording,
  snapshot
} from '../../../../protocol/__tests__/documents';
import {
  act,
  byRole,
  click,
  render,
  words
} from '../../../../parts/__tests__/render';
import { Stepper } from '..';
import {
  COND,
  WHILE,
  card,
  long,
  nested,
  newton,
  threeCalls
} from './recordings';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => {
  jest.useRealTimers();
  document.body.replaceChildren();
});

interface IShown {
  node: HTMLElement;
  redraw: (element: JSX.Element) => void;
  model: JaxprModel;
  document: Snapshot;
}

/** Draws the stepper of a card whose recording is in the document. */
function shown(one: Control, recorded: Recording | null, saved = true): IShown {
  if (recorded !== null) {
    // The panel would accept the test's document.
    const read = readReply(answered(recorded), 'steps', NO_DOCUMENT);
    expect(isUnreadable(read)).toBe(false);
  }
  const document = snapshot({
    control_flow: [one],
    recordings: recorded === null ? [] : [recorded]
  });
  const model = new JaxprModel(trans);
  model.show(document, saved);
  const element = <Stepper model={model} card={one} index={0} trans={trans} />;
  return { ...render(element), model, document };
}

/** Draws the stepper of a card in a notebook with a kernel that answers. */
function live(one: Control = card()): IShown & {
  kernel: FakeChannel;
  answers: (reply: AnyReply) => Promise<void>;
} {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  const document = snapshot({ control_flow: [one], recordings: [] });
  kernel.sends(document);
  let answer: (reply: AnyReply) => void = () => undefined;
  kernel.answer = () => new Promise(resolve => (answer = resolve));
  return {
    ...render(<Stepper model={model} card={one} index={0} trans={trans} />),
    model,
    document,
    kernel,
    answers: reply => act(async () => answer(reply))
  };
}

/** Lists the rows of a table, one in a line. */
function rows(table: Element | undefined): string[] {
  return [...(table?.querySelectorAll('tr') ?? [])].map(row =>
    [...row.querySelectorAll('th, td')].map(words).join(' | ')
  );
}

function values(node: HTMLElement, at: number): string[] {
  return rows(node.querySelectorAll('.jp-JaxprStepper-values')[at]);
}

const heading = (node: HTMLElement): string => words(node.querySelector('h3'));
const said = (node: HTMLElement): string =>
  words(node.querySelectorAll('.jp-JaxprStepper-said')[1]);
/** The words below the line of numbers: its start, the name of the number, the value at the step, its end. */
const axis = (node: HTMLElement): string[] =>
  [...node.querySelectorAll('.jp-JaxprStepper-axis > *')].map(part =>
    words(part.querySelector('option:checked') ?? part)
  );
const slider = (node: HTMLElement): HTMLInputElement =>
  node.querySelector('input[type=range]') as HTMLInputElement;

function slide(node: HTMLElement, to: number): void {
  const input = slider(node);
  const set = Object.getOwnPropertyDescriptor(
    HTMLInputElement.prototype,
    'value'
  )?.set;
  act(() => {
    set?.call(input, String(to));
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

describe('a recording that came with the document', () => {
  it('is shown at once: the first step, its values, all steps, the verdict', () => {
    const { node } = shown(card(), recording());
    expect(heading(node)).toBe('Step 1 of 5');
    expect(values(node, 0)).toEqual([
      'leaf | before step 1 | after',
      'total i32[] | 0 | 1',
      'xs[0] x i32[] | 1',
      'ys[0] y i32[] | 2'
    ]);
    expect(
      rows(node.querySelector('.jp-JaxprStepper-scroller') ?? undefined)
    ).toEqual(
      [
        'step | total | xs | ys',
        '1 | 0 | 1 | 2',
        '2 | 1 | 2 | 6',
        '3 | 3 | 3 | 12',
        '4 | 6 | 4 | 20',
        '5 | 10 | 5 | 30',
        'after | 15 | |'
      ].map(row => row.replace('15 | |', '15 |  | '))
    );
    expect(words(node.querySelector('.jp-JaxprStepper-verdict'))).toBe(
      "The recorded results equal the original function's results, bit for bit. The recorded run took 210 ms, including its own compilation.".replace(
        'bit. The',
        'bit.The'
      )
    );
  });

  it('is walked by buttons, which say where one is', () => {
    const { node } = shown(card(), recording());
    const back = byRole(node, 'button', 'Previous')[0];
    expect(back.getAttribute('aria-disabled')).toBe('true');
    click(byRole(node, 'button', 'Next')[0]);
    expect(heading(node)).toBe('Step 2 of 5');
    expect(said(node)).toBe('Step 2 of 5, total: 3, xs[1]: 2, ys[1]: 6');
    click(back);
    expect(said(node)).toBe('Step 1 of 5, total: 1, xs[0]: 1, ys[0]: 2');
  });

  it('is walked by the slider, which says so itself', () => {
    const { node } = shown(card(), recording());
    slide(node, 4);
    expect(heading(node)).toBe('Step 5 of 5');
    expect(slider(node).getAttribute('aria-valuetext')).toBe(
      'Step 5 of 5, total: 15, xs[4]: 5, ys[4]: 30'
    );
    expect(said(node)).toBe('');
    expect(
      byRole(node, 'button', 'Next')[0].getAttribute('aria-disabled')
    ).toBe('true');
  });

  it('is walked by a click on a row', () => {
    const { node } = shown(card(), recording());
    click(node.querySelectorAll('.jp-JaxprStepper-scroller tbody tr')[2]);
    expect(heading(node)).toBe('Step 3 of 5');
    expect(words(node.querySelector('[aria-current=step]'))).toBe('33312');
  });

  it('stays where it was when the view is drawn anew', () => {
    const { node, model } = shown(card(), recording());
    slide(node, 3);
    const again = render(
      <Stepper model={model} card={card()} index={0} trans={trans} />
    );
    expect(heading(again.node)).toBe('Step 4 of 5');
  });

  it('of a scan from the last x to the first counts so', () => {
    const { node } = shown(card({ reverse: true }), recording());
    expect(values(node, 0)[2]).toBe('xs[4] x i32[] | 1');
  });
});

describe('a line of numbers', () => {
  it('is of the carry, read at the step, and described', () => {
    const { node } = shown(card(), recording());
    slide(node, 2);
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The plot shows total at each step. Smallest value 0, largest value 15.'
    );
    expect(axis(node)).toEqual(['0', 'carry total', '= 6', '5']);
    expect(node.querySelector('.jp-JaxprStepper-line')?.getAttribute('d')).toBe(
      'M0.0 100.0L200.0 93.3L400.0 80.0L600.0 60.0L800.0 33.3L1000.0 0.0'
    );
  });

  it('may be of another leaf', () => {
    const { node } = shown(card(), recording());
    const select = node.querySelector(
      'select[aria-label="plotted"]'
    ) as HTMLSelectElement;
    expect([...select.options].map(words)).toEqual([
      'carry total',
      'x xs',
      'y ys'
    ]);
    act(() => {
      select.value = '2';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(axis(node)).toEqual(['0', 'y ys', '= 2', '5']);
  });

  it('is broken where a number is not finite', () => {
    const carry = leaf({
      texts: ['1', '2', 'nan', '4', 'inf', '6'],
      numbers: [1, 2, null, 4, null, 6]
    });
    const { node } = shown(card(), recording({ leaves: [carry] }));
    expect(node.querySelector('.jp-JaxprStepper-line')?.getAttribute('d')).toBe(
      'M0.0 100.0L200.0 80.0M600.0 40.0M1000.0 0.0'
    );
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The plot shows total at each step. Smallest value 1, largest value 6. 2 values are not finite, so they are not plotted.'
    );
    slide(node, 1);
    expect(words(node.querySelector('.jp-JaxprStepper-reading'))).toBe(
      'total = nan'
    );
    expect(node.querySelector('.jp-JaxprStepper-dot')).toBeNull();
  });

  it('is of the norm for arrays, whose values are summed up', () => {
    const { node } = shown(card(), long(100));
    slide(node, 99);
    expect(words(node.querySelector('.jp-JaxprStepper-reading'))).toBe(
      '‖h0‖ = -0.506'
    );
    expect(values(node, 0)).toEqual([
      'leaf | before step 100 | after',
      'h0 f32[16] | [-1 0.51 … +14]min -2 · mean -0.999 · max 0.000793 | [-0.51 0.51 … +14]min -1.51 · mean -0.506 · max 0.494 · 2 NaN'.replace(
        '0.000793',
        '7.93e-4'
      )
    ]);
  });
});

describe('a while', () => {
  it('has its residual on a logarithmic axis, with the tolerance, and its last condition', () => {
    const { node } = shown(WHILE, newton());
    slide(node, 2);
    expect(heading(node)).toBe('Step 3 of 3');
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'The plot shows jnp.abs(x * x - a) at each step. Smallest value 6.01e-6, largest value 2. The axis is logarithmic. The dashed line is at 1e-5.'
    );
    expect(words(node.querySelector('.jp-JaxprStepper-limit'))).toBe('1e-5');
    expect(values(node, 0)).toEqual([
      'leaf | before step 3 | after',
      'n i32[] | 2 | 3',
      'x f32[] | 1.416667 | 1.414216',
      'jnp.abs(x * x - a) compared f32[] | 0.006945 | 6.007e-06',
      'condition bool[] | True | False'
    ]);
  });

  it('that never ran a step says so', () => {
    const { node } = shown(
      WHILE,
      recording({
        step: [],
        branch_taken: [],
        visits: [
          { first_point: 0, points: 0, trips: 0, outer: [], finished: true }
        ],
        leaves: [leaf({ texts: ['7'], numbers: [7] })]
      })
    );
    expect(heading(node)).toBe('No step ran');
    expect(words(node)).toContain('The loop returned its inputs unchanged.');
    expect(values(node, 0)).toEqual(['leaf | in and out', 'total i32[] | 7']);
    expect(slider(node)).toBeNull();
  });

  it('that was stopped and thinned says so, and between which steps a value changed', () => {
    const { node } = shown(
      WHILE,
      recording({
        step: [0, 2, 4, 6, 8],
        visits: [
          { first_point: 0, points: 5, trips: 10, outer: [], finished: false }
        ],
        stopped: 'Stopped by you after 10 steps.',
        thinned: 'Every second step was kept.',
        comparisons: [],
        verdict: 'Not compared, because it was stopped.'
      })
    );
    click(byRole(node, 'button', 'Next')[0]);
    expect(heading(node)).toBe('Step 3 of 10');
    expect(words(node.querySelector('h3 + span'))).toBe('stopped');
    expect(values(node, 0)[0]).toBe('leaf | before step 3 | after step 4');
    expect(words(node.querySelector('.jp-JaxprStepper-verdict'))).toBe(
      'Stopped by you after 10 steps.Every second step was kept.Not compared, because it was stopped.The recorded run took 210 ms, including its own compilation.'
    );
  });

  it('inside a scan is chosen by the outer step, and walked over their bounds', () => {
    const { node } = shown(WHILE, nested());
    const select = node.querySelector(
      'select[aria-label="Entry of the loop"]'
    ) as HTMLSelectElement;
    expect([...select.options].map(words)).toEqual([
      'outer step 1 · 2 steps',
      'outer step 2 · 1 step'
    ]);
    const next = byRole(node, 'button', 'Next')[0];
    click(next);
    expect(values(node, 0)[1]).toBe('v i32[] | 6 | 3');
    click(next);
    expect(heading(node)).toBe('Step 1 of 1');
    expect(select.value).toBe('1');
    expect(values(node, 0)[1]).toBe('v i32[] | 8 | 4');
    expect(next.getAttribute('aria-disabled')).toBe('true');
    act(() => {
      select.value = '0';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(heading(node)).toBe('Step 1 of 2');
  });
});

describe('a cond', () => {
  it('says which branch was taken, of each of its calls', () => {
    const { node, model, document } = shown(COND, threeCalls());
    expect(heading(node)).toBe('Execution 1 of 3');
    slide(node, 1);
    expect(heading(node)).toBe('Execution 2 of 3');
    expect(values(node, 0)).toEqual([
      'leaf | in execution 2',
      'branch taken | False',
      'x > 0 predicate bool[] | False',
      'x operand f32[] | -2',
      'result f32[] | 4'
    ]);
    const stepping = steppingOf(model);
    expect(stepping.branchTaken(document, 0)).toBe('False');
    expect([...stepping.branchCounts(document, 0)]).toEqual([
      ['True', 2],
      ['False', 1]
    ]);
  });
});

describe('the calls of the cell', () => {
  const calls = (node: HTMLElement): string[] =>
    [
      ...node.querySelectorAll<HTMLElement>(
        '[aria-label="Calls of the cell and their branches"] tr'
      )
    ].map(row => [...row.children].map(cell => cell.textContent).join(' | '));

  it('are listed with the branches that each call took', () => {
    const row = {
      call: 0,
      values: ['', ''],
      taken: [] as string[],
      times: [] as number[],
      unknown: null
    };
    const { node } = shown(COND, {
      ...threeCalls(),
      calls: {
        columns: ['x', 'result'],
        calls: [
          { ...row, call: 1, values: ['3', '6'], taken: ['True'], times: [1] },
          { ...row, call: 2, unknown: 'The values of the call are gone.' },
          { ...row, taken: ['False', 'True'], times: [1, 9] },
          row
        ],
        others: 'The branches of 3 other calls of f in the cell are unknown.'
      }
    });
    expect(calls(node)).toEqual([
      'call | branch | x | result',
      '1 | True | 3 | 6',
      '2 | unknown |  | ',
      'unknown | False × 1, True × 9 |  | ',
      'unknown | not reached |  | '
    ]);
    expect(node.textContent).toContain(
      'The branches of 3 other calls of f in the cell are unknown.'
    );
    // In a narrow panel the columns stay wide enough to read, and the keyboard scrolls the table.
    const [scroller] = byRole(node, 'group', 'Calls of the cell');
    expect(scroller.tabIndex).toBe(0);
    expect(scroller.querySelector('table')?.style.minWidth).toBe('33ch');
  });
});

describe('results that part', () => {
  it('are shown both', () => {
    const { node } = shown(
      card(),
      recording({
        comparisons: [
          ...recording().comparisons,
          {
            path: 'result[2]',
            equal: false,
            recorded: '0.1',
            real: '0.10000001',
            largest_difference: 7.45e-9
          }
        ],
        verdict: "1 of 3 results differs from the function's."
      })
    );
    expect(words(node.querySelector('.jp-JaxprStepper-verdict p'))).toBe(
      "1 of 3 results differs from the function's."
    );
    expect(values(node, 1)).toEqual([
      'result | recorded | original | largest difference',
      'result[2] | 0.1 | 0.10000001 | 7.45e-9'
    ]);
  });
});

describe('the button', () => {
  const working = (node: HTMLElement): string =>
    words(node.querySelector('.jp-JaxprLongWork-working'));
  const run = (node: HTMLElement): string =>
    words(node.querySelector('.jp-JaxprStepper-said'));
  const button = (node: HTMLElement): HTMLElement =>
    node.querySelector('.jp-JaxprStepper-start button') as HTMLElement;

  it('says what it does, then how far it is, and shows what came', async () => {
    jest.useFakeTimers();
    const { node, kernel, answers } = live();
    expect(words(node)).toBe(
      'Step through itRuns rnn again with the values of the last call whose values are known, and shows each step.'
    );
    click(button(node));
    expect(working(node)).toBe('Waiting for the kernel.0 sStop');
    expect(run(node)).toBe('Running the steps.');
    act(() => {
      jest.advanceTimersByTime(3000);
      kernel.works(
        progressed({ text: 'step 400', done: 400, total: 1000, elapsed: 3 })
      );
    });
    expect(working(node)).toBe('step 4003 sStop');
    const progress = node.querySelector('progress');
    expect([progress?.value, progress?.max]).toEqual([400, 1000]);
    await answers(answered(recording()));
    expect(heading(node)).toBe('Step 1 of 5');
    expect(words(button(node))).toBe('Run it again');
    expect(run(node)).toBe('The steps are ready.');
  });

  it('leaves the keyboard where one can go on: on Stop, then on the slider', async () => {
    const { node, answers } = live();
    button(node).focus();
    click(button(node));
    expect(words(document.activeElement)).toBe('Stop');
    await answers(answered(recording()));
    expect(document.activeElement).toBe(slider(node));
  });

  it('is stopped, and what was recorded is kept', async () => {
    const { node, kernel, answers } = live(WHILE);
    click(button(node));
    click(byRole(node, 'button', 'Stop')[0]);
    click(byRole(node, 'button', 'Stop')[0]);
    expect(kernel.stops).toBe(1);
    expect(run(node)).toBe('Stopping. The steps until now are kept.');
    await answers(answered(newton({ stopped: 'Stopped by you.' })));
    expect(heading(node)).toBe('Step 1 of 3');
    expect(words(node)).toContain('Stopped by you.');
  });

  it('asks before effects are repeated', async () => {
    const { node, kernel, answers } = live();
    click(button(node));
    await answers(confirm('step prints. Running it again prints again.'));
    const question = byRole(node, 'alertdialog', 'Repeat effects?')[0];
    expect(words(question)).toBe(
      'step prints. Running it again prints again.Do not runRun and repeat effects'
    );
    expect(words(document.activeElement)).toBe('Do not run');
    click(document.activeElement);
    expect(words(button(node))).toBe('Step through it');
    click(button(node));
    await answers(confirm('step prints.'));
    click(byRole(node, 'button', 'Run and repeat effects')[0]);
    await answers(answered(recording()));
    expect(heading(node)).toBe('Step 1 of 5');
    expect(
      kernel.questions.map(question =>
        question.type === 'steps' ? question.confirmed : null
      )
    ).toEqual([false, false, true]);
  });

  it('says why it failed, and can be pressed again', async () => {
    const { node, answers } = live();
    click(button(node));
    await answers(answered(recording({ control: 3 })));
    expect(words(byRole(node, 'alert')[0])).toBe(
      'The panel could not send the request to the kernel. Reload the page and try again.'
    );
    click(button(node));
    await answers(answered(recording()));
    expect(byRole(node, 'alert')).toEqual([]);
  });

  it('says what to do after the kernel restarted; the recording stays', async () => {
    const { node, kernel, answers } = live();
    click(button(node));
    await answers(answered(recording()));
    act(() => kernel.turns({ kind: 'lost', loss: 'restarting' }));
    act(() => kernel.turns({ kind: 'not-loaded' }));
    expect(heading(node)).toBe('Step 1 of 5');
    expect(button(node).getAttribute('aria-disabled')).toBe('true');
    expect(words(node.querySelector('.jp-JaxprStepper-start p'))).toBe(
      'Kernel restarted. Run %load_ext jupyter_jaxpr and cell [7] again to refresh.'
    );
    click(button(node));
    expect(kernel.questions).toHaveLength(1);
  });

  it.each<[string, Control, string]>([
    [
      'of a card that cannot be run',
      card({
        steppable: 'Its values were donated. Run the cell with --steps.'
      }),
      'Its values were donated. Run the cell with --steps.'
    ],
    [
      'of a saved run',
      card(),
      'This run comes from a saved copy. Run the cell to step through the construct.'
    ]
  ])('%s says why', (_, one, reason) => {
    const { node } = shown(one, null);
    expect(button(node).getAttribute('aria-disabled')).toBe('true');
    expect(words(node.querySelector('.jp-JaxprStepper-start p'))).toBe(reason);
  });
});

describe('play', () => {
  const play = (node: HTMLElement): HTMLElement =>
    byRole(node, 'group', 'Move between steps')[0].querySelectorAll(
      'button'
    )[1];

  it('goes on to the end, and says where it stopped', () => {
    jest.useFakeTimers();
    const { node } = shown(card(), recording());
    click(play(node));
    act(() => jest.advanceTimersByTime(700));
    expect(heading(node)).toBe('Step 2 of 5');
    expect(said(node)).toBe('');
    for (let step = 0; step < 4; step++) {
      act(() => jest.advanceTimersByTime(700));
    }
    expect(said(node)).toBe('Step 5 of 5, total: 15, xs[4]: 5, ys[4]: 30');
    expect(play(node).getAttribute('aria-label')).toBe('Play');
    click(play(node));
    expect(heading(node)).toBe('Step 1 of 5');
  });

  it('is paused, and stops where the page is hidden', () => {
    jest.useFakeTimers();
    const { node } = shown(card(), recording());
    click(play(node));
    act(() => jest.advanceTimersByTime(700));
    click(play(node));
    expect(said(node)).toBe('Step 2 of 5, total: 3, xs[1]: 2, ys[1]: 6');
    click(play(node));
    const hidden = jest
      .spyOn(document, 'visibilityState', 'get')
      .mockReturnValue('hidden');
    act(() => jest.advanceTimersByTime(700));
    hidden.mockRestore();
    expect(heading(node)).toBe('Step 2 of 5');
    expect(play(node).getAttribute('aria-label')).toBe('Play');
  });

  it('goes at a speed that is remembered', () => {
    jest.useFakeTimers();
    const { node } = shown(card(), recording());
    const speed = node.querySelector(
      'select[aria-label="Speed of Play"]'
    ) as HTMLSelectElement;
    expect([...speed.options].map(words)).toEqual([
      'all in 12 s',
      '1 step/s',
      '2 steps/s',
      '5 steps/s',
      '10 steps/s',
      '25 steps/s'
    ]);
    act(() => {
      speed.value = '10';
      speed.dispatchEvent(new Event('change', { bubbles: true }));
    });
    click(play(node));
    act(() => jest.advanceTimersByTime(100));
    expect(heading(node)).toBe('Step 2 of 5');
    act(() => jest.advanceTimersByTime(100));
    expect(heading(node)).toBe('Step 3 of 5');
    expect(window.localStorage.getItem('jupyter-jaxpr:play-speed')).toBe('10');
    act(() => {
      speed.value = '0';
      speed.dispatchEvent(new Event('change', { bubbles: true }));
    });
  });

  it('begins and pauses with Space, and stops where the keyboard goes away', () => {
    jest.useFakeTimers();
    const { node } = shown(card(), recording());
    const space = (): void =>
      act(() => {
        slider(node).dispatchEvent(
          new KeyboardEvent('keydown', { key: ' ', bubbles: true })
        );
      });
    const name = (): string | null => play(node).getAttribute('aria-label');
    space();
    expect(name()).toBe('Pause');
    space();
    expect(name()).toBe('Play');
    space();
    act(() => slider(node).focus());
    // Within the stepper any control may get the keyboard focus.
    act(() => play(node).focus());
    expect(name()).toBe('Pause');
    act(() => byRole(node, 'button', 'Run it again')[0].focus());
    expect(name()).toBe('Play');
  });

  it('is off where the system asks for less motion', () => {
    const before = window.matchMedia;
    window.matchMedia = (media: string) =>
      ({
        media,
        matches: media === '(prefers-reduced-motion: reduce)',
        addEventListener: () => undefined,
        removeEventListener: () => undefined
      }) as unknown as MediaQueryList;
    try {
      const { node } = shown(card(), recording());
      expect(play(node).getAttribute('aria-label')).toBe(
        'Play is off: your system asks for less motion'
      );
      click(play(node));
      expect(heading(node)).toBe('Step 1 of 5');
    } finally {
      window.matchMedia = before;
    }
  });
});

describe('the step that the cell shows', () => {
  it('is the one that the user walked to, until the stepper is gone', () => {
    const { node, model, redraw } = shown(card(), recording());
    const stepping = steppingOf(model);
    // A recording that was saved with the notebook marks no line until the user moves in it.
    expect(stepping.shown).toBe(null);
    slide(node, 1);
    expect(stepping.shown?.before).toEqual({
      text: 'total = 1, xs[1] = 2',
      title: 'Before step 2: total = 1, xs[1] = 2'
    });
    expect(stepping.shown?.after).toEqual({
      text: 'total = 3, ys[1] = 6',
      title: 'After step 2: total = 3, ys[1] = 6'
    });
    redraw(<></>);
    expect(stepping.shown).toBe(null);
  });
});

describe('a thousand steps', () => {
  it('are in a table of which only the rows in view are drawn', () => {
    const { node } = shown(card(), long(1000, 10));
    const details = node.querySelector('details') as HTMLDetailsElement;
    expect(details.open).toBe(false);
    click(details.querySelector('summary'));
    const drawn = node.querySelectorAll('.jp-JaxprStepper-scroller tbody tr');
    expect(drawn.length).toBeLessThan(40);
    expect(
      node
        .querySelector('.jp-JaxprStepper-scroller table')
        ?.getAttribute('aria-rowcount')
    ).toBe('1002');
  });
});
