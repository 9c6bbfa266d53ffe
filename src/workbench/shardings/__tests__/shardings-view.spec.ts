import { nullTranslator } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { linksOf } from '../../../model/links';
import { JaxprModel } from '../../../model/model';
import {
  AnyReply,
  FakeChannel,
  answered
} from '../../../model/__tests__/fake-channel';
import { golden } from '../../../program-text/__tests__/documents';
import type { ProgramShardings, Snapshot } from '../../../protocol/snapshot';
import {
  act,
  byRole,
  click,
  press,
  words
} from '../../../parts/__tests__/render';
import { ShardingsView } from '..';
import { collective, shardings } from './spread';

const trans = nullTranslator.load('jupyter_jaxpr');

function spread(changes: Partial<ProgramShardings> = {}): Snapshot {
  return { ...golden('mlp-0.12'), shardings: [shardings(changes)] };
}

let opened: ShardingsView[] = [];

afterEach(() => {
  act(() => opened.forEach(view => view.dispose()));
  opened = [];
});

function open(snapshot: Snapshot): {
  model: JaxprModel;
  view: ShardingsView;
  node: HTMLElement;
  channel: FakeChannel;
  /** Has one entry for each time that the keyboard focus went back to the text. */
  left: readonly string[];
} {
  const channel = new FakeChannel();
  const model = new JaxprModel(trans);
  model.setChannel(channel);
  channel.greets();
  channel.sends(snapshot);
  const left: string[] = [];
  const leave = (): void => void left.push('left');
  const view = new ShardingsView({
    model,
    snapshot,
    program: 0,
    trans,
    leave
  });
  act(() => {
    Widget.attach(view, document.body);
    MessageLoop.flush();
  });
  opened.push(view);
  return { model, view, node: view.node, channel, left };
}

const head = (node: HTMLElement): HTMLElement => byRole(node, 'button')[0];

const options = (node: HTMLElement, list: string): string[] =>
  byRole(byRole(node, 'listbox', list)[0], 'option').map(words);

function flushed(does: () => void): void {
  act(() => {
    does();
    MessageLoop.flush();
  });
}

describe('shardings', () => {
  it('are one line until they are opened', () => {
    const { node } = open(spread());
    expect(words(head(node))).toBe(
      '▸ Shardings 8 devices · 2 collectives · results of 1.4 kB on each device per call'
    );
    expect(byRole(node, 'listbox')).toEqual([]);
  });

  it('are entered and left by the keyboard', () => {
    const { view, node, left } = open(spread());
    act(() => view.enter());
    expect(document.activeElement).toBe(head(node));
    expect(head(node).getAttribute('aria-expanded')).toBe('true');
    act(() => view.enter()); // the rows are open already, and stay open
    expect(head(node).getAttribute('aria-expanded')).toBe('true');
    press(byRole(node, 'listbox', 'Arrays')[0], 'Escape');
    expect(left).toEqual(['left']);
  });

  it('are listed, with the picture of the chosen array', () => {
    const { node } = open(spread());
    click(head(node));
    expect(options(node, 'Arrays').slice(0, 2)).toEqual([
      "argument x f32[8,16] P('data',) sharding set before compiling",
      'result result f32[4] P() sharding chosen by XLA'
    ]);
    const picture = (): string | null | undefined =>
      node.querySelector('svg')?.getAttribute('aria-label');
    expect(picture()).toMatch(
      /^x has the type f32\[8,16\] and the sharding P\('data',\)\. Devices 0, 1 hold \[0:2, 0:16\]\./
    );
    press(byRole(node, 'listbox', 'Arrays')[0], 'ArrowDown');
    expect(picture()).toBe(
      'result has the type f32[4] and the sharding P(). Every device holds the whole array: 0–7.'
    );
  });

  it('point at the equation that states one', () => {
    const { node, model } = open(spread());
    click(head(node));
    flushed(() => press(byRole(node, 'listbox', 'Arrays')[0], 'End'));
    expect(model.selection).toEqual({
      kind: 'equations',
      equations: [{ scope: 0, equation: 0 }]
    });
  });

  it('lead from a collective to its line, and preview it', () => {
    const { node, model } = open(spread());
    click(head(node));
    const [first, second] = byRole(node, 'listbox', 'Collectives')[0].children;
    expect(words(first as HTMLElement)).toMatch(
      /^HLO line 8 ?all-reduce result of 128 B/
    );
    expect(words(second as HTMLElement)).toContain(
      'result of 128 B on each device, 10 times per call'
    );
    flushed(() => click(first as HTMLElement));
    const line = { kind: 'text', level: 'hlo', line: 7, stack: -1 };
    expect(model.selection).toEqual(line);
    expect(first.getAttribute('aria-selected')).toBe('true');
    flushed(() =>
      second.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
    );
    expect(model.hover).toEqual({ ...line, line: 9 });
    flushed(() => press(byRole(node, 'listbox', 'Collectives')[0], 'End'));
    expect(model.selection).toEqual({ ...line, line: 9 });
  });

  it('say where nothing is exchanged, and what is not known', () => {
    const { node } = open(spread({ collectives: [] }));
    expect(words(head(node))).toBe('▸ Shardings 8 devices · 0 collectives');
    const lost = collective({
      bytes: null,
      sent: null,
      causes: [
        { bytes: null, op_name: '', file: '', line: null, equations: [] }
      ]
    });
    const other = open(
      spread({ collectives: [lost], bytes: null, sent: null })
    ).node;
    click(head(other));
    expect(options(other, 'Collectives')[0]).toContain(
      'size of the result unknown'
    );
    expect(options(other, 'Collectives')[0]).toContain('source line unknown');
  });

  it('are read by the kernel when they are opened, where they were not', async () => {
    const snapshot = spread({ collectives: null });
    const { node, channel } = open(snapshot);
    expect(words(head(node))).toBe('▸ Shardings 8 devices');
    let answer: (reply: AnyReply) => void = () => undefined;
    channel.answer = () => new Promise(resolve => (answer = resolve));
    click(head(node));
    expect(words(node)).toContain('Reading the collectives of the HLO …');
    expect(channel.asked).toEqual([
      { type: 'shardings', snapshot: snapshot.id, program: 0 }
    ]);
    await act(async () => {
      answer(answered(shardings()));
      await new Promise(resolve => setTimeout(resolve));
      MessageLoop.flush();
    });
    expect(options(node, 'Collectives')).toHaveLength(2);
    const linked = linksOf(snapshot, 0).resolve({
      kind: 'text',
      level: 'hlo',
      line: 7,
      stack: -1
    });
    expect([...linked.equations]).toEqual([1]);
  });
});

describe('links of collectives', () => {
  const links = linksOf(spread(), 0);

  it('lead from a line to the equations that caused it', () => {
    const linked = links.resolve({
      kind: 'text',
      level: 'hlo',
      line: 7,
      stack: -1
    });
    expect([...linked.equations]).toEqual([1]);
    expect([...linked.lines.hlo]).toEqual([7]);
  });

  it('lead back from an equation', () => {
    const equations = [{ scope: 0, equation: 1 }];
    const linked = links.resolve({ kind: 'equations', equations });
    expect([...linked.lines.hlo]).toEqual(expect.arrayContaining([7, 9]));
  });
});
