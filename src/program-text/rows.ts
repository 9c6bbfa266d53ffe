/**
 * Makes the rows of a program as the panel shows it: a row for each equation, and inner programs where they are used.
 *
 * full-text.ts prints the text for a copy. A row knows its place and is printed on request; `RowPrinter`
 * (row-printer.ts) gives its text and the parts of the text.
 */
import type { ScopePage } from '../protocol/snapshot';

import { IAddedPart, ProgramEquations } from './equations';
import { LibraryCalls } from './library-calls';
import {
  IProgramNames,
  nameProgram,
  takeGivenNames
} from './printed-variable-names';
import type { IFold, IRow } from './row';
import { RowBuilder } from './row-builder';
import { SourceSpans } from './source-spans';

/** A change of the rows of a program: rows that replaced other rows when a page arrived. */
export interface IInsertedRows {
  /** The index of the first replaced row. */
  at: number;
  /** The number of replaced rows. */
  removed: number;
  rows: readonly IRow[];
  /** The parts of scopes that were added to the program. */
  parts: readonly IAddedPart[];
}

/** The rows of one program. */
export class ProgramRows {
  constructor(
    readonly equations: ProgramEquations,
    readonly spans: SourceSpans,
    readonly names: IProgramNames = nameProgram(equations)
  ) {
    this._calls = new LibraryCalls(equations, spans);
    this._rows = this._builder(0).program();
  }

  get rows(): readonly IRow[] {
    return this._rows;
  }

  /** The row of an equation; undefined for an equation that has not arrived. */
  rowOf(scope: number, equation: number): IRow | undefined {
    return this._rowOfEquation[this.equations.id(scope, equation)];
  }

  /** The row of an equation by the number that `ProgramEquations.id` gives it. */
  rowOfId(id: number): IRow | undefined {
    return this._rowOfEquation[id];
  }

  /** Replaces the row that stands for missing equations by a page of equations. */
  insert(more: IRow, page: ScopePage): IInsertedRows {
    const { scope } = more;
    const parts = this.equations.addPage(scope, page, inner =>
      this._rowOfProgram.has(inner)
    );
    const arrived = new Set(parts.map(addedPart => addedPart.scope));
    for (const inner of this.equations.scopes) {
      if (arrived.has(inner) || !more.names.variables[inner]) {
        takeGivenNames(this.equations, inner, more.names);
      }
    }
    const rows = this._builder(more.number - 1).page(parts[0].part, more);
    const at = more.index;
    const tail = this._rows.splice(at);
    tail.shift();
    for (const group of [rows, tail]) {
      for (const row of group) {
        row.index = this._rows.length;
        this._rows.push(row);
      }
    }
    // The results may have received their names with the page, so their row is printed again.
    const closing = this._rows[at + rows.length];
    return closing?.kind === 'close' && closing.scope === scope
      ? { at, removed: 2, rows: [...rows, closing], parts }
      : { at, removed: 1, rows, parts };
  }

  /** The number of equations that a row stands for, including inner equations. */
  missing(more: IRow): number {
    const { equations } = this;
    if (more.number === 0) {
      return equations.count(more.scope) - more.equation;
    }
    for (let index = more.index + 1; index < this._rows.length; index++) {
      const { number } = this._rows[index];
      if (number > 0) {
        return number - more.number;
      }
    }
    return equations.program.equations + 1 - more.number;
  }

  /** Every fold of the program, outer folds before inner folds. */
  *folds(): IterableIterator<IFold> {
    for (const row of this._rows) {
      if (row.folds) {
        yield* row.folds;
      }
    }
  }

  private _builder(number: number): RowBuilder {
    return new RowBuilder(
      this,
      this._calls,
      this._rowOfEquation,
      this._rowOfProgram,
      number
    );
  }

  private _rows: IRow[];
  private _rowOfEquation: IRow[] = [];
  /** For each scope that is printed in full inside another program, the row of the equation that holds it. */
  private _rowOfProgram = new Map<number, IRow>();
  private _calls: LibraryCalls;
}
