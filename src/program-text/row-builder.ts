/** Writes the rows of a program, or of a page of equations that has arrived, with their folds. */
import { LIMITS } from '../protocol/limits';

import { IPrintedProgram, ProgramEquations, ScopePart } from './equations';
import { LibraryCalls } from './library-calls';
import {
  IProgramNames,
  nameProgram,
  namingWork
} from './printed-variable-names';
import type { IFold, IRow, RowKind } from './row';
import type { ProgramRows } from './rows';

/**
 * A program with more equations than the first number starts with its long inner programs folded: those with more
 * equations than the second number.
 */
const MANY_EQUATIONS = 1000;
const LONG_SCOPE = 50;

/** The state of writing a scope's rows. */
interface IPosition {
  scope: number;
  depth: number;
  names: IProgramNames;
  /** The parts that are not written yet, the current part first. */
  parts: ScopePart[];
  equation: number;
  /** The index after the last equation of the scope that has arrived from the kernel. */
  arrivedCount: number;
  /** The number of the equation before the scope's first equation. */
  before: number;
  /** True if the equations of the scope have numbers. */
  counted: boolean;
  calls: Map<number, { last: number; name: string }>;
  call: { last: number; fold: IFold } | null;
  /** The programs of the current equation that are not written yet, the next one last. */
  pending: { program: IPrintedProgram; label: string }[];
  /** The fold of the programs inside the current equation. */
  fold: IFold | null;
  /** The fold around the program, if the equation has several programs. */
  around: IFold | null;
  closes: boolean;
}

export class RowBuilder {
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

  /** The rows of an arrived page, and a row for the equations that are still missing after it. */
  page(part: ScopePart, more: IRow): IRow[] {
    const { scope, depth, names } = more;
    this._write({
      scope,
      depth: depth - 1,
      names,
      parts: [part],
      equation: part.first,
      arrivedCount: part.end,
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

  /**
   * The names of the variables of a program inside the text of a parameter; null if the kernel sent the names, or if
   * there are too many such programs.
   */
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
      arrivedCount: this._equations.arrivedCount(scope),
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

  /** Writes equations up to the next equation with inner programs; returns false at the end of the scope. */
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

  /** Prepares the programs inside an equation; returns false if all of them are printed at other rows. */
  private _programs(position: IPosition, part: ScopePart, row: IRow): boolean {
    const printed = part.printedPrograms(row.equation);
    const here: IPosition['pending'] = [];
    for (const program of printed) {
      const firstRow = this._rowOfProgram.get(program.scope);
      if (firstRow) {
        (row.elsewhere ??= []).push({ program, row: firstRow });
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
            this._equations.arrivedCount(program.scope) === 0 &&
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

  /** Ends the folds that the last written equation closes. */
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
    const { scope, depth, names, arrivedCount } = position;
    const missing = this._equations.count(scope) - arrivedCount;
    if (missing > 0) {
      const first = position.counted ? this._number + 1 : 0;
      this._push('more', depth + 1, scope, arrivedCount, first, names);
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
