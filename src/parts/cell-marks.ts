/**
 * Marks for one cell's editor come in; decorations go out: what is linked, what was not traced, what has a note, what
 * costs most.
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
  WidgetType,
  gutterLineClass
} from '@codemirror/view';

/** A place in a cell: lines from 1, columns from 0 in UTF-16 code units, -1 where unknown. */
export interface IMarkedSpan {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  /** own: it was written here. call: it was written elsewhere, and called from here. */
  role: 'own' | 'call';
}

/** A number with its noun, such as `1 compile`. */
export interface ILineCount {
  kind: 'calls' | 'compiles' | 'hits' | 'cost';
  text: string;
}

/** What part of the program's cost is on a line. */
export interface ILineHeat {
  line: number;
  /** From 0 to 1. */
  share: number;
  title: string;
}

/** What is marked in a cell. */
export interface ICellMarks {
  spans: readonly IMarkedSpan[];
  /** Lines that the trace did not reach. */
  untraced: readonly number[];
  /** What is known of the calls of jitted functions at a line, in parts. */
  counts: readonly { line: number; parts: readonly ILineCount[] }[];
  /** What the names of a line had while JAX traced. */
  types: readonly { line: number; text: string; title: string }[];
  /** What was noted of a line. */
  notes: readonly { line: number; text: string }[];
  /** What the lines cost; drawn beside them. */
  heat: readonly ILineHeat[];
  /** For the mouse over an untraced line. */
  untracedTitle: string;
}

export const NO_CELL_MARKS: ICellMarks = {
  spans: [],
  untraced: [],
  counts: [],
  types: [],
  notes: [],
  heat: [],
  untracedTitle: ''
};

/** Replace the marks of a cell. */
export const setCellMarks = StateEffect.define<ICellMarks>();

/** Shown at the right of a line that calls jitted functions; no part of the text. */
class LineCounts extends WidgetType {
  constructor(private _parts: readonly ILineCount[]) {
    super();
  }

  override eq(other: LineCounts): boolean {
    return JSON.stringify(other._parts) === JSON.stringify(this._parts);
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-JaxprCell-counts';
    node.setAttribute('role', 'img');
    node.setAttribute(
      'aria-label',
      this._parts.map(({ text }) => text).join(', ')
    );
    for (const { kind, text } of this._parts) {
      const part = document.createElement('span');
      part.className = `jp-JaxprCell-count jp-mod-${kind}`;
      part.textContent = text;
      node.append(part);
    }
    return node;
  }
}

/** Shown at the end of a line whose names had traced values; no part of the text. */
class LineTypes extends WidgetType {
  constructor(
    private _text: string,
    private _title: string
  ) {
    super();
  }

  override eq(other: LineTypes): boolean {
    return other._text === this._text && other._title === this._title;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-JaxprCell-types';
    // Read on request: who types hears the code alone.
    node.setAttribute('role', 'note');
    node.setAttribute('aria-label', this._title);
    node.title = this._title;
    // Drawn from the attribute: the text of the line stays the user's.
    node.dataset.jaxprTypes = this._text;
    return node;
  }

  /** A click on the types puts the caret at the end of the line, as a click beside the text does. */
  override ignoreEvent(): boolean {
    return false;
  }
}

/** Shown at the end of a line that has a note. */
class NoteSign extends WidgetType {
  constructor(private _text: string) {
    super();
  }

  override eq(other: NoteSign): boolean {
    return other._text === this._text;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-JaxprCell-note';
    node.setAttribute('role', 'img');
    node.setAttribute('aria-label', this._text);
    node.title = this._text;
    return node;
  }
}

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

/** The marks of a cell; gone as soon as its text changes, as they may be wrong then. */
export const cellMarks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    if (transaction.docChanged) {
      marks = Decoration.none;
    }
    for (const effect of transaction.effects) {
      if (effect.is(setCellMarks)) {
        marks = decorate(transaction.state, effect.value);
      }
    }
    return marks;
  },
  provide: field => [
    EditorView.decorations.from(field),
    gutterLineClass.from(field, linkedNumbers)
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

/** Make the decorations; what is outside the text is left out. */
function decorate(state: EditorState, marks: ICellMarks): DecorationSet {
  const { doc } = state;
  const ranges: ReturnType<Decoration['range']>[] = [];
  const has = (line: number): boolean => line >= 1 && line <= doc.lines;
  for (const line of marks.untraced) {
    if (has(line)) {
      ranges.push(
        Decoration.line({
          class: 'jp-JaxprCell-untraced',
          attributes: { title: marks.untracedTitle }
        }).range(doc.line(line).from)
      );
    }
  }
  for (const { line, text, title } of marks.types) {
    if (has(line)) {
      ranges.push(
        Decoration.widget({
          widget: new LineTypes(text, title),
          side: 1
        }).range(doc.line(line).to)
      );
    }
  }
  for (const { line, text } of marks.notes) {
    if (has(line)) {
      ranges.push(
        Decoration.widget({ widget: new NoteSign(text), side: 1 }).range(
          doc.line(line).to
        )
      );
    }
  }
  for (const { line, parts } of marks.counts) {
    if (has(line)) {
      const { from, to } = doc.line(line);
      ranges.push(
        Decoration.line({
          class: 'jp-JaxprCell-counted',
          attributes: { style: `--jjx-counts: ${charactersOf(parts)}ch` }
        }).range(from),
        Decoration.widget({ widget: new LineCounts(parts), side: 2 }).range(to)
      );
    }
  }
  const linked = new Map<number, 'own' | 'call'>();
  for (const { line, column, endLine, endColumn, role } of marks.spans) {
    if (!has(line) || !has(endLine)) {
      continue;
    }
    for (let at = line; at <= endLine; at++) {
      if (linked.get(at) !== 'own') {
        linked.set(at, role);
      }
    }
    if (column < 0 || endColumn < 0) {
      continue;
    }
    const from = doc.line(line).from + column;
    const to = doc.line(endLine).from + endColumn;
    if (from < to && to <= doc.line(endLine).to) {
      ranges.push(
        Decoration.mark({ class: `jp-JaxprCell-span jp-mod-${role}` }).range(
          from,
          to
        )
      );
    }
  }
  for (const [line, role] of linked) {
    ranges.push(
      Decoration.line({
        linked: role,
        class: `jp-JaxprCell-line jp-mod-${role}`,
        attributes: { 'data-jaxpr-line': String(line) }
      }).range(doc.line(line).from)
    );
  }
  return Decoration.set(ranges, true);
}
