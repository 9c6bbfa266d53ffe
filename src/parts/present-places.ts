/** Finds the present places of the text that ran, and draws marks anew where an edit may have changed them. */
import {
  ChangeDesc,
  EditorState,
  Range,
  RangeSet,
  RangeValue
} from '@codemirror/state';

import { IEditedLines, IMovedRange, MovedText, movedText } from './moved-text';

/** The present places of the text that ran; if only the present text is known, the places are those of this text. */
export class PresentPlaces {
  constructor(private _state: EditorState) {
    this._moved = _state.field(movedText, false) ?? null;
  }

  /** False if only the present text is known. */
  get isRanKnown(): boolean {
    return this._moved !== null;
  }

  /** The lines that the last edit may have changed; null if any line may have changed. */
  get edited(): IEditedLines | null {
    return this._moved?.editedLines ?? null;
  }

  /** The present line; null if nothing of the line remains. */
  line(number: number): ReturnType<MovedText['line']> {
    if (this._moved !== null) {
      return this._moved.line(number);
    }
    const { doc } = this._state;
    return number >= 1 && number <= doc.lines
      ? { line: doc.line(number), isChanged: false }
      : null;
  }

  /** The present range; null if nothing of the range remains. */
  range(
    line: number,
    column: number,
    endLine: number,
    endColumn: number
  ): IMovedRange | null {
    if (this._moved !== null) {
      return this._moved.range(line, column, endLine, endColumn);
    }
    const first = this.line(line)?.line;
    const last = this.line(endLine)?.line;
    if (!first || !last) {
      return null;
    }
    const from = first.from + column;
    const to = last.from + endColumn;
    return from < to && to <= last.to ? { from, to, isChanged: false } : null;
  }

  private _moved: MovedText | null;
}

/**
 * Moves marks with the text; only the marks of edited lines are drawn anew, so that a key in a long cell costs no more
 * than a key in a short one.
 *
 * @param draw Makes the marks of a line of the text that ran.
 */
export function redrawn<T extends RangeValue>(
  marks: RangeSet<T>,
  changes: ChangeDesc,
  { first, last, from, to }: IEditedLines,
  draw: (line: number) => readonly Range<T>[]
): RangeSet<T> {
  const add: Range<T>[] = [];
  for (let line = first; line <= last; line++) {
    add.push(...draw(line));
  }
  return marks.map(changes).update({
    filter: () => false,
    filterFrom: from,
    filterTo: to,
    add,
    sort: true
  });
}
