/**
 * Makes the rows of a program: a row for each equation, nested programs where they are used.
 *
 * This is how the panel shows a program. What a copy of the whole gives is in full-text.ts. A row knows its
 * place and is printed when asked; `RowPrinter` (row-printer.ts) gives its text and what its parts are.
 */
import { LIMITS } from '../protocol/limits';
import type { ScopePage } from '../protocol/snapshot';

import {
  IAddedPart,
  IPrintedProgram,
  ProgramEquations,
  ScopePart
} from './equations';
import { LibraryCalls } from './library-calls';
import {
  IProgramNames,
  nameProgram,
  namingWork,
  takeGivenNames
} from './names';
import { SourceSpans } from './source-spans';

/**
 * - open: the lambda line of a program
 * - equation
 * - close: the results of a program
 * - more: stands for equations that are still in the kernel
 */
export type RowKind = 'open' | 'equation' | 'close' | 'more';

/** A line of the panel. */
export interface IRow {
  kind: RowKind;
  /** Its place among the rows, from 0; changes when a page arrives. */
  index: number;
  /** How deep it is indented. */
  depth: number;
  scope: number;
  /** Its index in the scope; for more: the first that is missing; else -1. */
  equation: number;
  /**
   * The equation's number in the program, from 1; for more: of the first that is missing; 0 in combiners, which are
   * not counted, and else.
   */
  number: number;
  names: IProgramNames;
  /** For open: the parameter it is the value of, such as `branches[0]=`; empty where there is only one. */
  label: string;
  /** Programs of this equation that stand in full elsewhere, with the row that has them. */
  elsewhere: { program: IPrintedProgram; row: IRow }[] | null;
  /** What can be folded from here on, the outer one first. */
  folds: IFold[] | null;
}

/** Rows that can be shown as one. */
export interface IFold {
  /**
   * scope: from the end of the first row on. call: all of it, behind a line of its own. names: as a call, for equations
   * under one name.
   */
  kind: 'scope' | 'call' | 'names';
  first: IRow;
  last: IRow;
  /** The number of the first equation hidden, and of the last one; 0 where there is none. */
  from: number;
  to: number;
  /** For a call: as it stands in the cell; for names: the names. */
  name: string;
  /** Whether the fold starts closed. */
  closed: boolean;
}

/** Rows that came in place of others. */
export interface IInsertedRows {
  /** The place of the first row that they replace. */
  at: number;
  /** How many rows they replace. */
  removed: number;
  rows: readonly IRow[];
  /** The equations as they were added to the program. */
  parts: readonly IAddedPart[];
}

/** Above this many equations, nested programs of more than the second number start folded. */
const MANY_EQUATIONS = 1000;
const LONG_SCOPE = 50;

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

  /** The row of an equation; undefined where it has not arrived. */
  rowOf(scope: number, equation: number): IRow | undefined {
    return this._rowOfEquation[this.equations.id(scope, equation)];
  }

  /** The row of an equation by the number that `ProgramEquations.id` gives it. */
  rowOfId(id: number): IRow | undefined {
    return this._rowOfEquation[id];
  }

  /** Put a page of equations in the place of the row that stands for them. */
  insert(more: IRow, page: ScopePage): IInsertedRows {
    const { scope } = more;
    const parts = this.equations.addPage(scope, page, inner =>
      this._rowOfProgram.has(inner)
    );
    const arrived = new Set(parts.map(each => each.scope));
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
    // The results may have got their names with the page: their row is printed again.
    const closing = this._rows[at + rows.length];
    return closing?.kind === 'close' && closing.scope === scope
      ? { at, removed: 2, rows: [...rows, closing], parts }
      : { at, removed: 1, rows, parts };
  }

  /** How many equations a row stands for, those inside of others counted. */
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

  /** Every fold, outer before inner. */
  *folds(): IterableIterator<IFold> {
    for (const row of this._rows) {
      if (row.folds) {
        yield* row.folds;
      }
    }
  }

  private _builder(number: number): Builder {
    return new Builder(
      this,
      this._calls,
      this._rowOfEquation,
      this._rowOfProgram,
      number
    );
  }

  private _rows: IRow[];
  private _rowOfEquation: IRow[] = [];
  /** Of each scope that stands in full somewhere: the row of its equation. */
  private _rowOfProgram = new Map<number, IRow>();
  private _calls: LibraryCalls;
}

/** A scope on its way into rows. */
interface IPosition {
  scope: number;
  depth: number;
  names: IProgramNames;
  /** Parts still to be written, the current one first. */
  parts: ScopePart[];
  equation: number;
  /** Equations before this one are here; the rest of the scope is not. */
  held: number;
  /** The number before the scope's first equation. */
  before: number;
  /** Whether its equations have numbers. */
  counted: boolean;
  calls: Map<number, { last: number; name: string }>;
  call: { last: number; fold: IFold } | null;
  /** Programs of the current equation that are still to be written, the next one last. */
  pending: { program: IPrintedProgram; label: string }[];
  /** The fold of the current equation's programs. */
  fold: IFold | null;
  /** The fold around the program itself, where it is one of several of an equation. */
  around: IFold | null;
  closes: boolean;
}

class Builder {
  constructor(
    private _program: ProgramRows,
    private _calls: LibraryCalls,
    private _rowOfEquation: IRow[],
    private _rowOfProgram: Map<number, IRow>,
    private _number: number
  ) {
    this._equations = _program.equations;
    this._many = _program.equations.program.equations > MANY_EQUATIONS;
  }

  program(): IRow[] {
    const { root } = this._equations;
    this._write(this._open(root, 0, this._program.names, '', false, true));
    return this._rows;
  }

  /** The rows of a page that has arrived, and of what is still missing after it. */
  page(part: ScopePart, more: IRow): IRow[] {
    const { scope, depth, names } = more;
    this._write({
      scope,
      depth: depth - 1,
      names,
      parts: [part],
      equation: part.first,
      held: part.end,
      before: this._number - part.first,
      counted: more.number > 0,
      calls: this._callsOf(part, scope),
      call: null,
      pending: [],
      fold: null,
      around: null,
      closes: false
    });
    return this._rows;
  }

  private _write(first: IPosition): void {
    const stack = [first];
    while (stack.length > 0) {
      const position = stack[stack.length - 1];
      const next = position.pending.pop();
      if (next) {
        const { scope, inText } = next.program;
        const names = inText ? this._namedApart(scope) : null;
        stack.push(
          this._open(
            scope,
            position.depth + 2,
            names ?? position.names,
            next.label,
            next.label !== '',
            position.counted && !next.program.combiner
          )
        );
        continue;
      }
      this._endFolds(position);
      if (!this._advance(position)) {
        this._close(position);
        stack.pop();
      }
    }
  }

  /** Names of a program inside a text; null where they are given, or there are too many such programs. */
  private _namedApart(scope: number): IProgramNames | null {
    if (!this._equations.program.complete || this._toName <= 0) {
      return null;
    }
    const names = nameProgram(this._equations, scope);
    this._toName -= namingWork(this._equations, names);
    return names;
  }

  private _open(
    scope: number,
    depth: number,
    names: IProgramNames,
    label: string,
    oneOfSeveral: boolean,
    counted: boolean
  ): IPosition {
    const row = this._push('open', depth, scope, -1, 0, names);
    row.label = label;
    const parts = [...this._equations.parts(scope)];
    const around: IFold | null = oneOfSeveral
      ? {
          kind: 'scope',
          first: row,
          last: row,
          from: this._number + 1,
          to: 0,
          name: '',
          closed: false
        }
      : null;
    if (around) {
      row.folds = [around];
    }
    return {
      scope,
      depth,
      names,
      parts,
      equation: 0,
      held: this._equations.held(scope),
      before: this._number,
      counted,
      calls: this._callsOf(parts[0], scope),
      call: null,
      pending: [],
      fold: null,
      around,
      closes: true
    };
  }

  /** Write equations up to the next one with programs inside; false at the end of the scope. */
  private _advance(position: IPosition): boolean {
    const { scope, depth, names } = position;
    for (;;) {
      const part = position.parts[0];
      if (position.equation >= part.end) {
        position.parts.shift();
        const next = position.parts[0];
        if (!next || next.first !== position.equation) {
          return false;
        }
        position.calls = this._callsOf(next, scope);
        continue;
      }
      const equation = position.equation++;
      const number = position.counted ? ++this._number : 0;
      const row = this._push(
        'equation',
        depth + 1,
        scope,
        equation,
        number,
        names
      );
      this._rowOfEquation[this._equations.id(scope, equation)] = row;
      const call = position.calls.get(equation);
      if (call) {
        const fold: IFold = {
          kind: 'call',
          first: row,
          last: row,
          from: number,
          to: 0,
          name: call.name,
          closed: true
        };
        row.folds = [fold];
        position.call = { last: call.last, fold };
      }
      if (part.hasChildren(equation) && this._programs(position, part, row)) {
        return true;
      }
      this._endFolds(position);
    }
  }

  /** Line up the programs inside an equation; false where all of them stand elsewhere. */
  private _programs(position: IPosition, part: ScopePart, row: IRow): boolean {
    const printed = part.printedPrograms(row.equation);
    const here: IPosition['pending'] = [];
    for (const program of printed) {
      const other = this._rowOfProgram.get(program.scope);
      if (other) {
        (row.elsewhere ??= []).push({ program, row: other });
        continue;
      }
      this._rowOfProgram.set(program.scope, row);
      const { parameter, position: place } = program;
      here.push({
        program,
        label:
          printed.length === 1
            ? ''
            : place < 0
              ? `${parameter}=`
              : `${parameter}[${place}]=`
      });
    }
    if (here.length === 0) {
      return false;
    }
    const fold: IFold = {
      kind: 'scope',
      first: row,
      last: row,
      from: this._number + 1,
      to: 0,
      name: '',
      closed:
        here.every(({ program }) => program.combiner) ||
        here.some(
          ({ program }) =>
            this._equations.held(program.scope) === 0 &&
            this._equations.count(program.scope) > 0
        ) ||
        (this._many &&
          here.some(
            ({ program }) => this._equations.count(program.scope) > LONG_SCOPE
          ))
    };
    (row.folds ??= []).push(fold);
    position.fold = fold;
    position.pending = here.reverse();
    return true;
  }

  /** What the equation just written closes. */
  private _endFolds(position: IPosition): void {
    const last = this._rows[this._rows.length - 1];
    if (position.fold) {
      position.fold.last = last;
      position.fold.to = this._number;
      position.fold = null;
    }
    if (position.call && position.equation > position.call.last) {
      position.call.fold.last = last;
      position.call.fold.to = this._number;
      position.call = null;
    }
  }

  private _close(position: IPosition): void {
    const { scope, depth, names, held } = position;
    const missing = this._equations.count(scope) - held;
    if (missing > 0) {
      const first = position.counted ? this._number + 1 : 0;
      this._push('more', depth + 1, scope, held, first, names);
      if (position.closes && position.counted) {
        const { total } = this._equations.snapshot.scopes[scope];
        this._number = Math.max(
          this._number + missing,
          position.before + total
        );
      }
    }
    if (!position.closes) {
      return;
    }
    const row = this._push('close', depth, scope, -1, 0, names);
    if (position.around) {
      position.around.last = row;
      position.around.to = this._number;
    }
  }

  private _callsOf(
    part: ScopePart,
    scope: number
  ): Map<number, { last: number; name: string }> {
    return new Map(
      this._calls
        .find(part, scope)
        .map(({ first, last, name }) => [first, { last, name }])
    );
  }

  private _push(
    kind: RowKind,
    depth: number,
    scope: number,
    equation: number,
    number: number,
    names: IProgramNames
  ): IRow {
    const row: IRow = {
      kind,
      index: this._rows.length,
      depth,
      scope,
      equation,
      number,
      names,
      label: '',
      elsewhere: null,
      folds: null
    };
    this._rows.push(row);
    return row;
  }

  private _equations: ProgramEquations;
  private _many: boolean;
  private _toName: number = LIMITS.NAMED;
  private _rows: IRow[] = [];
}
