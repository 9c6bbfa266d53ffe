/**
 * Finds where the parts of the text that ran are now, in the edited text of the cell, and which of them were changed.
 */
import {
  ChangeDesc,
  ChangeSet,
  Line,
  StateEffect,
  StateField,
  Text
} from '@codemirror/state';

import { lineChanges } from './line-changes';

/** A range of the text that ran, at its position in the present text. */
export interface IMovedRange {
  from: number;
  to: number;
  /** True if the present text of the range differs from the text that ran. */
  isChanged: boolean;
}

/** The lines that the last edit may have changed; the edit moved no text from these lines to other lines, or back. */
export interface IEditedLines {
  /** The numbers of the first and the last edited line, in the text that ran. */
  first: number;
  last: number;
  /** The offsets of the start and the end of the edited lines, in the present text. */
  from: number;
  to: number;
}

/** A text that ran, and where its parts are in the present text. */
export class MovedText {
  private constructor(
    readonly ran: string,
    private _ranDoc: Text,
    private _now: Text,
    private _changes: ChangeDesc,
    /** The range of the present text that the last edit may have changed; null if everything may have changed. */
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

  /** Returns the positions after another edit of the present text. */
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

  /** True if the present text differs from the text that ran; white space at the end is ignored. */
  get isEdited(): boolean {
    this._isEdited ??= !this._changes.empty && !isSame(this._ranDoc, this._now);
    return this._isEdited;
  }

  /**
   * The lines that the last edit may have changed; null if any line may have changed. The text of every other line is
   * as it was before that edit.
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

  /** Returns where a range of the text that ran is now; null if it was deleted or never existed. */
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
      // A name to which letters were appended is another name.
      joins(this._now, from) !== joins(this._ranDoc, start) ||
      joins(this._now, to) !== joins(this._ranDoc, end);
    return { from, to, isChanged };
  }

  /** Returns where a line of the text that ran is in the present text; null if the user has deleted the line. */
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

  /** Returns where a position in the text that ran is now; if it was deleted, where it was last. */
  place(line: number, column: number): number {
    const { lines } = this._ranDoc;
    const { from, to } = this._ranDoc.line(Math.min(Math.max(line, 1), lines));
    return this._changes.mapPos(Math.min(from + Math.max(column, 0), to), 1);
  }

  /** Returns the position in the text that ran for a position in the present text; null for new text. */
  ranPlace(at: number): { line: number; column: number } | null {
    let isNew = false;
    this._changes.iterChangedRanges((from, to, fromNow, toNow) => {
      // When text is inserted within a line, the text on both sides still belongs to the line that ran.
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

  /** True if the whole line is new since the cell ran. */
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

/** True if two texts are equal; white space at the end is ignored. */
function isSame(a: Text, b: Text): boolean {
  const end = endOf(a);
  return end === endOf(b) && a.slice(0, end).eq(b.slice(0, end));
}

/** The length of a text without white space at its end. */
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

/** True if a position is in the middle of a word. */
function joins(doc: Text, at: number): boolean {
  return /^[\p{L}\p{N}_]{2}$/u.test(
    doc.sliceString(Math.max(0, at - 1), Math.min(doc.length, at + 1))
  );
}

/** A range of the text that ran, and the range of the present text that replaces it. */
type Stretch = readonly [
  from: number,
  to: number,
  fromNow: number,
  toNow: number
];

/**
 * Splits all changes since the run into two groups: those that touch the last change (with this one), and the others.
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

/** The range of the present text from the start of the first to the end of the last of some changes. */
function hull(stretches: readonly Stretch[]): { from: number; to: number } {
  return {
    from: Math.min(...stretches.map(([, , fromNow]) => fromNow)),
    to: Math.max(...stretches.map(([, , , toNow]) => toNow))
  };
}

/**
 * Finds the smallest equivalent of changes that delete text and insert the same text again, as an undo does, or an
 * editor that writes the whole text again.
 *
 * @param edited The changes that touch the last change; only these are made smaller. @param kept The other changes.
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
      continue; // the last edit itself: another entry has its change since the run, or it has taken a change back
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

/** Sets the text of a cell that ran; null if there is none. */
export const setRanText = StateEffect.define<string | null>();

/** For an editor: the text that ran and where its parts are now; null if it is unknown which text ran. */
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
