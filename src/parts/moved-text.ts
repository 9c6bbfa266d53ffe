/** Finds the present places of a run's text in the edited text of its cell, and which of these places have changed. */
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
  /** True if the text of the place differs from the text that ran. */
  isChanged: boolean;
}

/** A text that ran, and the places of its parts in the present text. */
export class MovedText {
  private constructor(
    readonly ran: string,
    private _ranDoc: Text,
    private _now: Text,
    private _changes: ChangeDesc
  ) {}

  /** Compares a text that ran with the present text, line by line. */
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

  /** The places after a further change of the present text. */
  after(changes: ChangeDesc, now: Text): MovedText {
    const all = this._ranDoc.eq(now)
      ? ChangeSet.empty(now.length).desc
      : refined(this._changes.composeDesc(changes), this._ranDoc, now);
    return new MovedText(this.ran, this._ranDoc, now, all);
  }

  /** True if the present text differs from the text that ran; a new line at the end does not count. */
  get isEdited(): boolean {
    return (
      !this._changes.empty &&
      this._now.toString().trimEnd() !== this.ran.trimEnd()
    );
  }

  /** The present place of a range of the run; null if nothing of the range remains, or if the run has no such range. */
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

  /** The present line of a line of the run; null if nothing of the line remains. */
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

  /** The present place of a place of the run, or its last place before it was deleted. */
  place(line: number, column: number): number {
    const { lines } = this._ranDoc;
    const { from, to } = this._ranDoc.line(Math.min(Math.max(line, 1), lines));
    return this._changes.mapPos(Math.min(from + Math.max(column, 0), to), 1);
  }

  /** The place in the run of a place of the present text; null for new text. */
  ranPlace(at: number): { line: number; column: number } | null {
    let isNew = false;
    this._changes.iterChangedRanges((from, to, fromNow, toNow) => {
      // The text on both sides of an insertion within a line is still the line of the run.
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

  /** True if no part of a line was in the run. */
  private _isNewLine({ from, to }: Line): boolean {
    let isNew = false;
    this._changes.iterChangedRanges((ranFrom, ranTo, fromNow, toNow) => {
      isNew ||=
        ranFrom === ranTo && fromNow < toNow && fromNow <= from && to <= toNow;
    }, true);
    return isNew;
  }
}

/** True if a position is inside a word. */
function joins(doc: Text, at: number): boolean {
  return /^[\p{L}\p{N}_]{2}$/u.test(
    doc.sliceString(Math.max(0, at - 1), Math.min(doc.length, at + 1))
  );
}

/**
 * Refines changes that remove a text and insert the same text again, as an undo does, or an editor that writes the
 * whole text anew.
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

/** Sets the text of a cell that ran; null for none. */
export const setRanText = StateEffect.define<string | null>();

/** The text of an editor that ran, with the present places of its parts; null if unknown. */
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
