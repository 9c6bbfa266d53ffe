/** Decorates a cell's editor, at the places where the text that ran is now: links, untraced lines, notes, costs. */
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

/** A place in a cell: lines from 1, columns from 0 in UTF-16 code units, -1 where unknown. */
export interface IMarkedSpan {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  /** own: it was written here. call: it was written elsewhere, and called from here. */
  role: 'own' | 'call';
}

/** What part of the program's cost is on a line. */
export interface ILineHeat {
  line: number;
  /** From 0 to 1. */
  share: number;
  title: string;
}

/** What the names of a line had while JAX traced. */
export interface ILineTypes {
  line: number;
  /** Of all names, for the end of the line. */
  text: string;
  title: string;
  /** Of each name, for the place after the name; -1 for the end of the line. */
  names: readonly { column: number; text: string; title: string }[];
}

/** What the step in view of the stepper computes. */
export interface IStepMarks {
  spans: readonly IMarkedSpan[];
  /** Values that go into the step and come out of it, at the ends of lines. */
  values: readonly { line: number; text: string; title: string }[];
}

/** What is marked in a cell. */
export interface ICellMarks {
  spans: readonly IMarkedSpan[];
  /** Lines that the trace did not reach. */
  untraced: readonly number[];
  /** What is known of the calls of jitted functions at a line, in parts. */
  counts: readonly { line: number; parts: readonly ILineCount[] }[];
  /** What the names of a line had while JAX traced. */
  types: readonly ILineTypes[];
  /** What was noted of a line. */
  notes: readonly { line: number; text: string }[];
  /** Null while no step is in view. */
  step: IStepMarks | null;
  /** What the lines cost; drawn beside them. */
  heat: readonly ILineHeat[];
  /** Whether types stand after their names; else at the end of the line. */
  typesAfterNames: boolean;
  /** For the mouse over an untraced line. */
  untracedTitle: string;
  /** For the mouse over what was edited since it ran. */
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

/** Fills a linked line's number, where the cell shows line numbers. */
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
 * The marks of a cell. They move with the text; of a text that is known only as the present one, they are gone as soon
 * as it changes.
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

/** How many characters of code the counts are no wider than; their own are smaller, and have signs between them. */
function charactersOf(parts: readonly ILineCount[]): number {
  return parts.reduce((sum, { text }) => sum + text.length + 3, 3);
}

/** Where places of the text that ran are now. */
class Places {
  constructor(
    private _state: EditorState,
    private _moved: MovedText | null
  ) {}

  /** Null where nothing of the line is left. */
  line(number: number): ReturnType<MovedText['line']> {
    if (this._moved !== null) {
      return this._moved.line(number);
    }
    const { doc } = this._state;
    return number >= 1 && number <= doc.lines
      ? { line: doc.line(number), isChanged: false }
      : null;
  }

  /** Null where nothing of the stretch is left. */
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

/** Make the decorations; what is outside the text is left out. */
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
  // The values of a step stand in the place of the types: beside both, little would be seen of either.
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
    // The values are of the text that ran.
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
      // A line counts as linked while what is linked on it is as it ran.
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
