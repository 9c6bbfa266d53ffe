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

/** The lines that an edit may have changed; no part of any other line has moved into them or out of them. */
export interface IEditedLines {
  /** The first and the last line of the text that ran. */
  first: number;
  last: number;
  /** The whole lines of the present text that have the places of these lines. */
  from: number;
  to: number;
}

/** A text that ran, and the places of its parts in the present text. */
export class MovedText {
  private constructor(
    readonly ran: string,
    private _ranDoc: Text,
    private _now: Text,
    private _changes: ChangeDesc,
    /** The stretch of the present text that the last edit may have changed; null if any part may have changed. */
    private _edited: { from: number; to: number } | null
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
    const all = ChangeSet.of(changes, doc.length).desc;
    return new MovedText(ran, doc, now, all, null);
  }

  /** The places after a further change of the present text. */
  after(changes: ChangeDesc, now: Text): MovedText {
    const { _ranDoc: ran } = this;
    const all = this._changes.composeDesc(changes);
    const { edited, kept } = split(all, changes);
    const isAsRan = ran.eq(now);
    return new MovedText(
      this.ran,
      ran,
      now,
      isAsRan
        ? ChangeSet.empty(now.length).desc
        : refined(all, edited, kept, ran, now),
      isAsRan && kept.length > 0 ? null : hull(edited)
    );
  }

  /** True if the present text differs from the text that ran; white space at the end does not count. */
  get isEdited(): boolean {
    this._isEdited ??= !this._changes.empty && !isSame(this._ranDoc, this._now);
    return this._isEdited;
  }

  /**
   * The lines that the last edit may have changed; null if any line may have changed. All other lines have the same
   * text as before the edit and have moved with the text.
   */
  get editedLines(): IEditedLines | null {
    if (this._edited === null) {
      return null;
    }
    const { _ranDoc: ran, _now: now, _changes: changes } = this;
    const back = changes.invertedDesc;
    let { from, to } = this._edited;
    for (;;) {
      from = now.lineAt(from).from;
      to = now.lineAt(to).to;
      let start = back.mapPos(from, -1);
      let end = back.mapPos(to, 1);
      changes.iterChangedRanges((ranFrom, ranTo, fromNow, toNow) => {
        if (fromNow <= to && toNow >= from) {
          start = Math.min(start, ranFrom);
          end = Math.max(end, ranTo);
        }
      });
      const first = ran.lineAt(start);
      const last = ran.lineAt(end);
      const fromNow = changes.mapPos(first.from, -1);
      const toNow = changes.mapPos(last.to, 1);
      if (fromNow >= from && toNow <= to) {
        return { first: first.number, last: last.number, from, to };
      }
      from = Math.min(from, fromNow);
      to = Math.max(to, toNow);
    }
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

  private _isEdited: boolean | null = null;
}

/** True if two texts are equal; white space at the end does not count. */
function isSame(a: Text, b: Text): boolean {
  const end = endOf(a);
  return end === endOf(b) && a.slice(0, end).eq(b.slice(0, end));
}

/** The length of a text without the white space at its end. */
function endOf(doc: Text): number {
  for (let number = doc.lines; number > 0; number--) {
    const { from, text } = doc.line(number);
    const { length } = text.trimEnd();
    if (length > 0) {
      return from + length;
    }
  }
  return 0;
}

/** True if a position is inside a word. */
function joins(doc: Text, at: number): boolean {
  return /^[\p{L}\p{N}_]{2}$/u.test(
    doc.sliceString(Math.max(0, at - 1), Math.min(doc.length, at + 1))
  );
}

/** A stretch of the text that ran, and the stretch of the present text that replaces it. */
type Stretch = readonly [
  from: number,
  to: number,
  fromNow: number,
  toNow: number
];

/**
 * Splits all changes since the run into those that meet the last change, together with this change, and the others.
 */
function split(
  all: ChangeDesc,
  last: ChangeDesc
): { edited: Stretch[]; kept: Stretch[] } {
  const edited: Stretch[] = [];
  last.iterChangedRanges((_from, _to, fromNow, toNow) => {
    edited.push([-1, -1, fromNow, toNow]);
  });
  const own = [...edited];
  all.iterChangedRanges((from, to, fromNow, toNow) => {
    if (own.some(at => fromNow <= at[3] && toNow >= at[2])) {
      edited.push([from, to, fromNow, toNow]);
    }
  });
  const kept: Stretch[] = [];
  all.iterChangedRanges((from, to, fromNow, toNow) => {
    if (!edited.some(at => at[2] <= fromNow && toNow <= at[3])) {
      kept.push([from, to, fromNow, toNow]);
    }
  }, true);
  return { edited, kept };
}

/** The stretch of the present text from the first to the last of some stretches. */
function hull(stretches: readonly Stretch[]): { from: number; to: number } {
  return {
    from: Math.min(...stretches.map(([, , fromNow]) => fromNow)),
    to: Math.max(...stretches.map(([, , , toNow]) => toNow))
  };
}

/**
 * Refines changes that remove a text and insert the same text again, as an undo does, or an editor that writes the
 * whole text anew.
 *
 * @param edited The changes that meet the last change; only they can be refined further.
 * @param kept The other changes.
 */
function refined(
  all: ChangeDesc,
  edited: readonly Stretch[],
  kept: readonly Stretch[],
  ran: Text,
  now: Text
): ChangeDesc {
  const fine = kept.map(([from, to, fromNow, toNow]) => ({
    from,
    to,
    insert: now.slice(fromNow, toNow)
  }));
  let isFiner = false;
  for (const [from, to, fromNow, toNow] of edited) {
    if (from < 0) {
      continue; // the last change itself is part of another stretch, or took an earlier change back
    }
    if (from === to || fromNow === toNow) {
      fine.push({ from, to, insert: now.slice(fromNow, toNow) });
      continue;
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
  }
  fine.sort((a, b) => a.from - b.from);
  return isFiner ? ChangeSet.of(fine, ran.length).desc : all;
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
