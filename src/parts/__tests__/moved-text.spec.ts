/**
 * Tests the places of a text that ran, after random edits: every mark that remains stands on the same text as before.
 */
import { EditorState, Text } from '@codemirror/state';
import {
  history,
  moveLineDown,
  moveLineUp,
  redo,
  undo
} from '@codemirror/commands';
import * as fc from 'fast-check';

import { NO_CELL_MARKS, cellMarks, setCellMarks } from '../drawn-marks';
import { lineChanges } from '../line-changes';
import { MovedText, movedText, setRanText } from '../moved-text';

const RAN = `%%jaxpr
@jax.jit
def f(x, w):
    h = x @ w
    h = jnp.tanh(h)

    for row in h:
        y = row + 1
    return (h,
            y + 1)
f(x, w)`;

/** Puts marks on every word of the text, and types on every line. */
const MARKS = {
  ...NO_CELL_MARKS,
  spans: RAN.split('\n').flatMap((text, index) =>
    [...text.matchAll(/\w+|[^\w\s]+/g)].map(({ 0: word, index: column }) => ({
      line: index + 1,
      column,
      endLine: index + 1,
      endColumn: column + word.length,
      role: 'own' as const
    }))
  ),
  types: RAN.split('\n').flatMap((text, index) =>
    text === '' ? [] : [{ line: index + 1, text, title: text, names: [] }]
  )
};

function editor(text: string): EditorState {
  const state = EditorState.create({
    doc: text,
    extensions: [history(), movedText, cellMarks]
  });
  return state.update({
    effects: [setRanText.of(RAN), setCellMarks.of(MARKS)]
  }).state;
}

/** The texts under marks that are not grey, each with the text of the mark in the run. */
function marked(state: EditorState): { now: string; ran: string }[] {
  const moved = state.field(movedText) as MovedText;
  const ran = RAN.split('\n');
  return MARKS.spans.flatMap(({ line, column, endLine, endColumn }) => {
    const range = moved.range(line, column, endLine, endColumn);
    return range === null || range.isChanged
      ? []
      : [
          {
            now: state.sliceDoc(range.from, range.to),
            ran: ran[line - 1].slice(column, endColumn)
          }
        ];
  });
}

/** The types that are not grey, each with its line. */
function typed(state: EditorState): [string, string][] {
  const found: [string, string][] = [];
  state
    .field(cellMarks)
    .ofLines.between(0, state.doc.length, (from, _, mark) => {
      const { class: names, attributes } = mark.spec as {
        class?: string;
        attributes?: Record<string, string>;
      };
      const types = attributes?.['data-jaxpr-types'];
      if (types !== undefined && !names?.includes('jp-mod-changed')) {
        found.push([types, state.doc.lineAt(from).text.trimEnd()]);
      }
    });
  return found;
}

const place = fc.double({ min: 0, max: 1, noNaN: true });
const edit = fc.oneof(
  fc.record({
    kind: fc.constant('insert' as const),
    at: place,
    text: fc.constantFrom('x', ' ', '\n', '#', 'h = 1\n', '2')
  }),
  fc.record({ kind: fc.constant('delete' as const), at: place, size: place }),
  fc.record({
    kind: fc.constant('paste' as const),
    at: place,
    from: place,
    size: place
  }),
  fc.record({
    kind: fc.constantFrom('up' as const, 'down' as const),
    at: place
  }),
  fc.record({
    kind: fc.constantFrom('undo' as const, 'redo' as const, 'anew' as const)
  })
);

function applied(
  state: EditorState,
  change: typeof edit extends fc.Arbitrary<infer T> ? T : never
): EditorState {
  let result = state;
  const target = {
    state,
    dispatch: (transaction: { state: EditorState }) => {
      result = transaction.state;
    }
  };
  const { length } = state.doc;
  const at = 'at' in change ? Math.round(change.at * length) : 0;
  switch (change.kind) {
    case 'insert':
      return state.update({ changes: { from: at, insert: change.text } }).state;
    case 'delete': {
      const to = Math.min(length, at + Math.round(change.size * 30));
      return state.update({ changes: { from: at, to } }).state;
    }
    case 'paste': {
      const from = Math.round(change.from * length);
      const insert = state.sliceDoc(from, from + Math.round(change.size * 60));
      return state.update({ changes: { from: at, insert } }).state;
    }
    case 'up':
    case 'down': {
      target.state = state.update({ selection: { anchor: at } }).state;
      (change.kind === 'up' ? moveLineUp : moveLineDown)(target);
      return result;
    }
    case 'undo':
      undo(target);
      return result;
    case 'redo':
      redo(target);
      return result;
    case 'anew':
      // Replaces the whole text, as some editors do.
      return state.update({
        changes: { from: 0, to: length, insert: state.doc }
      }).state;
  }
}

describe('the places of a text that ran', () => {
  it('are on the same text after any edits, and all back after undo', () => {
    const all = marked(editor(RAN));
    expect(all).toHaveLength(MARKS.spans.length);
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), edits => {
        let state = editor(RAN);
        for (const one of edits) {
          state = applied(state, one);
          for (const { now, ran } of marked(state)) {
            expect(now).toBe(ran);
          }
          for (const [ran, now] of typed(state)) {
            expect(now).toBe(ran);
          }
        }
        for (let left = 100; left > 0 && state.doc.toString() !== RAN; left--) {
          const before = state;
          state = applied(state, { kind: 'undo' });
          if (state === before) {
            break;
          }
        }
        expect(state.doc.toString()).toBe(RAN);
        expect(marked(state)).toEqual(all);
        expect(state.field(movedText)?.isEdited).toBe(false);
      }),
      { numRuns: 300 }
    );
  });

  it('lead there and back', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 8 }), edits => {
        const state = edits.reduce(applied, editor(RAN));
        const moved = state.field(movedText) as MovedText;
        for (const { line, column, endLine, endColumn } of MARKS.spans) {
          const range = moved.range(line, column, endLine, endColumn);
          if (range && !range.isChanged) {
            const back = moved.ranPlace(range.to);
            expect(back).toEqual({ line, column: endColumn });
          }
        }
      }),
      { numRuns: 200 }
    );
  });

  it('are found again by the lines, as after a reload', () => {
    const now = RAN.replace('%%jaxpr', '# first\n%%jaxpr')
      .replace('jnp.tanh(h)', 'jnp.sin(h)')
      .replace('    for row in h:\n', '');
    const state = editor(now);
    expect(typed(state).map(([ran]) => ran.trim())).toEqual([
      '%%jaxpr',
      '@jax.jit',
      'def f(x, w):',
      'h = x @ w',
      'y = row + 1',
      'return (h,',
      'y + 1)',
      'f(x, w)'
    ]);
    expect(state.field(movedText)?.ranPlace(2)).toBeNull();
  });

  it('end where a name became longer', () => {
    const moved = MovedText.between('y = x @ w', Text.of(['y = x @ w2']));
    expect(moved.range(1, 4, 1, 9)).toEqual({
      from: 4,
      to: 9,
      isChanged: true
    });
    expect(moved.range(1, 4, 1, 5)?.isChanged).toBe(false);
  });
});

describe('the changes between two texts', () => {
  it('make one of the other', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'ab', '', 'abc', 'd'), { maxLength: 9 })
      .map(lines => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, now) => {
        let made = '';
        let at = 0;
        for (const { from, to, fromNow, toNow } of lineChanges(before, now)) {
          expect(from).toBeGreaterThanOrEqual(at);
          made += before.slice(at, from) + now.slice(fromNow, toNow);
          at = to;
        }
        expect(made + before.slice(at)).toBe(now);
      }),
      { numRuns: 1000 }
    );
  });
});
