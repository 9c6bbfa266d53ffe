/** Makes random edits in a cell that ran, and tests that each mark that remains stands on the same text as before. */
import { history, redo, undo } from '@codemirror/commands';
import { EditorState, Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import {
  ICellMarks,
  NO_CELL_MARKS,
  cellMarks,
  setCellMarks
} from '../../parts/drawn-marks';
import { MovedText, movedText, setRanText } from '../../parts/moved-text';

// jsdom computes no layout, so methods that measure text find nothing.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect = () => new DOMRect();

const SOURCE = `%%jaxpr
@jax.jit
def rnn(p, xs):
    def step(h, x):
        a = x @ p["wx"]
        r = h @ p["wh"]
        h = jnp.tanh(a + r + p["b"])
        return h, h

    h, hs = lax.scan(step, jnp.zeros(16), xs)
    return jax.nn.softmax(h @ p["wo"]), hs

y, hs = rnn(p, xs)
`;

interface ISpan {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  text: string;
}

/** Each word and each expression of the text. */
const SPANS: readonly ISpan[] = SOURCE.split('\n').flatMap((line, at) =>
  [...line.matchAll(/\w+|\w+ @ p\["\w+"\]|[\w.]+\([^()]*\)/g)].map(found => ({
    line: at + 1,
    column: found.index,
    endLine: at + 1,
    endColumn: found.index + found[0].length,
    text: found[0]
  }))
);

/** A generator of random numbers below a limit; one seed gives one sequence. */
function random(seed: number): (below: number) => number {
  return below => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((seed / 0x80000000) * below);
  };
}

const MARKS: ICellMarks = {
  ...NO_CELL_MARKS,
  spans: SPANS.map(({ text, ...span }) => ({ ...span, role: 'own' })),
  untraced: [4, 9],
  counts: [{ line: 13, parts: [{ kind: 'calls', text: '' }] }],
  notes: [{ line: 10, text: 'a note' }],
  types: SOURCE.split('\n').map((text, at) => ({
    line: at + 1,
    text: `type of ${at + 1}`,
    title: text.trim(),
    names: []
  }))
};

function open(doc: string): EditorView {
  const view = new EditorView({
    parent: document.body,
    state: EditorState.create({
      doc,
      extensions: [history({ newGroupDelay: 0 }), movedText, cellMarks]
    })
  });
  view.dispatch({
    effects: [setRanText.of(SOURCE), setCellMarks.of(MARKS)]
  });
  return view;
}

/** The spans whose text is as it ran, with their present text; the other spans were changed or deleted. */
function marked({ state }: EditorView): Map<ISpan, string> {
  const texts = new Map<ISpan, string>();
  const moved = state.field(movedText) as MovedText;
  for (const span of SPANS) {
    const { line, column, endLine, endColumn } = span;
    const range = moved.range(line, column, endLine, endColumn);
    if (range && !range.isChanged) {
      texts.set(span, state.doc.sliceString(range.from, range.to));
    }
  }
  return texts;
}

/** Lists every decoration of an editor as a text: its range, its properties and its widget. */
function drawnIn(state: EditorState): string[] {
  const all: string[] = [];
  for (const set of state.facet(EditorView.decorations)) {
    const at = typeof set === 'function' ? null : set.iter();
    for (; at?.value; at.next()) {
      const { widget, ...spec } = at.value.spec;
      all.push(`${at.from}-${at.to} ${JSON.stringify([spec, widget])}`);
    }
  }
  return all.sort();
}

/** Lists the decorations of a new editor with the same text, in which all marks are made anew instead of moved. */
function drawnAnew({ state }: EditorView): string[] {
  const moved = state.field(movedText);
  const anew = EditorState.create({
    doc: state.doc,
    extensions: [movedText.init(() => moved), cellMarks]
  });
  return drawnIn(anew.update({ effects: setCellMarks.of(MARKS) }).state);
}

/**
 * Lists the types at line ends that are not grey (a grey type belongs to an edited line), each with the text of its
 * line.
 */
function types(view: EditorView): string[] {
  return [
    ...view.dom.querySelectorAll<HTMLElement>(
      '.jp-JaxprCell-typed:not(.jp-mod-changed)'
    )
  ].map(
    line =>
      `${line.getAttribute('aria-description')} | ${line.textContent?.trim()}`
  );
}

type Edit = (view: EditorView, below: (number: number) => number) => void;

const PIECES = ['\n', 'a', ' ', '# note\n', '    h = x\n', ')', 'h @ p["wh"]'];

const EDITS: Readonly<Record<string, Edit>> = {
  insert: (view, below) => {
    const at = below(view.state.doc.length + 1);
    const insert = PIECES[below(PIECES.length)];
    view.dispatch({ changes: { from: at, insert } });
  },
  delete: (view, below) => {
    const from = below(view.state.doc.length + 1);
    const to = Math.min(view.state.doc.length, from + 1 + below(12));
    view.dispatch({ changes: { from, to } });
  },
  'delete a line': (view, below) => {
    const { doc } = view.state;
    const { from, to } = doc.line(1 + below(doc.lines));
    view.dispatch({ changes: { from, to: Math.min(doc.length, to + 1) } });
  },
  'move a line': (view, below) => {
    const { doc } = view.state;
    const { from, to, text } = doc.line(1 + below(doc.lines));
    const target = doc.line(1 + below(doc.lines)).from;
    if (target < from || target > to + 1) {
      view.dispatch({
        changes: [
          { from, to: Math.min(doc.length, to + 1) },
          { from: target, insert: `${text}\n` }
        ]
      });
    }
  },
  paste: (view, below) => {
    const { doc } = view.state;
    const from = below(doc.length + 1);
    const text = doc.sliceString(from, Math.min(doc.length, from + below(60)));
    const at = below(doc.length + 1);
    view.dispatch({ changes: { from: at, insert: text } });
  },
  'write anew': view => {
    const { doc } = view.state;
    view.dispatch({
      changes: { from: 0, to: doc.length, insert: doc.toString() }
    });
  },
  undo: view => void undo(view),
  redo: view => void redo(view)
};

afterEach(() => document.body.replaceChildren());

describe('a cell that is edited at random', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'keeps each mark on its text, gets all back by undo, and is the same after a reload (%i)',
    seed => {
      const below = random(seed + 1);
      const view = open(SOURCE);
      const all = types(view);
      expect(marked(view).size).toBe(SPANS.length);
      const names = Object.keys(EDITS);
      for (let i = 0; i < 25; i++) {
        const name = names[below(names.length)];
        EDITS[name](view, below);
        for (const [span, text] of marked(view)) {
          expect(`${name}: ${text}`).toBe(`${name}: ${span.text}`);
        }
        for (const shown of types(view)) {
          const [ran, now] = shown.split(' | ');
          expect(`${name}: ${now}`).toBe(`${name}: ${ran}`);
        }
        // The editor moves marks, and makes only the marks of edited lines anew: the result equals that of a new
        // editor.
        expect(drawnIn(view.state)).toEqual(drawnAnew(view));
        // After a reload of the page there are no edits to follow: the text that ran is compared with the present text.
        const now = Text.of(view.state.doc.toString().split('\n'));
        const reloaded = MovedText.between(SOURCE, now);
        for (const { line, column, endLine, endColumn, text } of SPANS) {
          const range = reloaded.range(line, column, endLine, endColumn);
          if (range && !range.isChanged) {
            expect(now.sliceString(range.from, range.to)).toBe(text);
          }
        }
      }
      while (undo(view)) {
        // `undo` takes back one edit, until none is left.
      }
      expect(view.state.doc.toString()).toBe(SOURCE);
      expect(marked(view).size).toBe(SPANS.length);
      expect(types(view)).toEqual(all);
      view.destroy();
    }
  );
});
