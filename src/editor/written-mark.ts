/** Marks one place in a cell's editor until the text changes or the mark is removed. */
import { Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, DecorationSet, EditorView } from '@codemirror/view';

import type { Snapshot } from '../protocol/snapshot';

/** An expression that raises: lines from 1, columns from 0. */
export interface IMarkedPlace {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  title: string;
}

/** Puts the mark at a place; null removes the mark. */
export const setWrittenMark = StateEffect.define<IMarkedPlace | null>();

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (before, transaction) => {
    let after = before.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setWrittenMark)) {
        after = markAt(effect.value, transaction.newDoc);
      }
    }
    return after;
  },
  provide: field => EditorView.decorations.from(field)
});

/** The extension that a cell's editor needs for the mark. */
export const writtenMark: Extension = marks;

function markAt(
  place: IMarkedPlace | null,
  text: { lines: number; line(number: number): { from: number; to: number } }
): DecorationSet {
  if (place === null || place.line < 1 || place.line > text.lines) {
    return Decoration.none;
  }
  const first = text.line(place.line);
  const last = text.line(Math.min(Math.max(place.endLine, 1), text.lines));
  const from =
    place.column < 0
      ? first.from
      : Math.min(first.from + place.column, first.to);
  const to =
    place.endColumn < 0
      ? first.to
      : Math.min(last.from + place.endColumn, last.to);
  if (to <= from) {
    return Decoration.none;
  }
  const mark = Decoration.mark({
    class: 'jp-JaxprCell-raises',
    attributes: { title: place.title }
  });
  return Decoration.set([mark.range(from, to)]);
}

/** The place of the error that Live's trace raised, if the place is in the traced cell; else null. */
export function raisedIn(snapshot: Snapshot | null): IMarkedPlace | null {
  const note = snapshot?.notes.find(({ kind }) => kind === 'trace_raised');
  if (snapshot === null || note === undefined || note.frame < 0) {
    return null;
  }
  const [file, , line, column, endLine, endColumn] =
    snapshot.frames[note.frame];
  if (snapshot.files[file].path !== snapshot.cell?.file) {
    return null;
  }
  return {
    line,
    column,
    endLine,
    endColumn,
    title: note.title ?? note.text
  };
}
