import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { screenStateOf } from '../../../model/screen-state';
import { costsOf } from '../../../model/costs';
import {
  AnyReply,
  FakeChannel,
  answered
} from '../../../model/__tests__/fake-channel';
import { JaxprModel } from '../../../model/model';
import { machine, programTiming } from '../../../protocol/__tests__/documents';
import { ProgramCost, Snapshot } from '../../../protocol/snapshot';
import {
  act,
  byRole,
  click,
  press,
  render,
  words
} from '../../../parts/__tests__/render';
import { Cost } from '../cost-view';
import { node as node_, row, rnnCost, rnnSnapshot } from './costs';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => {
  document.body.replaceChildren();
  window.localStorage.clear();
});

interface IShown {
  model: JaxprModel;
  node: HTMLElement;
  opened: () => number;
}

function shown(snapshot: Snapshot): IShown {
  const model = new JaxprModel(trans);
  let opened = 0;
  model.show(snapshot, false);
  const { node } = render(
    <Cost model={model} openProgram={() => opened++} trans={trans} />
  );
  return { model, node, opened: () => opened };
}

const view = (changes: Partial<ProgramCost> = {}): IShown =>
  shown(rnnSnapshot({ costs: [rnnCost(changes)] }));

/** Lists the cells of each row, without empty cells. */
function rows(node: HTMLElement): string[][] {
  return [...node.querySelectorAll('[data-key]')].map(one =>
    [...one.querySelectorAll('[role=gridcell]')].map(words).filter(Boolean)
  );
}

const lead = (node: HTMLElement): string =>
  words(node.querySelector('.jp-JaxprCost-lead'));

function section(node: HTMLElement, title: string): HTMLElement {
  const found = [...node.querySelectorAll('section')].find(
    one => words(one.querySelector('h2')) === title
  );
  if (found === undefined) {
    throw new Error(`no section ${title}`);
  }
  return found;
}

describe('the Cost view', () => {
  it('says first how much it is and where, and then line by line', () => {
    const { node } = view();
    expect(lead(node)).toBe('80.1 k operations per call. 64 % is on line 6.');
    expect(
      [...node.querySelectorAll('.jp-JaxprCost-lead b')].map(words)
    ).toEqual(['80.1 k operations', '64 %']);
    expect(rows(node)).toEqual([
      ['5', 'a = x @ p["wx"]', '25.6 kop', '0 transc.', '61.0 kB', '23 %'],
      [
        '6',
        'r = h @ p["wh"]',
        '51.2 kop',
        '512 × 100',
        '0 transc.',
        '115 kB',
        '46 %'
      ],
      [
        '7',
        'h = jnp.tanh(a + r + p["b"])',
        '3.2 kop',
        '1.6 k transc.',
        '51.5 kB',
        '31 %'
      ],
      [
        '11',
        'return jax.nn.softmax(h @ p["wo"]), hs',
        '143 op',
        'once',
        '4 transc.',
        '500 B',
        '0.2 %'
      ]
    ]);
    expect(words(node.querySelector('.jp-JaxprCost-asides'))).toBe(
      'Transcendental operations are counted separately. In the shares, a transcendental operation counts as 20 operations. Bytes are counted for each equation alone. Fusion by XLA saves some of these bytes.'
    );
  });

  it('says of no total that it is that of a step', () => {
    const { node } = view({ per_trip: ['while_loop'] });
    const total = node.querySelector('.jp-JaxprCost-row.jp-mod-total');
    expect(words(total)).toContain('80.1 kop');
    expect(words(total)).not.toContain('per step');
  });

  it('begins with the table where an older document has no sentences', () => {
    const { node } = view({ lead: undefined });
    expect(node.querySelector('.jp-JaxprCost-lead')).toBeNull();
    expect(rows(node)).toHaveLength(4);
  });

  it('has a range for a line whose branch may not be taken', () => {
    const { node } = view({
      flops_min: 0,
      by_line: [row({ label: 'y', frame: 1, flops: 80143, flops_min: 0 })]
    });
    expect(rows(node)[0]).toContain('0 to 80.1 kop');
    expect(words(node)).toContain(
      'A range spans the cheapest and the most expensive branches. Shares refer to the total with the most expensive branches.'
    );
  });

  it('sorts by each amount, and back to the order of the lines', () => {
    const { node } = view();
    const [flops, transcendentals, bytes] = node.querySelectorAll(
      '.jp-JaxprCost-heads button'
    );
    const lines = (): string[] => rows(node).map(([number]) => number);
    click(flops);
    expect(lines()).toEqual(['6', '5', '7', '11']);
    expect(flops.parentElement?.getAttribute('aria-sort')).toBe('descending');
    click(flops);
    expect(lines()).toEqual(['11', '7', '5', '6']);
    click(flops);
    expect(lines()).toEqual(['5', '6', '7', '11']);
    click(transcendentals);
    expect(lines()).toEqual(['7', '11', '5', '6']);
    expect(rows(node)[0]).toContain('100 %');
    click(bytes);
    expect(lines()).toEqual(['6', '5', '7', '11']);
    expect(rows(node)[0]).toContain('50 %');
  });

  it('sums by primitive and by scope as well', () => {
    const { node } = view();
    expect(byRole(node, 'group', 'Sum the cost by')[0].textContent).toBe(
      'lineprimitivescope'
    );
    click(byRole(node, 'button', 'primitive')[0]);
    expect(rows(node).map(([label, amount]) => `${label}: ${amount}`)).toEqual([
      'dot_general: 76.9 kop',
      'tanh: 0 op',
      'add: 3.2 kop'
    ]);
    click(byRole(node, 'button', 'scope')[0]);
    expect(byRole(node, 'treegrid', 'Cost by scope')).toHaveLength(1);
    expect(
      [...node.querySelectorAll('[data-key]')].map(one => [
        one.getAttribute('aria-level'),
        words(one.querySelector('.jp-JaxprCost-label'))
      ])
    ).toEqual([
      ['1', 'rnn'],
      ['2', 'scan × 100']
    ]);
  });

  it('shows the dearest of very many lines, and all when asked', () => {
    const by_line = Array.from({ length: 400 }, (_, at) =>
      row({ label: `x${at}`, flops: at, frame: 1 })
    );
    const { node } = view({ by_line });
    expect(rows(node)).toHaveLength(300);
    expect(rows(node)[0][1]).toBe('x100');
    click(byRole(node, 'button', 'Show all 400 rows')[0]);
    expect(rows(node)).toHaveLength(400);
  });

  it('sums by name stack, and finds its equations inside what calls them', () => {
    const base = rnnSnapshot();
    const strings = [...base.strings, 'model', 'layer'];
    const [outer, inner] = base.scopes;
    const [model_, layer] = [strings.length - 2, strings.length - 1];
    const costs = [
      rnnCost({
        by_name_stack: [
          node_({ label: 'rnn', flops: 80_143 }),
          node_({ label: 'model', parent: 0, flops: 80_000 }),
          node_({ label: 'layer', parent: 1, flops: 51_200 })
        ]
      })
    ];
    const { model, node } = shown({
      ...base,
      strings,
      costs,
      scopes: [
        { ...outer, name_stack: [2, model_] },
        { ...inner, name_stack: [layer] }
      ]
    });
    click(byRole(node, 'button', 'name stack')[0]);
    const [, second, third] = node.querySelectorAll('[data-key]');
    click(third);
    expect(model.selection).toMatchObject({
      equations: [{ scope: 1, equation: 0 }]
    });
    click(second);
    expect(model.selection).toMatchObject({
      equations: [
        { scope: 0, equation: 1 },
        { scope: 1, equation: 0 }
      ]
    });
  });

  it('marks the equations of a row, by the arrows too, and goes to its line', () => {
    const { model, node } = view();
    const wanted: number[] = [];
    screenStateOf(model).cellWanted.connect((_, span) =>
      wanted.push(span.line)
    );
    const [first, second] = node.querySelectorAll<HTMLElement>('[data-key]');
    act(() => first.focus());
    press(first, 'ArrowDown');
    expect(document.activeElement).toBe(second);
    expect(second.getAttribute('aria-selected')).toBe('true');
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 1, equation: 0 }]
    });
    press(second, 'Enter');
    expect(wanted).toEqual([6]);
    press(second, 'End');
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 0, equation: 0 }]
    });
  });

  it('shows which line is pointed at elsewhere', () => {
    const { model } = view();
    model.setSelection({
      kind: 'equations',
      equations: [{ scope: 1, equation: 0 }]
    });
    const { node } = render(
      <Cost model={model} openProgram={() => undefined} trans={trans} />
    );
    expect(
      [...node.querySelectorAll('[data-linked]')].map(one =>
        words(one.querySelector('.jp-JaxprCost-place'))
      )
    ).toEqual(['6']);
  });

  it('draws the scopes as bars inside each other, which lead to the program', () => {
    const { model, node, opened } = view();
    const bars = byRole(section(node, 'Cost by scope'), 'button');
    expect(bars.map(one => one.getAttribute('aria-label'))).toEqual([
      'rnn: 80.1\u00a0kop, 1.6\u00a0k transc., 100\u00a0%',
      'scan ×\u00a0100: 80.0\u00a0kop, 1.6\u00a0k transc., 100\u00a0%'
    ]);
    act(() => bars[0].focus());
    press(bars[0], 'ArrowDown');
    expect(document.activeElement).toBe(bars[1]);
    press(bars[1], 'Enter');
    expect(opened()).toBe(1);
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 1, equation: 0 }]
    });
  });
});

describe("XLA's own count", () => {
  const table = (node: HTMLElement): string[][] =>
    [...node.querySelectorAll('.jp-JaxprCost-xla tr')].map(one =>
      [...one.children].map(words)
    );

  it('stands beside ours, with the reason', () => {
    const { node } = view();
    expect(words(section(node, "XLA's count of operations"))).toContain(
      'XLA counts 945 operations.'
    );
    expect(table(node)).toEqual([
      ['operations', 'this panel', 'XLA'],
      [
        'XLA counts the body of a loop once, however many steps the loop has. line 10',
        '800 × 100',
        '802 × 1'
      ],
      ['all other operations', '143', '143'],
      ['total', '80,143', '945']
    ]);
  });

  it('is said to be the same where it is, and to be unknown where there is none', () => {
    const same = { flops: 80143, transcendentals: null, bytes: null };
    const { node } = view({ xla: { ...same, differences: [] } });
    expect(words(section(node, "XLA's count of operations"))).toContain(
      "XLA's cost_analysis() also gives: transcendentals unknown, bytes accessed unknown."
    );
    expect(table(node)).toEqual([]);
    expect(
      words(section(view({ xla: null }).node, "XLA's count of operations"))
    ).toContain('The program was not compiled, or XLA gives no cost analysis.');
  });

  it('has no rest where a part of it is unknown', () => {
    const { node } = view({
      xla: {
        flops: 945,
        transcendentals: 0,
        bytes: 0,
        differences: [
          {
            kind: 'custom_call',
            text: 'XLA calls a library.',
            ours: 70_000,
            xla: null,
            frame: -1,
            runs: null
          },
          {
            kind: 'branches',
            text: 'XLA takes the dearest branch.',
            ours: null,
            xla: null,
            frame: -1,
            runs: null
          }
        ]
      }
    });
    expect(table(node).slice(1)).toEqual([
      ['XLA calls a library.', '70,000', 'unknown'],
      ['XLA takes the dearest branch.'],
      ['total', '80,143', '945']
    ]);
  });
});

describe('memory', () => {
  it("is XLA's first, then an estimate by line", () => {
    const { node } = view();
    const memory = section(node, 'Memory');
    expect([...memory.querySelectorAll('dl > div')].map(words)).toEqual([
      'arguments5.1 kB',
      'results6.4 kB',
      'temporaries300 B',
      'compiled codeunknown',
      'aliased (donated)0 B'
    ]);
    expect(words(memory)).toContain('The peak is 11.8 kB. line 10');
    expect(words(memory.querySelector('table'))).toBe(
      'live arraylinesizeargument xs f32[100,8]3.2 kB'
    );
  });

  it('has what grad keeps, and large constants', () => {
    const { memory } = rnnCost();
    const { node } = view({
      memory: memory && {
        ...memory,
        residuals: [
          {
            type: 'f32[100,16]',
            count: 2,
            bytes: 12_800,
            name: 'tanh',
            frame: 2
          }
        ],
        residual_bytes: 12_800,
        constants: 4_000_000
      }
    });
    const text = words(section(node, 'Memory'));
    expect(text).toContain(
      'The forward pass keeps residuals of 12.8 kB for the backward pass.'
    );
    expect(text).toContain('tanh 2 × f32[100,16]line 712.8 kB');
    expect(text).toContain(
      'The function captures constants with a size of 4.0 MB from outside of its arguments.'
    );
  });

  it('is unknown where it could not be had', () => {
    expect(words(section(view({ memory: null }).node, 'Memory'))).toContain(
      'The memory of this program is unknown'
    );
  });
});

describe('the roofline', () => {
  const known = machine({ flops: 1e11, bandwidth: 2e10 });
  const roofline = (changes: Partial<Snapshot>): string =>
    words(section(shown(rnnSnapshot(changes)).node, 'Roofline'));

  it('has the program at its intensity, until it has a warm time', () => {
    expect(roofline({ machine: known })).toContain(
      'The program is memory-bound: at 0.49 operations per byte, the roof is 9.8 Gop/s. Time the program in the Time tab to compare its speed with the roof. In the roofline, a transcendental operation counts as 20 operations.'
    );
    expect(roofline({ machine: known, timings: [programTiming()] })).toContain(
      'The program is memory-bound: at 0.49 operations per byte, the roof is 9.8 Gop/s. A warm call takes 0.10 ms and reaches 1.1 Gop/s, 11 % of the roof. In the roofline, a transcendental operation counts as 20 operations.'
    );
  });

  it('says when operations are the limit', () => {
    const text = roofline({
      machine: machine({ flops: 1e9, bandwidth: 1e10 })
    });
    expect(text).toContain(
      'The program is compute-bound: at 0.49 operations per byte, the roof is 1.0 Gop/s.'
    );
  });

  it('says why a program is over the roof, by what limits it', () => {
    const over = (flops: number, bandwidth: number): string =>
      roofline({
        machine: machine({ flops, bandwidth }),
        timings: [programTiming()]
      });
    expect(over(1e11, 1e9)).toContain(
      'The program is over the roof: XLA fuses equations, so fewer bytes move than the panel counted, and small arrays stay in caches.'
    );
    expect(over(1e8, 2e10)).toContain(
      'The program is over the roof: XLA removes operations of the jaxpr, or the program uses another dtype or more devices than the measurement.'
    );
  });

  it('does not place what is not one number', () => {
    const costs = [rnnCost({ per_trip: ['while_loop, line 10'] })];
    expect(
      roofline({ machine: known, timings: [programTiming()], costs })
    ).toContain(
      'the number of its operations is unknown or depends on the data'
    );
  });

  it('is measured when asked, and kept for later runs', async () => {
    const channel = new FakeChannel();
    const model = new JaxprModel(trans);
    model.setChannel(channel);
    channel.greets();
    channel.sends(rnnSnapshot());
    channel.answer = async () => answered(known);
    const { node } = render(
      <Cost model={model} openProgram={() => undefined} trans={trans} />
    );
    expect(words(section(node, 'Roofline'))).not.toContain('memory-bound');
    click(byRole(node, 'button', 'Measure this machine')[0]);
    await act(async () => {
      await Promise.resolve();
    });
    expect(channel.asked).toEqual([
      { type: 'machine', snapshot: 'run-1', confirmed: false }
    ]);
    expect(words(section(node, 'Roofline'))).toContain('memory-bound');
    expect(costsOf(model).machineOf(rnnSnapshot({ id: 'run-2' }))).toBe(known);
    model.dispose();
  });
});

describe('a program that was not counted', () => {
  it('is counted by the kernel, once', async () => {
    const channel = new FakeChannel();
    const model = new JaxprModel(trans);
    model.setChannel(channel);
    channel.greets();
    const snapshot = rnnSnapshot({ costs: [] });
    channel.sends(snapshot);
    let answer: (reply: AnyReply) => void = () => undefined;
    channel.answer = () => new Promise(done => (answer = done));
    const { node } = render(
      <Cost model={model} openProgram={() => undefined} trans={trans} />
    );
    const costs = costsOf(model);
    act(() => void costs.count(snapshot, 0));
    act(() => void costs.count(snapshot, 0));
    expect(channel.asked).toHaveLength(1);
    expect(words(node)).toContain(
      'Counting the operations of rnn (3 equations). The program does not run.'
    );
    await act(async () => {
      answer(answered(rnnCost()));
      await Promise.resolve();
    });
    expect(lead(node)).toBe('80.1 k operations per call. 64 % is on line 6.');
    model.dispose();
  });

  it('says what to do where no kernel can count it', () => {
    const { node } = shown(rnnSnapshot({ costs: [] }));
    expect(words(node)).toBe(
      'The cost of this program was not countedThe document holds no cost of this program, and no kernel is available to count the cost. Run the cell again.'
    );
  });
});

describe('heat', () => {
  it('is off at first, and its choice is kept', () => {
    const { model, node } = view();
    const button = byRole(node, 'button', 'Heat')[0];
    expect(button.getAttribute('aria-pressed')).toBe('false');
    click(button);
    expect(button.getAttribute('aria-pressed')).toBe('true');
    expect(window.localStorage.getItem('jupyter-jaxpr:heat')).toBe('shown');
    click(button);
    expect(costsOf(model).heat).toBe(false);
    expect(window.localStorage.getItem('jupyter-jaxpr:heat')).toBeNull();
  });
});
