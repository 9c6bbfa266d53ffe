/** Tests that a key shows the facts about the expression at the caret, also as a text for screen readers. */
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';

import { JaxprModel } from '../../model/model';
import { golden } from '../../program-text/__tests__/documents';
import type { NamedValue, Snapshot } from '../../protocol/snapshot';
import { CellLinks } from '../cell-links';

const trans = nullTranslator.load('jupyter_jaxpr');

// jsdom computes no layout, so methods that measure text find nothing.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect = () => new DOMRect();

const RNN = golden('rnn-0.12');

/** Makes a run with named values; each name ends where its `text` first ends in the code of the cell. */
function withNames(
  ...names: [text: string, kind: NamedValue['kind'], type: string][]
): Snapshot {
  const strings = [...RNN.strings];
  const frames = [...RNN.frames];
  const file = RNN.files.findIndex(({ kind }) => kind === 'cell');
  const lines = RNN.cell?.source.split('\n') ?? [];
  const string = (text: string): number => strings.push(text) - 1;
  const named_values = names.map(([text, kind, type]) => {
    const at = lines.findIndex(line => line.includes(text));
    const name = kind === 'returned' ? '' : text.trim().split(' ')[0];
    const column = lines[at].indexOf(name === '' ? 'return' : name);
    const end = column + (name.length || 6);
    return {
      frame: frames.push([file, string('f'), at + 1, column, at + 1, end]) - 1,
      name: string(name),
      kind,
      scope: RNN.programs[0].scope,
      types: [string(type)]
    };
  });
  return { ...RNN, strings, frames, named_values };
}

let links: CellLinks;

function open(snapshot: Snapshot): EditorView {
  links = new CellLinks(trans);
  const source = snapshot.cell?.source ?? '';
  const id = snapshot.cell?.id ?? '';
  const view = new EditorView({
    parent: document.body,
    state: EditorState.create({ doc: source, extensions: links.extension(id) })
  });
  const model = new JaxprModel(trans);
  model.show(snapshot, true);
  links.follow(model, {
    source: () => view.state.doc.toString(),
    find: () => id,
    goTo: () => Promise.resolve()
  });
  return view;
}

/** Replaces non-breaking spaces by spaces. */
function plain(text: string | null | undefined): string {
  return (text ?? '').replace(/\u00a0/g, ' ');
}

/** Presses the key with the caret after the first characters of a text, and returns the shown lines. */
async function asked(
  view: EditorView,
  text: string,
  after = 0
): Promise<string[]> {
  const anchor = view.state.doc.toString().indexOf(text) + after;
  view.focus();
  view.dispatch({ selection: { anchor } });
  view.contentDOM.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'F1', shiftKey: true, bubbles: true })
  );
  const shown = (): Element | null =>
    view.dom.querySelector('.jp-JaxprCell-expression');
  // The code that makes the card is loaded when the key is pressed, so the card appears later.
  while (shown() === null) {
    await new Promise(resolve => setTimeout(resolve));
  }
  return [...(shown()?.querySelectorAll('div, li') ?? [])].map(
    ({ textContent }) => plain(textContent)
  );
}

afterEach(() => {
  links.dispose();
  document.body.replaceChildren();
});

const UNKNOWN = [
  'The run has no type and no equation for this place in the code.'
];

describe('an expression of a cell that ran', () => {
  it('has the type of the name that it gives its value, its equations, its operations', async () => {
    const view = open(withNames(['r = ', 'assigned', 'f32[16]']));
    const shown = [
      'h @ p["wh"]',
      'While JAX traced, r had the type f32[16] at this place.',
      '1 equation comes from the expression.',
      'The cost of the equations is 51.2 kop, 46 % of the total cost of the program.',
      'o:f32[16] = dot_general l j'
    ];
    expect(await asked(view, '@ p["wh"]')).toEqual(shown);
    // The text for screen readers has the same lines as the card.
    const said = view.dom.querySelector('.cm-announced')?.textContent;
    expect(plain(said)).toBe(shown.join('\n'));
    // When the caret moves, the card closes.
    view.dispatch({ selection: { anchor: 0 } });
    expect(view.dom.querySelector('.jp-JaxprCell-expression')).toBe(null);
  });

  it('has the types of its equations where no name says the type of its value', async () => {
    const view = open(withNames(['h = jnp', 'assigned', 'f32[16]']));
    expect(await asked(view, 'a + r')).toEqual([
      'a + r',
      'While JAX traced, the result of the expression had the type f32[16].',
      '1 equation comes from the expression.',
      'The cost of the equations is 1.6 kop, 1 % of the total cost of the program.',
      'p:f32[16] = add n o'
    ]);
    expect(await asked(view, 'jax.nn.softmax')).toEqual([
      'jax.nn.softmax(h @ p["wo"])',
      'While JAX traced, the result of the expression had the type f32[4].',
      '9 equations come from the expression.',
      'The cost of the equations is 15 op, 4 transc., 0.1 % of the total cost of the program.',
      't:f32[] = reduce_max s',
      'u:f32[] = max -inf:f32[] t',
      'v:f32[1] = broadcast_in_dim u',
      'w:f32[1] = stop_gradient v',
      'x:f32[4] = sub s w',
      'y:f32[4] = exp x',
      '3 more equations of the expression are not listed.'
    ]);
    expect(await asked(view, 'y, hs =', 1)).toEqual(UNKNOWN);
  });

  it('is a name, with its type alone', async () => {
    const view = open(withNames(['a = ', 'assigned', 'f32[16]{weak}']));
    expect(await asked(view, 'a = x @')).toEqual([
      'a',
      'While JAX traced, a had the type f32[16]{weak} at this place.'
    ]);
    expect(await asked(view, 'r = h @')).toEqual(UNKNOWN);
  });

  it('is known where the text moved, and unknown where it is another one now', async () => {
    const view = open(RNN);
    view.dispatch({ changes: { from: 0, insert: '# first\n' } });
    expect((await asked(view, 'h @ p["wh"]'))[0]).toBe('h @ p["wh"]');
    const from = view.state.doc.toString().indexOf('h @ p["wh"]');
    view.dispatch({ changes: { from, to: from + 1, insert: 'a' } });
    expect(await asked(view, '@ p["wh"]')).toEqual(UNKNOWN);
  });

  it('has no type of a name where Python does not show names, which is said', async () => {
    const environment = { ...RNN.environment, python: '3.11.9' };
    const sentence =
      'Types of names beside the code need Python 3.12 or newer; the kernel has Python 3.11.9. ' +
      'Expressions are linked to their equations, and each equation shows its types.';
    const view = open({ ...RNN, environment });
    expect(await asked(view, 'y, hs =', 1)).toEqual([...UNKNOWN, sentence]);
  });

  it('is never markup', async () => {
    const [line] = RNN.cell?.source.split('\n').slice(5, 6) ?? [];
    const name = '<img src=x onerror=alert(1)>';
    const snapshot = withNames(['r = ', 'assigned', name]);
    expect(line).toContain('r = h');
    const view = open(snapshot);
    expect((await asked(view, '@ p["wh"]'))[1]).toContain(name);
    expect(view.dom.querySelector('img[src]')).toBe(null);
  });
});
