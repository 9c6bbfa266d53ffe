/** Finds where the places of a run are in the edited text of its cell, and which of them have another text. */
import {
  ChangeDesc,
  ChangeSet,
  Line,
  StateEffect,
  StateField,
  Text
} from '@codemirror/state';

import { lineChanges } from './line-changes';

/** A place of the run in the present text. */
export interface IMovedRange {
  from: number;
  to: number;
  /** Its text is not the one that ran. */
  isChanged: boolean;
}

/** A text that ran, and where its places are in the present one. */
export class MovedText {
  private constructor(
    readonly ran: string,
    private _ranDoc: Text,
    private _now: Text,
    private _changes: ChangeDesc
  ) {}

  /** Compare a text that ran with the present one, line by line. */
  static between(ran: string, now: Text): MovedText {
    const doc = Text.of(ran.split(/\r\n?|\n/));
    const before = doc.toString();
    const present = now.toString();
    const changes = lineChanges(before, present).map(
      ({ from, to, fromNow, toNow }) => ({
        from,
        to,
        insert: now.slice(fromNow, toNow)
      })
    );
    return new MovedText(ran, doc, now, ChangeSet.of(changes, doc.length).desc);
  }

  /** The same after a change of the present text. */
  after(changes: ChangeDesc, now: Text): MovedText {
    const all = this._ranDoc.eq(now)
      ? ChangeSet.empty(now.length).desc
      : refined(this._changes.composeDesc(changes), this._ranDoc, now);
    return new MovedText(this.ran, this._ranDoc, now, all);
  }

  /** Whether the present text is not the one that ran; a new line at the end is no edit. */
  get isEdited(): boolean {
    return (
      !this._changes.empty &&
      this._now.toString().trimEnd() !== this.ran.trimEnd()
    );
  }

  /** Where a stretch of the run is now; null where nothing of it is left, or the run had no such stretch. */
  range(
    line: number,
    column: number,
    endLine: number,
    endColumn: number
  ): IMovedRange | null {
    const { lines } = this._ranDoc;
    if (line < 1 || endLine < line || endLine > lines) {
      return null;
    }
    const first = this._ranDoc.line(line);
    const last = this._ranDoc.line(endLine);
    const start = first.from + column;
    const end = last.from + endColumn;
    if (start >= end || start > first.to || end > last.to) {
      return null;
    }
    const from = this._changes.mapPos(start, 1);
    const to = this._changes.mapPos(end, -1);
    if (from >= to) {
      return null;
    }
    const isChanged =
      this._now.sliceString(from, to) !==
        this._ranDoc.sliceString(start, end) ||
      // A name that became longer is another name.
      joins(this._now, from) !== joins(this._ranDoc, start) ||
      joins(this._now, to) !== joins(this._ranDoc, end);
    return { from, to, isChanged };
  }

  /** The present line of a line of the run; null where nothing of the line is left. */
  line(number: number): { line: Line; isChanged: boolean } | null {
    if (number < 1 || number > this._ranDoc.lines) {
      return null;
    }
    const { from, to, text } = this._ranDoc.line(number);
    const start = this._changes.mapPos(from, 1);
    if (start >= this._changes.mapPos(to, -1) && from < to) {
      return null;
    }
    const line = this._now.lineAt(start);
    return { line, isChanged: line.text.trimEnd() !== text.trimEnd() };
  }

  /** Where a place of the run is now, or was before it was deleted. */
  place(line: number, column: number): number {
    const { lines } = this._ranDoc;
    const { from, to } = this._ranDoc.line(Math.min(Math.max(line, 1), lines));
    return this._changes.mapPos(Math.min(from + Math.max(column, 0), to), 1);
  }

  /** Where in the run a place of the present text was; null for text that is new. */
  ranPlace(at: number): { line: number; column: number } | null {
    let isNew = false;
    this._changes.iterChangedRanges((from, to, fromNow, toNow) => {
      // Beside what was inserted within a line is still the line.
      isNew ||= fromNow < at && at < toNow && from === to;
    }, true);
    const present = this._now.lineAt(at);
    isNew ||= this._isNewLine(present);
    if (isNew) {
      return null;
    }
    const ran = this._changes.invertedDesc.mapPos(at, -1);
    const line = this._ranDoc.lineAt(ran);
    return { line: line.number, column: ran - line.from };
  }

  /** Whether nothing of a line was in the run. */
  private _isNewLine({ from, to }: Line): boolean {
    let isNew = false;
    this._changes.iterChangedRanges((ranFrom, ranTo, fromNow, toNow) => {
      isNew ||=
        ranFrom === ranTo && fromNow < toNow && fromNow <= from && to <= toNow;
    }, true);
    return isNew;
  }
}

/** Whether a place is within a word. */
function joins(doc: Text, at: number): boolean {
  return /^[\p{L}\p{N}_]{2}$/u.test(
    doc.sliceString(Math.max(0, at - 1), Math.min(doc.length, at + 1))
  );
}

/**
 * Changes without what they took away and brought back, as an undo does, or a text that is written anew as a whole.
 */
function refined(changes: ChangeDesc, ran: Text, now: Text): ChangeDesc {
  const fine: { from: number; to: number; insert: Text }[] = [];
  let isFiner = false;
  changes.iterChangedRanges((from, to, fromNow, toNow) => {
    if (from === to || fromNow === toNow) {
      fine.push({ from, to, insert: now.slice(fromNow, toNow) });
      return;
    }
    isFiner = true;
    const differences = lineChanges(
      ran.sliceString(from, to),
      now.sliceString(fromNow, toNow)
    );
    for (const change of differences) {
      fine.push({
        from: from + change.from,
        to: from + change.to,
        insert: now.slice(fromNow + change.fromNow, fromNow + change.toNow)
      });
    }
  });
  return isFiner ? ChangeSet.of(fine, ran.length).desc : changes;
}

/** Say which text of a cell ran; null for none. */
export const setRanText = StateEffect.define<string | null>();

/** The text of an editor that ran, and where its places are now; null where none is known. */
export const movedText = StateField.define<MovedText | null>({
  create: () => null,
  update(moved, transaction) {
    if (moved !== null && transaction.docChanged) {
      moved = moved.after(transaction.changes, transaction.newDoc);
    }
    for (const effect of transaction.effects) {
      if (effect.is(setRanText)) {
        moved =
          effect.value === null
            ? null
            : effect.value === moved?.ran
              ? moved
              : MovedText.between(effect.value, transaction.newDoc);
      }
    }
    return moved;
  }
});
