/** Draws all marks in a cell's editor, such as links, types and notes; after edits, marks stay at the text that ran. */
import {
  RangeSet,
  StateEffect,
  StateField,
  Transaction
} from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  GutterMarker,
  gutterLineClass
} from '@codemirror/view';

import { LineMarks } from './line-marks';
import { ICellMarks, IMarkedSpan, NO_CELL_MARKS } from './mark-types';
import { PresentPlaces, redrawn } from './present-places';
import { drawSpans, haveSpanIn } from './span-marks';

export type { ILineCount } from './cell-signs';
export { NO_CELL_MARKS } from './mark-types';
export type {
  ICellMarks,
  ILineHeat,
  ILineTypes,
  IMarkedSpan,
  IStepMarks
} from './mark-types';

/** Replace the marks of a cell. */
export const setCellMarks = StateEffect.define<ICellMarks>();

/** Marks the number of a linked line in the gutter, if the cell shows line numbers. */
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

/** The marks of a cell as CodeMirror decorations. */
interface ICellMarking {
  marks: ICellMarks;
  /** The marks of single lines; a long cell may have thousands. */
  lines: LineMarks;
  ofLines: DecorationSet;
  /** The marks of expressions. There are few of them, and one may cover several lines. */
  ofSpans: DecorationSet;
  /** The linked lines, for the gutter with the line numbers. */
  numbers: RangeSet<GutterMarker>;
}

const UNMARKED: ICellMarking = {
  marks: NO_CELL_MARKS,
  lines: new LineMarks(NO_CELL_MARKS),
  ofLines: Decoration.none,
  ofSpans: Decoration.none,
  numbers: RangeSet.empty
};

/**
 * The marks of a cell; they move when the text is edited. If it is unknown which text ran, any edit removes all marks.
 */
export const cellMarks = StateField.define<ICellMarking>({
  create: () => UNMARKED,
  update(marking, transaction) {
    let wanted: ICellMarks | null = null;
    for (const effect of transaction.effects) {
      if (effect.is(setCellMarks)) {
        wanted = effect.value;
      }
    }
    if (wanted !== null) {
      return drawn(wanted, new PresentPlaces(transaction.state));
    }
    return transaction.docChanged && marking !== UNMARKED
      ? moved(marking, transaction)
      : marking;
  },
  provide: field => [
    EditorView.decorations.from(field, ({ ofLines }) => ofLines),
    EditorView.decorations.from(field, ({ ofSpans }) => ofSpans),
    gutterLineClass.from(field, ({ numbers }) => numbers)
  ]
});

/** Makes the decorations for all marks of a cell. */
function drawn(marks: ICellMarks, places: PresentPlaces): ICellMarking {
  const lines = new LineMarks(marks);
  const ranges = [...lines.lines].flatMap(line => lines.draw(line, places));
  const ofLines = Decoration.set(ranges, true);
  return { marks, lines, ofLines, ...spansOf(marks, places) };
}

/** Returns the decorations after an edit of the text. */
function moved(
  marking: ICellMarking,
  { changes, state }: Transaction
): ICellMarking {
  const { marks, lines } = marking;
  const places = new PresentPlaces(state);
  if (!places.isRanKnown) {
    return UNMARKED;
  }
  const { edited } = places;
  if (edited === null) {
    return drawn(marks, places);
  }
  const ofLines = redrawn(marking.ofLines, changes, edited, line =>
    lines.draw(line, places)
  );
  return haveSpanIn(marks, edited)
    ? { marks, lines, ofLines, ...spansOf(marks, places) }
    : {
        marks,
        lines,
        ofLines,
        ofSpans: marking.ofSpans.map(changes),
        numbers: marking.numbers.map(changes)
      };
}

function spansOf(
  marks: ICellMarks,
  places: PresentPlaces
): Pick<ICellMarking, 'ofSpans' | 'numbers'> {
  const ofSpans = Decoration.set(drawSpans(marks, places), true);
  return { ofSpans, numbers: linkedNumbers(ofSpans) };
}

/** Returns the linked lines among the decorations, for the gutter. */
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
