/** Finds where the parts of the text that ran are now, and redraws the marks that an edit may have changed. */
import {
  ChangeDesc,
  EditorState,
  Range,
  RangeSet,
  RangeValue
} from '@codemirror/state';

import { IEditedLines, IMovedRange, MovedText, movedText } from './moved-text';

/**
 * Where the parts of the text that ran are in the present text. If it is unknown which text ran, the present text
 * counts as the text that ran.
 */
export class PresentPlaces {
  constructor(private _state: EditorState) {
    this._moved = _state.field(movedText, false) ?? null;
  }

  /** True if the editor knows the text that the cell had when the cell ran. */
  get isRanKnown(): boolean {
    return this._moved !== null;
  }

  /** The lines of the cell that the last edit may have changed; null if any line may have changed. */
  get edited(): IEditedLines | null {
    return this._moved?.editedLines ?? null;
  }

  /** Returns where a line of the text that ran is in the present text; null if the user has deleted the line. */
  line(number: number): ReturnType<MovedText['line']> {
    if (this._moved !== null) {
      return this._moved.line(number);
    }
    const { doc } = this._state;
    return number >= 1 && number <= doc.lines
      ? { line: doc.line(number), isChanged: false }
      : null;
  }

  /** Returns where a range of the text that ran is in the present text; null if the user has deleted the range. */
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
 * Moves marks along with the text. Only the marks of edited lines are made again, so that typing in a long cell is as
 * fast as in a short one.
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
