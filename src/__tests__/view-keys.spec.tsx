import { nullTranslator } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import { CellLinks } from '../editor/cell-links';
import { setEditing } from '../model/applied-cures';
import { FakeChannel } from '../model/__tests__/fake-channel';
import { FakeEditing } from '../model/__tests__/fake-editing';
import { JaxprModel } from '../model/model';
import { DiffTable } from '../panel/diff/diff-table';
import { Stepper } from '../panel/flow/stepper';
import { card } from '../panel/flow/stepper/__tests__/recordings';
import { ProgramView } from '../panel/program';
import { act, render } from '../parts/__tests__/render';
import { golden } from '../program-text/__tests__/documents';
import { programDiff } from '../protocol/__tests__/diffs';
import { recording, snapshot } from '../protocol/__tests__/documents';
import type { Snapshot } from '../protocol/snapshot';
import type { LevelName } from '../tokens';
import { TransformView } from '../transform/transform-view';
import { SourceCell } from '../side-by-side/cell-editor';
import { WideView } from '../side-by-side/side-by-side-view';
import type { LinkedView } from '../workbench/listing/linked-view';
import { shardings } from '../workbench/shardings/__tests__/spread';
import { showHelp } from '../workbench/reading/help-overlay';
import { RemoteControl } from '../plugins/presentation-keys';
import {
  IKeyEntry,
  KEYS,
  KeyPlace,
  keysIn,
  overlap,
  printed
} from '../view-keys';

/** The commands for which each place has handlers, and the commands that have acted. */
const mockHandled = new Map<string, string[]>();
const mockActed: string[] = [];

jest.mock('../view-keys', () => {
  type Acts = Record<string, () => boolean | void>;
  const real = jest.requireActual('../view-keys');
  const watched = (place: string, handlers: Acts): Acts => {
    mockHandled.set(place, Object.keys(handlers));
    return Object.fromEntries(
      Object.entries(handlers).map(([command, act]) => [
        command,
        () => {
          const did = act();
          if (did !== false) {
            mockActed.push(`${place}: ${command}`);
          }
          return did;
        }
      ])
    );
  };
  return {
    ...real,
    dispatchKey: (event: unknown, place: string, handlers: Acts) =>
      real.dispatchKey(event, place, watched(place, handlers)),
    keyBindings: (place: string, handlers: Acts) =>
      real.keyBindings(place, watched(place, handlers))
  };
});

const trans = nullTranslator.load('jupyter_jaxpr');
const actions = { copy: () => undefined, more: () => undefined };

// jsdom computes no layout and opens no windows.
const nowhere = (): DOMRectList => [] as unknown as DOMRectList;
Range.prototype.getClientRects = nowhere;
Range.prototype.getBoundingClientRect = () => new DOMRect();
HTMLDialogElement.prototype.showModal = () => undefined;

/** A document of a program over several devices that has all levels. */
const spread: Snapshot = { ...golden('rnn-0.12'), shardings: [shardings()] };

let opened: Widget[] = [];

afterEach(() => {
  keys?.stop();
  act(() => opened.forEach(view => view.dispose()));
  opened = [];
  links?.dispose();
  document.body.replaceChildren();
});

function modelOf(snapshot: Snapshot): JaxprModel {
  const channel = new FakeChannel();
  const model = new JaxprModel(trans);
  model.setChannel(channel);
  channel.greets();
  channel.sends(snapshot);
  return model;
}

async function shown<View extends LinkedView>(
  view: View,
  snapshot = spread
): Promise<View> {
  opened.push(view);
  await act(async () => {
    Widget.attach(view, document.body);
    view.model = modelOf(snapshot);
    MessageLoop.flush();
    await new Promise(resolve => setTimeout(resolve));
  });
  return view;
}

function found(root: Element, selector: string): Element {
  const element = root.querySelector(selector);
  if (!element) {
    throw new Error(`no ${selector}`);
  }
  return element;
}

async function listing(level: LevelName): Promise<Element> {
  const view = await shown(new ProgramView({ trans }));
  act(() => {
    (found(view.node, `button[data-level="${level}"]`) as HTMLElement).click();
    MessageLoop.flush();
  });
  return found(view.node, `.jp-JaxprProgram-listing[data-level="${level}"]`);
}

async function search(): Promise<Element> {
  const view = await shown(new ProgramView({ trans }));
  act(() =>
    (found(view.node, '[aria-label="Find in program"]') as HTMLElement).click()
  );
  return found(view.node, '.jp-JaxprProgram-search');
}

const wide = (): Promise<WideView> =>
  shown(
    new WideView({
      trans,
      actions,
      memory: {
        load: () =>
          Promise.resolve({
            order: ['source', 'jaxpr', 'stablehlo', 'hlo'],
            hidden: [],
            weights: { source: 1, jaxpr: 1, stablehlo: 1, hlo: 1 },
            together: true
          }),
        keep: () => undefined
      },
      python: () => Promise.resolve([])
    })
  );

function diff(): Element {
  const model = modelOf(golden('rnn-0.12'));
  return render(
    <DiffTable diff={programDiff()} model={model} open={null} trans={trans} />
  ).node;
}

function steps(): Element {
  const model = modelOf(
    snapshot({ control_flow: [card()], recordings: [recording()] })
  );
  return render(<Stepper model={model} card={card()} index={0} trans={trans} />)
    .node;
}

let keys: RemoteControl | null = null;

function presented(): Element {
  const act = (): void => undefined;
  keys = new RemoteControl({ next: act, previous: act, end: act });
  keys.start();
  return document.body;
}

let links: CellLinks | null = null;

/** The text of the cell that ran. */
function code(): Element {
  links = new CellLinks(trans);
  const { id, source } = spread.cell ?? { id: '', source: '' };
  const editor = new EditorView({
    parent: document.body,
    state: EditorState.create({
      doc: source,
      extensions: links.extension(id ?? '')
    })
  });
  links.follow(modelOf(spread), {
    source: () => source,
    find: () => id,
    goTo: () => Promise.resolve()
  });
  return editor.contentDOM;
}

/** The notebook's cell in the column of the source. */
function sourceCell(): Element {
  const { cell } = spread;
  const of: Snapshot = { ...spread, cell: cell && { ...cell, id: 'one' } };
  const model = modelOf(of);
  setEditing(model, new FakeEditing('one', cell?.source ?? ''));
  const host = { left: () => undefined };
  const opened = SourceCell.of(model, of, 'Source', host);
  document.body.append(opened?.node ?? '');
  return found(document.body, '.jp-JaxprWide-cell .cm-content');
}

/**
 * For each part of the page that handles keys, and for each view with this part: the element that receives the key.
 */
const STAGES: [KeyPlace, string, () => Element | Promise<Element>][] = [
  [
    'view',
    'the Program view',
    async () => (await shown(new ProgramView({ trans }))).node
  ],
  ['view', 'the wide view', async () => (await wide()).node],
  [
    'view',
    'the view of transforms',
    async () =>
      (
        await shown(
          new TransformView({ trans, actions }),
          golden('derived-0.12')
        )
      ).node
  ],
  [
    'text',
    'the Program view',
    async () => found(await listing('hlo'), '.cm-content')
  ],
  [
    'level',
    'the Program view',
    async () => found(await listing('hlo'), '.cm-content')
  ],
  [
    'shardings',
    'the Program view',
    async () => found(await listing('hlo'), '.jp-JaxprShardings button')
  ],
  ['search', 'the Program view', async () => found(await search(), 'button')],
  [
    'searchField',
    'the Program view',
    async () => found(await search(), 'input')
  ],
  [
    'level',
    'the wide view',
    async () => found((await wide()).node, '[data-level="hlo"] .cm-content')
  ],
  [
    'source',
    'the wide view',
    async () => found((await wide()).node, '.jp-JaxprWide-source .cm-content')
  ],
  [
    'divider',
    'the wide view',
    async () => found((await wide()).node, '[role="separator"]')
  ],
  ['sourceCell', 'the wide view', sourceCell],
  ['code', 'the notebook', code],
  ['diff', 'the Diff view', () => found(diff(), 'button')],
  ['diffLines', 'the Diff view', () => found(diff(), '[role="listbox"]')],
  ['presenting', 'the page', presented],
  ['stepper', 'the Flow view', () => found(steps(), 'input[type="range"]')]
];

/** Presses a key; `written` is the key as the table of keys (view-keys.ts) writes it, such as `Mod-f`. */
function press(node: Element, written: string): void {
  const parts = written.split('-');
  const last = parts[parts.length - 1];
  const isUpper = parts.includes('Shift') && last.length === 1;
  const key = isUpper ? last.toUpperCase() : last;
  act(() => {
    node.dispatchEvent(
      new KeyboardEvent('keydown', {
        key: key === 'Space' ? ' ' : key,
        keyCode: isUpper ? key.charCodeAt(0) : 0,
        altKey: parts.includes('Alt'),
        ctrlKey: parts.includes('Mod'),
        shiftKey: parts.includes('Shift') || key === '?',
        bubbles: true,
        cancelable: true
      })
    );
    MessageLoop.flush();
  });
}

const ENTRIES: readonly IKeyEntry[] = KEYS;
const PLACES = [...new Set(ENTRIES.flatMap(entry => entry.in))];

describe('the keys', () => {
  it('mean one thing wherever they are pressed', () => {
    const all = ENTRIES.flatMap(entry =>
      entry.in.flatMap(place =>
        Object.keys(entry.keys).map(key => ({ key, place }))
      )
    );
    const twice = all.filter((one, at) =>
      all.some(
        (other, otherAt) =>
          otherAt > at &&
          other.key === one.key &&
          overlap(other.place, one.place)
      )
    );
    expect(twice).toEqual([]);
  });

  it('hold in places that are known', () => {
    expect(PLACES.filter(place => !overlap(place, place))).toEqual([]);
    // The place `cell` has no listener of ours: plugins/editor.ts binds its key to a command of JupyterLab.
    expect(PLACES.filter(place => place !== 'cell').sort()).toEqual(
      [...new Set(STAGES.map(([place]) => place))].sort()
    );
  });

  it('are all listed by the help', () => {
    showHelp(trans, document.body, 'program');
    showHelp(trans, document.body, 'diff');
    const listed = [...document.querySelectorAll('dd')].map(
      ({ previousElementSibling: keys, textContent }) =>
        `${keys?.textContent}: ${textContent}`
    );
    expect(
      ENTRIES.map(
        ({ keys, mouse = [], does }) =>
          `${[...Object.keys(keys).map(printed), ...mouse].join(' ')}: ${does(trans)}`
      ).filter(line => !listed.includes(line))
    ).toEqual([]);
  });
});

describe.each(STAGES)('a key in the place %s of %s', (place, _, stage) => {
  it.each([...keysIn(place)])('%s acts as %s', async (key, command) => {
    const node = await stage();
    mockActed.length = 0;
    press(node, key);
    expect(mockActed).toEqual([`${place}: ${command}`]);
    expect([...(mockHandled.get(place) ?? [])].sort()).toEqual(
      [...new Set(keysIn(place).values())].sort()
    );
  });
});

describe('the letter of a key', () => {
  it('is written into a field, and acts nowhere', async () => {
    const input = found(await search(), 'input');
    mockActed.length = 0;
    press(input, '?');
    expect(mockActed).toEqual([]);
  });
});

describe('in a program over several devices', () => {
  const isOpen = (pane: Element): string | null =>
    found(pane, '.jp-JaxprShardings button').getAttribute('aria-expanded');

  it('s shows lines of source, and leaves the shardings closed', async () => {
    const pane = await listing('jaxpr');
    const text = found(pane, '.cm-content') as HTMLElement;
    text.focus();
    press(text, 's');
    expect(pane.querySelector('.jp-JaxprProgram-head')).not.toBe(null);
    expect(isOpen(pane)).toBe('false');
    expect(document.activeElement).toBe(text);
  });

  it('d opens the shardings and goes there, Escape comes back', async () => {
    const pane = await listing('jaxpr');
    const text = found(pane, '.cm-content') as HTMLElement;
    text.focus();
    press(text, 'd');
    expect(pane.querySelector('.jp-JaxprProgram-head')).toBe(null);
    expect(isOpen(pane)).toBe('true');
    const head = found(pane, '.jp-JaxprShardings button');
    expect(document.activeElement).toBe(head);
    press(head, 'Escape');
    expect(document.activeElement).toBe(text);
  });
});
