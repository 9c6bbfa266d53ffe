import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { screenStateOf } from '../../../model/screen-state';
import { JaxprModel } from '../../../model/model';
import { FakeChannel, answered } from '../../../model/__tests__/fake-channel';
import {
  ledgerCounts,
  ledgerFunction,
  ledgerMiss,
  snapshot,
  snapshotWithLedger
} from '../../../protocol/__tests__/documents';
import { Ledger, Snapshot } from '../../../protocol/snapshot';
import {
  act,
  byRole,
  click,
  press,
  render,
  words
} from '../../../parts/__tests__/render';
import { filledViews } from '../../shell/filled-views';
import { Cache } from '../cache-view';

const trans = nullTranslator.load('jupyter_jaxpr');

afterEach(() => {
  document.body.replaceChildren();
});

function withKernel(document: Snapshot): {
  model: JaxprModel;
  channel: FakeChannel;
} {
  const channel = new FakeChannel();
  const model = new JaxprModel(trans);
  model.setChannel(channel);
  channel.greets();
  channel.sends(document);
  return { model, channel };
}

function shown(document: Snapshot): { model: JaxprModel; node: HTMLElement } {
  const model = new JaxprModel(trans);
  model.show(document, false);
  return { model, node: render(<Cache model={model} trans={trans} />).node };
}

const view = (changes: Partial<Ledger> = {}) =>
  shown(snapshotWithLedger(changes));

/** Lists the rows below the column headings, each as its `aria-level` and its words. */
function rows(node: HTMLElement): string[] {
  return [...node.querySelectorAll<HTMLElement>('[data-kind]')].map(
    row => `${row.ariaLevel ?? row.getAttribute('aria-level')} ${words(row)}`
  );
}

function row(node: HTMLElement, text: string): HTMLElement {
  const found = [...node.querySelectorAll<HTMLElement>('[data-kind]')].find(
    one => words(one).includes(text)
  );
  if (found === undefined) {
    throw new Error(`no row with ${text}`);
  }
  return found;
}

function type(node: HTMLElement, text: string): void {
  const box = node.querySelector<HTMLInputElement>('input[type=search]');
  const set = Object.getOwnPropertyDescriptor(
    HTMLInputElement.prototype,
    'value'
  )?.set;
  act(() => {
    set?.call(box, text);
    box?.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

describe('the Cache view', () => {
  it('says first what it cost, and then of what and why', () => {
    const { node } = view();
    expect(words(node.querySelector('.jp-JaxprCache-lead'))).toBe(
      '2 compiles: tracing, lowering and compiling took 314 ms.'
    );
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'trace: 30\u00a0ms, lower: 24\u00a0ms, compile: 260\u00a0ms, the rest of the time of the cell: 239\u00a0ms'
    );
    expect(rows(node)).toEqual([
      '1 train_step line 31212 calls1010 hits22 entries22 compiles314 ms',
      '2 compiled: first call batch: f32[32,3] · 8 later hits155 ms',
      '2 compiled: shape batch: f32[32,3] → f32[17,3] · 2 later hitsPad the array to one shape.159 ms',
      '2 2 cache entries',
      '3 batch: f32[32,3]8 hits · 1 miss · entry made in this run',
      '3 batch: f32[17,3]2 hits · 1 miss · entry made in this run'
    ]);
    const change = row(node, 'shape');
    expect([...change.querySelectorAll('b')].map(words)).toEqual([
      'batch',
      '32',
      '17'
    ]);
  });

  it('does not count entries of which it is unknown whether JAX holds them', () => {
    const entries = ledgerFunction().entries.map((entry, at) => ({
      ...entry,
      held: at > 0 ? null : true
    }));
    const { node } = view({ functions: [ledgerFunction({ entries })] });
    expect(rows(node)[0]).toContain('entries unknown');
    expect(rows(node).slice(-1)[0]).toContain('JAX may have dropped');
  });

  it('has the programs of operations outside of jit in the same account', () => {
    const { node } = view({ small_programs: 14, small_seconds: 0.2 });
    expect(byRole(node, 'img')[0].getAttribute('aria-label')).toBe(
      'trace: 30\u00a0ms, lower: 24\u00a0ms, compile: 260\u00a0ms, small programs outside of jit: 200\u00a0ms, the rest of the time of the cell: 39\u00a0ms'
    );
    // The `flexGrow` values add up to 100, so the stages fill the bar although they took less than a second.
    const widths = [
      ...node.querySelectorAll<HTMLElement>('.jp-JaxprPanel-stage')
    ].map(stage => Math.round(Number(stage.style.flexGrow)));
    expect(widths).toEqual([5, 4, 47, 36, 7]);
  });

  it('does not tell of lower bounds of zero', () => {
    const run = ledgerCounts({ calls: 4, calls_exact: false, hits: 0 });
    const { node } = view({
      functions: [ledgerFunction({ run, misses: [], entries: [] })]
    });
    expect(rows(node)[0]).toContain('≥4≥4 callsunknownhits unknown');
  });

  it('says so where nothing compiled, with lower bounds as such', () => {
    const run = ledgerCounts({ calls: 4, calls_exact: false, hits: 4 });
    const { node } = view({
      functions: [ledgerFunction({ run, misses: [], entries: [] })],
      compiles: 0,
      seconds: 0,
      calls_note: 'Calls are lower bounds.',
      lead: 'No jitted function of yours compiled.'
    });
    expect(words(node.querySelector('.jp-JaxprCache-lead'))).toBe(
      'No jitted function of yours compiled.'
    );
    expect(words(node)).toContain('Calls are lower bounds.');
    expect(rows(node)).toEqual([
      '1 train_step line 3≥4≥4 calls≥4≥4 hits00 entries00 compiles'
    ]);
  });

  it('lists the edits that end a miss, and how sure they are', () => {
    const cures = [
      {
        name: 'one type',
        code: 'f(x, jnp.asarray(1.0, dtype=jnp.float32))',
        text: 'Both calls share one cache entry.',
        level: 'applies' as const,
        edits: [{ frame: 0, text: 'jnp.asarray(1.0, dtype=jnp.float32)' }]
      }
    ];
    const { node } = view({
      functions: [ledgerFunction({ misses: [ledgerMiss({ cures })] })]
    });
    expect([...node.querySelectorAll('dd')].map(words)).toEqual([
      'Cell [7], line 3f(x, jnp.asarray(1.0, dtype=jnp.float32))Both calls share one cache entry.'
    ]);
    expect(words(node.querySelector('dt'))).toBe(
      'one type Applies without changes'
    );
  });

  it('has the kernel try cures once, when a miss is chosen', () => {
    const { model, channel } = withKernel(snapshotWithLedger());
    channel.answer = () => new Promise(() => undefined);
    const { node } = render(<Cache model={model} trans={trans} />);
    expect(channel.asked).toEqual([]);
    click(row(node, 'shape'));
    click(row(node, 'first call'));
    expect(channel.asked).toEqual([
      { type: 'cures', snapshot: model.snapshot?.id }
    ]);
  });

  it('has the kernel try cures again, when the chosen miss is chosen', async () => {
    const document = snapshotWithLedger();
    const { model, channel } = withKernel(document);
    channel.answer = () => Promise.resolve(answered({ ...document }));
    const { node } = render(<Cache model={model} trans={trans} />);
    for (const chosen of ['shape', 'first call', 'first call']) {
      click(row(node, chosen));
      await act(async () => undefined);
    }
    const question = { type: 'cures', snapshot: document.id };
    expect(channel.asked).toEqual([question, question]);
  });

  it('is a sentence where there is no ledger, and where it is empty', () => {
    expect(words(shown(snapshot()).node)).toBe(
      'The jit cache was not observed in this run.'
    );
    const { node } = view({ functions: [], compiles: 0, seconds: 0 });
    expect(words(byRole(node, 'treegrid')[0])).toContain(
      'No function that you jitted was called yet.'
    );
  });

  it('keeps its tab while Live shows the program as written, and says what to do', () => {
    const { model } = withKernel(snapshotWithLedger());
    expect(filledViews(model)).toContain('cache');
    model.showWritten({ ...snapshot(), id: 'written' });
    expect(filledViews(model)).toContain('cache');
    const { node } = render(<Cache model={model} trans={trans} />);
    expect(words(node)).toBe(
      'The panel shows the program of code that has not run. Run the cell to see the cache.'
    );
  });

  it('keeps what is from before folded: misses, and functions', () => {
    const before = ledgerFunction({
      name: 'older',
      run: ledgerCounts(),
      misses: [ledgerMiss({ this_run: false })]
    });
    const now = ledgerFunction();
    now.misses.unshift(ledgerMiss({ this_run: false }));
    now.misses_left_out = 3;
    const { node } = view({ functions: [now, before] });
    click(row(node, '2 cache entries'));
    expect(rows(node).slice(3)).toEqual([
      '2 2 cache entries',
      '2 4 earlier misses and slow hits',
      '1 1 function called only in earlier runs'
    ]);
    click(row(node, 'earlier misses'));
    click(row(node, 'function called only in earlier runs'));
    expect(
      rows(node)
        .slice(4)
        .map(text => text.slice(0, 44))
    ).toEqual([
      '2 4 earlier misses and slow hits',
      '3 3 older misses and slow hits are counted b',
      '3 compiled: first call batch: f32[32,3] · 8 ',
      '1 1 function called only in earlier runs',
      '2 older line 31212 calls1010 hits22 entries2'
    ]);
  });

  it('sorts by its heads, and says so', () => {
    const cheap = ledgerFunction({
      name: 'cheap',
      run: ledgerCounts({ calls: 99, misses: 1, seconds: 0.001 }),
      entries: [],
      misses: []
    });
    const { node } = view({ functions: [cheap, ledgerFunction()] });
    const names = (): string[] =>
      [...node.querySelectorAll('[data-kind=function] b')].map(words);
    const head = byRole(node, 'columnheader').find(one =>
      words(one).startsWith('price')
    );
    expect(names()).toEqual(['cheap', 'train_step']);
    click(head?.querySelector('button') ?? null);
    expect(head?.getAttribute('aria-sort')).toBe('descending');
    expect(names()).toEqual(['train_step', 'cheap']);
    click(head?.querySelector('button') ?? null);
    expect(head?.getAttribute('aria-sort')).toBe('ascending');
    expect(names()).toEqual(['cheap', 'train_step']);
  });

  it('filters by function, by kind and by text', () => {
    const { node } = view({
      functions: [
        ledgerFunction(),
        ledgerFunction({ name: 'predict', misses: [], entries: [] })
      ]
    });
    const names = (): string[] =>
      rows(node).map(text => text.replace(/ line.*| f32.*/, ''));
    type(node, 'shape');
    expect(names()).toEqual(['1 train_step', '2 compiled: shape batch:']);
    type(node, 'predict');
    expect(names()).toEqual(['1 predict']);
    type(node, 'nowhere');
    expect(words(byRole(node, 'treegrid')[0])).toContain(
      'No row matches the filter.'
    );
  });

  it('is walked by the arrows, which mark the line in the cell', () => {
    const { model, node } = view();
    const wanted: number[] = [];
    screenStateOf(model).cellWanted.connect((_, { line }) => wanted.push(line));
    const focus = (): string => words(document.activeElement).slice(0, 20);
    act(() => row(node, 'train_step').focus());
    press(document.activeElement, 'ArrowDown');
    expect(focus()).toBe('compiled: first call');
    expect(model.selection).toEqual({
      kind: 'caret',
      cellId: 'cell-7',
      line: 4,
      column: 0
    });
    expect(screenStateOf(model).pointedAt?.line).toBe(4);
    expect(words(document.activeElement)).toContain(
      'line 4 · trace 20 ms · lower 15 ms · compile 120 ms · the whole call took 156 ms'
    );
    expect(document.activeElement?.getAttribute('aria-selected')).toBe('true');
    expect(wanted).toEqual([]);
    press(document.activeElement, 'Enter');
    expect(wanted).toEqual([4]);
    press(document.activeElement, 'ArrowLeft');
    expect(focus()).toMatch(/^train_step/);
    press(document.activeElement, 'ArrowLeft');
    expect(document.activeElement?.getAttribute('aria-expanded')).toBe('false');
    expect(rows(node)).toHaveLength(1);
    press(document.activeElement, 'ArrowRight');
    expect(rows(node)).toHaveLength(6);
    press(document.activeElement, 'End');
    expect(focus()).toBe('batch: f32[17,3]2 hi');
    press(document.activeElement, 'ArrowLeft');
    expect(focus()).toBe('2 cache entries');
    expect(
      [...node.querySelectorAll('[data-kind][tabindex="0"]')].map(words)
    ).toEqual(['2 cache entries']);
    press(document.activeElement, 'ArrowLeft');
    expect(rows(node)).toHaveLength(4);
  });

  it('shows library functions by name when asked', () => {
    const { node } = view({
      library_functions: ['_threefry_split', 'linalg.norm'],
      library_misses: 5
    });
    const button = byRole(node, 'button', 'Show the library functions')[0];
    expect(words(button.parentElement)).toBe(
      '5 cache misses of functions inside JAX or other packages ' +
        'are not counted above. Show the library functions'
    );
    click(button);
    expect([...node.querySelectorAll('li')].map(words)).toEqual([
      '_threefry_split',
      'linalg.norm'
    ]);
  });
});

describe('prediction', () => {
  it('hides what happened until it is guessed, row by row', () => {
    const { model, node } = view();
    click(byRole(node, 'button', 'Predict')[0]);
    expect(screenStateOf(model).outcomesHidden).toBe(true);
    expect(words(node.querySelector('.jp-JaxprCache-lead'))).toBe(
      'Guess whether each call hit or missed the cache.'
    );
    expect(rows(node)).toEqual([
      '1 train_step line 31212 callsoutcome not guessed yet',
      '2 call batch: f32[32,3] · line 4hit miss',
      '2 8 more calls with the same signature batch: f32[32,3]hit miss',
      '2 call batch: f32[17,3] · line 4hit miss',
      '2 2 more calls with the same signature batch: f32[17,3]hit miss'
    ]);
    expect(words(byRole(node, 'treegrid')[0])).not.toMatch(/\d compile|shape/);
    const score = (): string =>
      words(node.querySelector('.jp-JaxprCache-score'));
    expect(score()).toBe('outcomes left to guess: 4');

    click(byRole(node, 'button', 'miss')[0]);
    expect(score()).toBe('1 of 1 guess is right · outcomes left to guess: 3');
    expect(rows(node)[1]).toBe(
      '2 miss · your guess of hit or miss was rightcompiled: first call batch: f32[32,3]155 ms'
    );
    act(() => row(node, '8 more calls with the same signature').focus());
    press(document.activeElement, 'm');
    expect(score()).toBe(
      '1 of 2 guesses are right · outcomes left to guess: 2'
    );
    press(document.activeElement, 'ArrowDown');
    press(document.activeElement, 'm');
    press(document.activeElement, 'ArrowDown');
    press(document.activeElement, 'h');
    expect(score()).toBe('3 of 4 guesses are right');
    expect(screenStateOf(model).outcomesHidden).toBe(false);
    expect(words(node.querySelector('.jp-JaxprCache-lead'))).toBe(
      '2 compiles: tracing, lowering and compiling took 314 ms.'
    );

    click(byRole(node, 'button', 'Predict')[0]);
    expect(rows(node)).toHaveLength(6);
  });

  it('copies nothing that is still to be guessed', () => {
    const { node } = view();
    click(byRole(node, 'button', 'Predict')[0]);
    expect(
      byRole(node, 'button', 'Copy the table as text')[0].getAttribute(
        'aria-disabled'
      )
    ).toBe('true');
  });

  it('starts anew with the next run', () => {
    const model = new JaxprModel(trans);
    model.show(snapshotWithLedger(), false);
    const { node, redraw } = render(<Cache model={model} trans={trans} />);
    const score = (): string =>
      words(node.querySelector('.jp-JaxprCache-score'));
    click(byRole(node, 'button', 'Predict')[0]);
    click(byRole(node, 'button', 'miss')[0]);
    expect(score()).toBe('1 of 1 guess is right · outcomes left to guess: 3');
    model.show(snapshotWithLedger({}, { id: 'run-2' }), false);
    redraw(<Cache model={model} trans={trans} />);
    expect(score()).toBe('outcomes left to guess: 4');
    model.dispose();
  });
});
