import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { Unanswered } from '../../../kernel/channel-interface';
import { askingOf } from '../../../model/request-state';
import { JaxprModel } from '../../../model/model';
import {
  AnyReply,
  FakeChannel,
  answered,
  confirm,
  working
} from '../../../model/__tests__/fake-channel';
import {
  program,
  snapshot,
  variant,
  variantComparison
} from '../../../protocol/__tests__/documents';
import {
  Program,
  Snapshot,
  VariantComparison
} from '../../../protocol/snapshot';
import {
  act,
  byRole,
  click,
  render,
  words
} from '../../../parts/__tests__/render';
import { Compare } from '../compare-view';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => {
  document.body.replaceChildren();
});

const TWO = variantComparison({
  call: 'fori(x)',
  arguments: 'Each function was called with the arguments of fori(x).',
  variants: [
    variant({ mode: 'jitted_here', calls: 1322 }),
    variant({
      name: 'whiled',
      program: 1,
      equations: 4,
      compile: 0.1,
      differentiable: 'forward',
      differentiable_note: 'ValueError: Reverse-mode does not work.',
      agrees: 'close',
      remarks: ['JAX compiled whiled in an earlier call.'],
      calls: 52
    }),
    variant({
      name: 'nope',
      program: -1,
      equations: null,
      trace: null,
      lower: null,
      compile: null,
      warm: null,
      differentiable: 'unknown',
      result: null,
      agrees: 'unknown',
      error: 'nope is not defined. Define nope.',
      remarks: ['nope is not defined. Define nope.'],
      mode: 'missing'
    })
  ],
  verdict: ['unrolled compiles 6.3× slower than whiled.']
});

const runOf = (comparison: VariantComparison | null): Snapshot =>
  snapshot({
    programs: [program({ name: 'unrolled' }), program({ name: 'whiled' })],
    comparison
  });

function shown(document: Snapshot): {
  model: JaxprModel;
  kernel: FakeChannel;
  node: HTMLElement;
  opened: string[];
  redraw: () => void;
} {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  kernel.sends(document);
  const opened: string[] = [];
  const element = (): JSX.Element => (
    <Compare
      model={model}
      openProgram={() => opened.push(`program ${model.program}`)}
      openBeside={comparison => opened.push(`beside ${comparison.call}`)}
      trans={trans}
    />
  );
  const { node, redraw } = render(element());
  return { model, kernel, node, opened, redraw: () => redraw(element()) };
}

const cells = (node: HTMLElement): string[][] =>
  [...node.querySelectorAll('tr')].map(row =>
    [...row.querySelectorAll('th, td')].map(words)
  );

describe('functions side by side', () => {
  it('are columns of what was measured, a row for each thing', () => {
    const { node } = shown(runOf(TWO));
    expect(cells(node)).toEqual([
      [
        '',
        'unrolledjitted by jupyter_jaxpr',
        'whiled',
        'nopeno function has this name'
      ],
      [
        'Warm call',
        '12 µs12 µs to 13 µs in 50 calls',
        '12 µs12 µs to 13 µs in 50 calls',
        '–'
      ],
      ['Time until a warm call returns', '8.0 µs', '8.0 µs', '–'],
      ['Compile time', '950 ms', '150 ms', '–'],
      ['trace', '20 ms', '20 ms', '–'],
      ['lower', '30 ms', '30 ms', '–'],
      ['compile', '900 ms', '100 ms', '–'],
      ['Equations', '300', '4', '–'],
      ['Derivative', 'grad and jvp', 'jvp, but not grad', '–'],
      ['Result', 'reference result0.51', 'close to the reference0.51', '–'],
      ['Number of calls', '1,322 calls', '52 calls', '–']
    ]);
  });

  it('say what is to be known of each, and what they were called with', () => {
    const { node } = shown(runOf(TWO));
    expect(words(node.querySelector('.jp-JaxprCompare-remarks'))).toBe(
      'whiled JAX compiled whiled in an earlier call.' +
        'nope nope is not defined. Define nope.'
    );
    expect(words(node)).toContain(
      'Each function was called with the arguments of fori(x).'
    );
  });

  it('of an older document have their notes alone', () => {
    const { node } = shown(
      runOf({
        ...TWO,
        arguments: undefined,
        variants: [variant({ name: 'old', notes: ['An older note.'] })]
      })
    );
    expect(words(node.querySelector('.jp-JaxprCompare-remarks'))).toBe(
      'old An older note.'
    );
    expect(words(node)).not.toContain('Each function was called');
  });

  it('are rows of two lines where there is no room', () => {
    const { node } = shown(runOf(TWO));
    expect([...node.querySelectorAll('li summary')].map(words)).toEqual([
      'unrolledjitted by jupyter_jaxprwarm call: 12 µscompile time: 950 ms · 300 equations',
      'whiledwarm call: 12 µscompile time: 150 ms · 4 equations · derivative: jvp, but not grad · close to the reference',
      'nopeno function has this name'
    ]);
  });

  it('lead to their programs, and into the main area', () => {
    const { node, opened } = shown(runOf(TWO));
    click(byRole(node, 'button', 'whiled')[0]);
    click(byRole(node, 'button', 'Open in main area')[0]);
    expect(opened).toEqual(['program 1', 'beside fori(x)']);
  });

  it('have a row for the sweep, where there was one', () => {
    const swept = {
      ...TWO,
      sweep: 'n = 8, 16',
      variants: TWO.variants.map(one => ({ ...one, recompiles: 2 }))
    };
    const { node } = shown(runOf(swept));
    const row = node.querySelector('tr.jp-mod-recompiles');
    expect(row?.querySelector('th')?.title).toBe(
      'The number of compiles says how often JAX compiled the function in the sweep of n = 8, 16.'
    );
    expect(words(row)).toBe('Compiles in the sweep222');
  });
});

describe('programs to compare', () => {
  function waiting(kernel: FakeChannel): (reply: AnyReply) => void {
    let answer: (reply: AnyReply) => void = () => undefined;
    kernel.answer = () => new Promise(resolve => (answer = resolve));
    return reply => answer(reply);
  }

  it('are chosen at first where they take the same types', () => {
    const takes = (name: string, type: string): Program =>
      program({
        name,
        arguments: [
          { name: 'x', type, summary: type, static: false, donated: false }
        ]
      });
    const { node } = shown(
      snapshot({
        programs: [
          takes('f', 'f32[8]'),
          takes('f', 'f32[16]'),
          takes('g', 'f32[8] weak'),
          { ...takes('cell [1]', 'f32[8]'), origin: 'recorded' }
        ],
        comparison: null
      })
    );
    const boxes = [...node.querySelectorAll<HTMLInputElement>('input')];
    expect(boxes.map(box => box.checked)).toEqual([true, false, true, false]);
    // The second and the fourth program cannot run on the arguments of the chosen programs, so they cannot be chosen.
    expect(boxes.map(box => box.disabled)).toEqual([false, true, false, true]);
    expect([...node.querySelectorAll('label')].map(words)).toEqual([
      'f (f32[8])',
      'f (f32[16]) · the program takes other argument types than the first chosen program',
      'g (f32[8] weak)',
      'cell [1] (f32[8]) · cannot run: the program is a recording'
    ]);
    click(boxes[0]);
    click(boxes[2]);
    expect(boxes.map(box => box.disabled)).toEqual([false, false, false, true]);
  });

  it('are chosen, run, told of, stopped, and shown', async () => {
    const { model, kernel, node, redraw } = shown(runOf(null));
    const answer = waiting(kernel);
    const boxes = [...node.querySelectorAll<HTMLInputElement>('input')];
    expect(boxes.map(box => box.checked)).toEqual([true, true]);
    click(boxes[1]);
    const compare = byRole(node, 'button', 'Compare')[0];
    expect(compare.ariaDisabled ?? compare.getAttribute('aria-disabled')).toBe(
      'true'
    );
    click(compare);
    expect(kernel.asked).toEqual([]);
    click(boxes[1]);
    click(compare);
    expect(kernel.asked).toEqual([
      {
        type: 'compare',
        snapshot: 'run-1',
        programs: [0, 1],
        confirmed: false
      }
    ]);
    act(() =>
      kernel.works(
        working({ text: 'calling whiled', done: 1, total: 5, elapsed: 1 })
      )
    );
    expect(words(node)).toBe('calling whiled0 sStop');
    click(byRole(node, 'button', 'Stop')[0]);
    expect(kernel.stops).toBe(1);
    expect(words(node)).toContain(
      'Stopping the comparison. The results so far are kept.'
    );
    await act(async () =>
      answer(answered({ ...TWO, stopped: 'Stopped before timing.' }))
    );
    redraw();
    expect(model.snapshot?.comparison?.stopped).toBe('Stopped before timing.');
    expect(words(node)).toContain('Stopped before timing.');
  });

  it('with effects are run where that is confirmed', async () => {
    const { kernel, node } = shown(runOf(null));
    const answer = waiting(kernel);
    click(byRole(node, 'button', 'Compare')[0]);
    await act(async () => answer(confirm('f has effects. Run them?')));
    expect(words(node)).toBe(
      'f has effects. Run them?Do not run the programsRun the programs and repeat the effects'
    );
    click(byRole(node, 'button', 'Run the programs and repeat the effects')[0]);
    expect(kernel.asked[1]).toMatchObject({ confirmed: true });
  });

  it('that cannot be run say why', async () => {
    const { kernel, node } = shown(runOf(null));
    kernel.answer = () =>
      Promise.reject(new Unanswered({ kernel: 'The values are gone.' }));
    await act(async () => click(byRole(node, 'button', 'Compare')[0]));
    expect(words(byRole(node, 'alert')[0])).toBe('The values are gone.');
    expect(byRole(node, 'button', 'Compare')).toHaveLength(1);
  });

  it('of a saved copy are not run', () => {
    const model = new JaxprModel(trans);
    model.show(runOf(null), true);
    const { node } = render(
      <Compare
        model={model}
        openProgram={() => undefined}
        openBeside={null}
        trans={trans}
      />
    );
    expect(words(node)).toContain(
      'The kernel that ran these programs is not available. Run the cell again to compare the programs.'
    );
    expect(askingOf(model, 'compare').stateOf(runOf(null)).kind).toBe('idle');
  });
});
