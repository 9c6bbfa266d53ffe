/**
 * Decorates a cell's editor with links, untraced lines, notes and costs, at the present places of the text that ran.
 */
import {
  EditorState,
  RangeSet,
  StateEffect,
  StateField
} from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  GutterMarker,
  gutterLineClass
} from '@codemirror/view';

import { ILineCount, LineCounts, LineTypes, NoteSign } from './cell-signs';
import { StepSign } from './step-sign';
import { IMovedRange, MovedText, movedText } from './moved-text';

export type { ILineCount } from './cell-signs';

/** A place in a cell: lines from 1, columns from 0 in UTF-16 code units, -1 for an unknown number. */
export interface IMarkedSpan {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  /**
   * own: the equations were written in the span. call: the equations were written elsewhere, in code that the span
   * calls.
   */
  role: 'own' | 'call';
}

/** A line's share of the program's cost. */
export interface ILineHeat {
  line: number;
  /** A number from 0 to 1. */
  share: number;
  title: string;
}

/** The types that the names of a line had while JAX traced. */
export interface ILineTypes {
  line: number;
  /** The types of all names, for the end of the line. */
  text: string;
  title: string;
  /** The type of each name, with the column after the name; -1 for the end of the line. */
  names: readonly { column: number; text: string; title: string }[];
}

/** The marks of the step that the stepper shows. */
export interface IStepMarks {
  spans: readonly IMarkedSpan[];
  /** The values that go into the step and come out of the step, for the ends of lines. */
  values: readonly { line: number; text: string; title: string }[];
}

/** All marks of a cell. */
export interface ICellMarks {
  spans: readonly IMarkedSpan[];
  /** Lines that the trace did not reach. */
  untraced: readonly number[];
  /** The counts of the calls of jitted functions at a line, in parts. */
  counts: readonly { line: number; parts: readonly ILineCount[] }[];
  /** The types that the names of a line had while JAX traced. */
  types: readonly ILineTypes[];
  /** The notes about lines. */
  notes: readonly { line: number; text: string }[];
  /** Null while no step is in view. */
  step: IStepMarks | null;
  /** The costs of lines, drawn beside them. */
  heat: readonly ILineHeat[];
  /** True if types stand after their names, false if they stand at the end of the line. */
  typesAfterNames: boolean;
  /** The tooltip of an untraced line. */
  untracedTitle: string;
  /** The tooltip of text that was edited since the cell ran. */
  changedTitle: string;
}

export const NO_CELL_MARKS: ICellMarks = {
  spans: [],
  untraced: [],
  counts: [],
  types: [],
  notes: [],
  step: null,
  heat: [],
  typesAfterNames: false,
  untracedTitle: '',
  changedTitle: ''
};

/** Replace the marks of a cell. */
export const setCellMarks = StateEffect.define<ICellMarks>();

/** Fills the gutter beside the number of a linked line, if the cell shows line numbers. */
class LinkedNumber extends GutterMarker {
  constructor(role: IMarkedSpan['role']) {
    super();
    this.elementClass = `jp-JaxprCell-number jp-mod-${role}`;
  }
}

const LINKED_NUMBERS = {
  own: new LinkedNumber('own'),
  call: new LinkedNumber('call')
};

interface ICellMarking {
  marks: ICellMarks;
  drawn: DecorationSet;
}

/**
 * The marks of a cell. They move with the text. If only the present text is known, not the text that ran, any change
 * removes them.
 */
export const cellMarks = StateField.define<ICellMarking>({
  create: () => ({ marks: NO_CELL_MARKS, drawn: Decoration.none }),
  update(marking, transaction) {
    let { marks } = marking;
    let isNew = false;
    for (const effect of transaction.effects) {
      if (effect.is(setCellMarks)) {
        marks = effect.value;
        isNew = true;
      }
    }
    if (isNew || (transaction.docChanged && marks !== NO_CELL_MARKS)) {
      const { state } = transaction;
      const moved = state.field(movedText, false) ?? null;
      if (!isNew && moved === null) {
        marks = NO_CELL_MARKS;
      }
      return { marks, drawn: decorate(state, marks, moved) };
    }
    return marking;
  },
  provide: field => [
    EditorView.decorations.from(field, ({ drawn }) => drawn),
    gutterLineClass.from(field, ({ drawn }) => linkedNumbers(drawn))
  ]
});

/** The linked lines among the marks, for the gutter. */
function linkedNumbers(marks: DecorationSet): RangeSet<GutterMarker> {
  const numbers: ReturnType<GutterMarker['range']>[] = [];
  for (const at = marks.iter(); at.value !== null; at.next()) {
    const role: unknown = at.value.spec.linked;
    if (role === 'own' || role === 'call') {
      numbers.push(LINKED_NUMBERS[role].range(at.from));
    }
  }
  return RangeSet.of(numbers, true);
}

/**
 * The counts are no wider than this many characters of code; their own letters are smaller, with signs between them.
 */
function charactersOf(parts: readonly ILineCount[]): number {
  return parts.reduce((sum, { text }) => sum + text.length + 3, 3);
}

/** The present places of the text that ran. */
class Places {
  constructor(
    private _state: EditorState,
    private _moved: MovedText | null
  ) {}

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
}

/** Makes the decorations, without places outside of the text. */
function decorate(
  state: EditorState,
  marks: ICellMarks,
  moved: MovedText | null
): DecorationSet {
  const places = new Places(state, moved);
  const ranges: ReturnType<Decoration['range']>[] = [];
  for (const number of marks.untraced) {
    const at = places.line(number);
    if (at !== null && !at.isChanged) {
      ranges.push(
        Decoration.line({
          class: 'jp-JaxprCell-untraced',
          attributes: { title: marks.untracedTitle }
        }).range(at.line.from)
      );
    }
  }
  const titled = (title: string, isChanged: boolean): string =>
    isChanged ? `${marks.changedTitle}\n${title}` : title;
  // The values of a step replace the types of the line: there is no room for both.
  const stepped = new Set(marks.step?.values.map(({ line }) => line));
  for (const { line: number, text, title, names } of marks.types) {
    if (stepped.has(number) && !marks.typesAfterNames) {
      continue;
    }
    const at = places.line(number);
    if (at === null) {
      continue;
    }
    const { line, isChanged } = at;
    const put = (to: number, shown: string, hint: string): void => {
      const widget = new LineTypes(shown, titled(hint, isChanged), isChanged);
      ranges.push(Decoration.widget({ widget, side: 1 }).range(to));
    };
    if (!marks.typesAfterNames) {
      put(line.to, text, title);
      continue;
    }
    for (const name of names) {
      const end =
        name.column > 0
          ? places.range(number, name.column - 1, number, name.column)
          : null;
      if (name.column < 0 || end !== null) {
        put(end?.to ?? line.to, name.text, name.title);
      }
    }
  }
  for (const { line: number, text } of marks.notes) {
    const at = places.line(number);
    if (at !== null) {
      const { line, isChanged } = at;
      const widget = new NoteSign(titled(text, isChanged), isChanged);
      ranges.push(Decoration.widget({ widget, side: 1 }).range(line.to));
    }
  }
  for (const { line, column, endLine, endColumn } of marks.step?.spans ?? []) {
    const range =
      column < 0 || endColumn < 0
        ? null
        : places.range(line, column, endLine, endColumn);
    if (range !== null && !range.isChanged) {
      ranges.push(
        Decoration.mark({ class: 'jp-JaxprCell-stepSpan' }).range(
          range.from,
          range.to
        )
      );
    }
  }
  for (const { line: number, text, title } of marks.step?.values ?? []) {
    const at = places.line(number);
    // The values belong to the text that ran.
    if (at !== null && !at.isChanged) {
      const widget = new StepSign(text, title);
      ranges.push(Decoration.widget({ widget, side: 1 }).range(at.line.to));
    }
  }
  for (const { line: number, parts } of marks.counts) {
    const at = places.line(number);
    if (at !== null) {
      const { from, to } = at.line;
      const widget = new LineCounts(parts, at.isChanged);
      ranges.push(
        Decoration.line({
          class: 'jp-JaxprCell-counted',
          attributes: { style: `--jjx-counts: ${charactersOf(parts)}ch` }
        }).range(from),
        Decoration.widget({ widget, side: 2 }).range(to)
      );
    }
  }
  const linked = new Map<number, 'own' | 'call'>();
  for (const { line, column, endLine, endColumn, role } of marks.spans) {
    const range =
      column < 0 || endColumn < 0
        ? null
        : places.range(line, column, endLine, endColumn);
    if (range !== null) {
      const name = range.isChanged
        ? 'jp-JaxprCell-changed'
        : `jp-JaxprCell-span jp-mod-${role}`;
      const attributes: Record<string, string> = range.isChanged
        ? { title: marks.changedTitle }
        : {};
      ranges.push(
        Decoration.mark({ class: name, attributes }).range(range.from, range.to)
      );
    }
    for (let number = line; number <= endLine; number++) {
      const at = places.line(number);
      // A line counts as linked while a linked range on it is unchanged.
      const isLinked =
        at !== null && !(range === null ? at.isChanged : range.isChanged);
      if (isLinked && linked.get(number) !== 'own') {
        linked.set(number, role);
      }
    }
  }
  const seen = new Set<number>();
  for (const [number, role] of linked) {
    const from = places.line(number)?.line.from;
    if (from !== undefined && !seen.has(from)) {
      seen.add(from);
      ranges.push(
        Decoration.line({
          linked: role,
          class: `jp-JaxprCell-line jp-mod-${role}`,
          attributes: { 'data-jaxpr-line': String(number) }
        }).range(from)
      );
    }
  }
  return Decoration.set(ranges, true);
}
