/**
 * Lists an HLO text with the computation of each fusion or call below the calling line: indented, and folded until the
 * reader opens it.
 *
 * XLA prints a fused computation as a text of its own before its caller. If exactly one instruction calls the
 * computation, this listing moves the computation's instructions below that instruction, and leaves out the line with
 * the computation's name, its brace and the empty line after the brace. A computation with several callers stays where
 * XLA prints it. Numbers at the edge are the line numbers of XLA's text, and a copy of the whole listing is XLA's text.
 */
import { Text } from '@codemirror/state';
import { TranslationBundle } from '@jupyterlab/translation';

import type { ILinked } from '../../model/links';
import type { Selection } from '../../tokens';
import { IComputation, HloStructure, calledBy } from './hlo-structure';
import type {
  IDescription,
  IListedFold,
  IListedLine,
  IListing
} from '../listing/listing';
import { TextListing } from './text-listing';
import { LinesFold } from './lines-fold';

/** Matches an instruction whose computation is listed below it; the bodies of loops stay texts of their own. */
const IN_PLACE = / (?:fusion|call)\(/;

export class CalledComputationsListing implements IListing {
  constructor(
    private _text: TextListing,
    trans: TranslationBundle
  ) {
    this._order(trans);
    this._moveFolds();
  }

  readonly level = 'hlo';

  get label(): string {
    return this._text.label;
  }

  get digits(): number {
    return this._text.digits;
  }

  document(): Text {
    const lines = this._text.document().toJSON();
    return Text.of(this._lines.map(line => lines[line]));
  }

  /**
   * The line of this listing that shows a line of XLA's text; for a line that is left out, the instruction that calls
   * its computation.
   */
  placeOf(line: number): number {
    return this._places[line] ?? 0;
  }

  line(index: number): IListedLine {
    const line = this._text.line(this._lines[index]);
    const { reference } = line;
    return {
      ...line,
      depth: line.depth + this._depths[index],
      reference:
        reference === null || this._calls.has(index)
          ? null
          : { ...reference, line: this.placeOf(reference.line) }
    };
  }

  heat(): null {
    return null;
  }

  folds(index: number): readonly IListedFold[] {
    return this._folds.get(index) ?? [];
  }

  *allFolds(): Iterable<IListedFold> {
    for (const folds of this._folds.values()) {
      yield* folds;
    }
  }

  linkedLines(linked: ILinked): readonly number[] {
    const lines = this._text.linkedLines(linked);
    if (lines !== this._linked.lines) {
      const places = new Set(lines.map(line => this.placeOf(line)));
      this._linked = { lines, places: [...places].sort((a, b) => a - b) };
    }
    return this._linked.places;
  }

  variables(): ReadonlySet<string> {
    return this._text.variables();
  }

  selection(first: number): Selection | null {
    return this._text.selection(this._lines[first]);
  }

  describe(index: number, column: number): IDescription | null {
    return this._text.describe(this._lines[index], column);
  }

  indentation(index: number): string {
    return (
      this._text.indentation(this._lines[index]) +
      '  '.repeat(this._depths[index])
    );
  }

  arrived(): { arrivedCount: number; total: number } {
    return this._text.arrived();
  }

  get heads(): IListing['heads'] {
    const { heads } = this._text;
    return {
      changed: heads.changed,
      of: index => heads.of(this._lines[index])
    };
  }

  noise(): Uint8Array {
    const noise = this._text.noise();
    return Uint8Array.from(this._lines, line => noise[line]);
  }

  sourceLine(index: number): number {
    return this._text.sourceLine(this._lines[index]);
  }

  scopes(index: number): readonly string[] {
    return this._text.scopes(this._lines[index]);
  }

  wholeText(): string | null {
    return this._text.wholeText();
  }

  private _order(trans: TranslationBundle): void {
    const lines = this._text.document().toJSON();
    const { structure } = this._text;
    const called = lines.map(line => calledInPlace(line, structure));
    const moved = new Set<number>();
    for (const computation of called) {
      if (computation) {
        const { first, last } = computation;
        const end = lines[last + 1] === '' ? last + 1 : last;
        for (let line = first; line <= end; line++) {
          moved.add(line);
        }
      }
    }
    this._places = new Int32Array(lines.length);
    const put = (line: number, depth: number): void => {
      const place = this._lines.length;
      this._lines.push(line);
      this._depths.push(depth);
      this._places[line] = place;
      const computation = called[line];
      if (!computation) {
        return;
      }
      const { first, last, instructions } = computation;
      this._calls.add(place);
      for (let inner = first + 1; inner < last; inner++) {
        put(inner, depth + 1);
      }
      for (const left of [first, last, last + 1]) {
        if (moved.has(left) && (left <= last || lines[left] === '')) {
          this._places[left] = place;
        }
      }
      const end = this._lines.length - 1;
      this._addFold(new LinesFold(place, end, instructions, true, trans));
    };
    lines.forEach((_, line) => {
      if (!moved.has(line)) {
        put(line, 0);
      }
    });
  }

  /**
   * Takes over the folds of XLA's text whose first and last lines are in this listing, at the new numbers of the lines.
   */
  private _moveFolds(): void {
    for (const fold of this._text.allFolds()) {
      const first = this.placeOf(fold.first);
      const last = this.placeOf(fold.last);
      const isHere =
        this._lines[first] === fold.first && this._lines[last] === fold.last;
      if (isHere && last > first && fold instanceof LinesFold) {
        this._addFold(fold.at(first, last));
      }
    }
  }

  private _addFold(fold: IListedFold): void {
    if (fold.last > fold.first) {
      const here = this._folds.get(fold.first);
      if (here) {
        here.push(fold);
      } else {
        this._folds.set(fold.first, [fold]);
      }
    }
  }

  /** For each line of this listing, the line number in XLA's text and the additional indentation. */
  private _lines: number[] = [];
  private _depths: number[] = [];
  private _places = new Int32Array(0);
  /** The lines whose computation is listed below them. */
  private _calls = new Set<number>();
  private _folds = new Map<number, IListedFold[]>();
  private _linked: { lines: readonly number[]; places: readonly number[] } = {
    lines: [],
    places: []
  };
}

/** The computation that the fusion or call of a line calls; null if another instruction calls the computation too. */
function calledInPlace(
  line: string,
  structure: HloStructure
): IComputation | null {
  const [text] = line.split(', metadata={', 1);
  if (!IN_PLACE.test(text)) {
    return null;
  }
  const names = calledBy(line);
  const computation =
    names.length === 1 ? structure.computation(names[0]) : null;
  return computation &&
    !computation.isEntry &&
    structure.callers(computation.name).length === 1
    ? computation
    : null;
}

const KNOWN = new WeakMap<TextListing, IListing>();

/**
 * Returns the listing of a text, always the same one: a listing in place if the whole HLO text had arrived at the first
 * call, else the text as XLA prints it.
 *
 * A text that arrives in pages is not listed in place: when the page with a calling line arrives, the lines of the
 * called computation would move while the user reads them.
 */
export function inPlace(text: TextListing, trans: TranslationBundle): IListing {
  let listing = KNOWN.get(text);
  if (!listing) {
    listing =
      text.level === 'hlo' && text.complete
        ? new CalledComputationsListing(text, trans)
        : text;
    KNOWN.set(text, listing);
  }
  return listing;
}
