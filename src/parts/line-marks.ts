/** Draws the marks of one line of code: its types, its notes, its counts, and whether the trace reached it. */
import { Range } from '@codemirror/state';
import { Decoration } from '@codemirror/view';

import { ILineCount, LineCounts, NoteSign, TypesSign } from './cell-signs';
import type { ICellMarks, ILineTypes } from './mark-types';
import { PresentPlaces } from './present-places';
import { typesOfLine } from './types-at-line-ends';
import { ROOMY } from './visible-width';

/** The sign of a note, with the space before it, is at most as wide as this many characters of code. */
const CHARACTERS_OF_NOTE = 4;
/** Code whose characters all have the same width; a tab and, for example, a Chinese character are wider. */
const EQUALLY_WIDE = /^[ -~]*$/;

interface IMarksOfLine {
  isUntraced: boolean;
  /** True if values of a step are shown on the line. */
  isStepped: boolean;
  types: ILineTypes | null;
  notes: string[];
  counts: (readonly ILineCount[])[];
}

/** The marks of single lines of a cell, by line. */
export class LineMarks {
  constructor(private _marks: ICellMarks) {
    for (const line of _marks.untraced) {
      this._of(line).isUntraced = true;
    }
    // The values of a step replace the types of the line, because there is no room for both.
    const stepped = new Set(_marks.step?.values.map(({ line }) => line));
    for (const line of stepped) {
      this._of(line).isStepped = true;
    }
    for (const types of _marks.types) {
      if (_marks.typesAfterNames || !stepped.has(types.line)) {
        this._of(types.line).types = types;
      }
    }
    for (const { line, text } of _marks.notes) {
      this._of(line).notes.push(text);
    }
    for (const { line, parts } of _marks.counts) {
      this._of(line).counts.push(parts);
    }
  }

  /** The lines that have marks. */
  get lines(): Iterable<number> {
    return this._lines.keys();
  }

  /** Returns the decorations of a line; none if the line was deleted. */
  draw(number: number, places: PresentPlaces): Range<Decoration>[] {
    const marks = this._lines.get(number);
    const at = marks === undefined ? null : places.line(number);
    if (marks === undefined || at === null) {
      return [];
    }
    const { line, isChanged } = at;
    const ranges: Range<Decoration>[] = [];
    if (marks.isUntraced && !isChanged) {
      const title = this._marks.untracedTitle;
      ranges.push(
        Decoration.line({
          class: 'jp-JaxprCell-untraced',
          attributes: { title }
        }).range(line.from)
      );
    }
    const titled = (title: string): string =>
      isChanged ? `${this._marks.changedTitle}\n${title}` : title;
    const before =
      this._widthOf(line.text, marks) +
      marks.counts.reduce((sum, parts) => sum + charactersOf(parts), 0);
    const isShort = (text: string): boolean =>
      EQUALLY_WIDE.test(line.text) && before + text.length <= ROOMY;
    const putSign = (to: number, text: string, title: string): void => {
      const widget = new TypesSign(
        text,
        titled(title),
        isChanged,
        isShort(text)
      );
      ranges.push(Decoration.widget({ widget, side: 1 }).range(to));
    };
    if (marks.types !== null && !this._marks.typesAfterNames) {
      const { text, title } = marks.types;
      // The editor puts a line break behind a sign at the end of a line, and into an empty line.
      const isAlone =
        line.length > 0 && marks.notes.length + marks.counts.length === 0;
      ranges.push(
        typesOfLine(line, text, titled(title), {
          isChanged,
          isShort: isShort(text),
          isAlone
        })
      );
      if (!isAlone) {
        putSign(line.to, text, title);
      }
    } else {
      for (const { column, text, title } of marks.types?.names ?? []) {
        const end =
          column > 0 ? places.range(number, column - 1, number, column) : null;
        if (column < 0 || end !== null) {
          putSign(end?.to ?? line.to, text, title);
        }
      }
    }
    for (const text of marks.notes) {
      const widget = new NoteSign(titled(text), isChanged);
      ranges.push(Decoration.widget({ widget, side: 1 }).range(line.to));
    }
    if (marks.isStepped || marks.types !== null || marks.counts.length > 0) {
      ranges.push(
        Decoration.line({
          attributes: {
            style: `--jjx-before: ${this._widthOf(line.text, marks)}`
          }
        }).range(line.from)
      );
    }
    for (const parts of marks.counts) {
      const widget = new LineCounts(parts, isChanged);
      ranges.push(
        Decoration.line({
          class: 'jp-JaxprCell-counted',
          attributes: { style: `--jjx-counts: ${charactersOf(parts)}` }
        }).range(line.from),
        Decoration.widget({ widget, side: 2 }).range(line.to)
      );
    }
    return ranges;
  }

  /** The width of the line in characters, including the types and the signs of notes in it. */
  private _widthOf(code: string, { types, notes }: IMarksOfLine): number {
    const between =
      this._marks.typesAfterNames && types !== null
        ? types.names.map(({ text }) => text.length + 2)
        : [];
    const signs = notes.length * CHARACTERS_OF_NOTE;
    return between.reduce((sum, width) => sum + width, code.length + signs);
  }

  private _of(line: number): IMarksOfLine {
    let marks = this._lines.get(line);
    if (marks === undefined) {
      marks = {
        isUntraced: false,
        isStepped: false,
        types: null,
        notes: [],
        counts: []
      };
      this._lines.set(line, marks);
    }
    return marks;
  }

  private _lines = new Map<number, IMarksOfLine>();
}

/**
 * The counts are at most as wide as this many characters of code; their font is smaller, but there are separators
 * between them.
 */
function charactersOf(parts: readonly ILineCount[]): number {
  return parts.reduce((sum, { text }) => sum + text.length + 3, 3);
}
