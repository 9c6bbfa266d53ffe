/** Finds where each variable of a scope is bound and read, and over which lines it is alive. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { ScopePart } from '../../program-text/equations';
import type { RowPrinter } from '../../program-text/row-printer';
import type { IRow } from '../../program-text/row';
import type { ProgramRows } from '../../program-text/rows';
import type { IVariablePlace, IVariableRange } from './listing';

/** The equations that bind and read a variable. */
export interface IVariableUses {
  /** The number of the equation that binds the variable; 0 for an input. */
  boundBy: number;
  /** The numbers of the equations that read the variable. */
  readBy: number[];
  /** True if the variable is a result of its program. */
  isResult: boolean;
}

/** For each variable of a scope, the equations that read the variable; all of them in one flat list. */
interface IReaders {
  start: Int32Array;
  equations: Int32Array;
}

const NO_EQUATIONS = new Int32Array(0);

/** The uses of the variables of a scope, computed at the first request. */
export class VariableUses {
  constructor(private _rows: ProgramRows) {}

  of(scope: number, variable: number): IVariableUses {
    const readBy: number[] = [];
    for (const equation of this._readersOf(scope, variable)) {
      const row = this._rows.rowOf(scope, equation);
      if (row) {
        readBy.push(row.number);
      }
    }
    return {
      boundBy: this._binder(scope, variable)?.number ?? 0,
      readBy,
      isResult: this._isResult(scope, variable)
    };
  }

  /** The line that binds a variable; null for an input, and for a line that has not arrived. */
  lineOf(scope: number, variable: number): number | null {
    return this._binder(scope, variable)?.index ?? null;
  }

  /** The rows of a variable: its binder, its readers, and the first and last row where the variable is alive. */
  range(
    { scope, variable, name, line }: IVariablePlace,
    trans: TranslationBundle
  ): IVariableRange {
    const { rows } = this._rows;
    const uses: number[] = [];
    for (const equation of this._readersOf(scope, variable)) {
      const row = this._rows.rowOf(scope, equation);
      if (row) {
        uses.push(row.index);
      }
    }
    const binder = this._binder(scope, variable);
    const isResult = this._isResult(scope, variable);
    const closing = isResult ? this._edge(scope, line, 1) : null;
    if (closing) {
      uses.push(closing.index);
    }
    const first = binder?.index ?? this._edge(scope, line, -1)?.index ?? line;
    const last = uses.length > 0 ? uses[uses.length - 1] : first;
    const from = binder?.number ?? 0;
    const readers = isResult ? uses.slice(0, -1) : uses;
    const lastNumber =
      readers.length > 0 ? rows[readers[readers.length - 1]].number : 0;
    const live = isResult
      ? trans.__('%1 is a result and is live to the end of the jaxpr.', name)
      : from > 0 && lastNumber > 0
        ? trans.__(
            '%1 is live over equations %2 to %3.',
            name,
            from,
            lastNumber
          )
        : lastNumber > 0
          ? trans.__('%1 is live up to equation %2.', name, lastNumber)
          : trans.__('%1 is never live.', name);
    const bound =
      from > 0
        ? trans.__('Equation %2 defines %1.', name, from)
        : trans.__('%1 is an input.', name);
    const used =
      readers.length > 0
        ? trans._n(
            '%2 is used once.',
            '%2 is used %1 times.',
            readers.length,
            name
          )
        : trans.__('No equation uses %1.', name);
    return { first, last, uses, words: [bound, used, live].join(' '), live };
  }

  /** Drop the computed uses, because equations have arrived. */
  clear(): void {
    this._made.clear();
    this._results.clear();
  }

  private _isResult(scope: number, variable: number): boolean {
    let results = this._results.get(scope);
    if (!results) {
      results = new Set(this._rows.equations.snapshot.scopes[scope].outputs);
      this._results.set(scope, results);
    }
    return results.has(variable);
  }

  private _binder(scope: number, variable: number): IRow | null {
    for (const part of this._rows.equations.parts(scope)) {
      const equation = binderOf(part, variable);
      if (equation >= 0) {
        return this._rows.rowOf(scope, equation) ?? null;
      }
    }
    return null;
  }

  /** The first or the last row of a scope: its lambda line, or its results. */
  private _edge(scope: number, line: number, step: 1 | -1): IRow | null {
    const { rows } = this._rows;
    const kind = step === 1 ? 'close' : 'open';
    const count = this._rows.equations.arrivedCount(scope);
    // The search starts at the scope's first or last equation. The searched row is its neighbour, unless the rows of a
    // nested scope stand between them.
    const nearest =
      count > 0
        ? this._rows.rowOf(scope, step === 1 ? count - 1 : 0)
        : undefined;
    for (
      let at = nearest?.index ?? line;
      at >= 0 && at < rows.length;
      at += step
    ) {
      if (rows[at].kind === kind && rows[at].scope === scope) {
        return rows[at];
      }
    }
    return null;
  }

  private _readersOf(scope: number, variable: number): Int32Array {
    let readers = this._made.get(scope);
    if (!readers) {
      readers = readersOf(this._rows.equations.parts(scope));
      this._made.set(scope, readers);
    }
    const { start, equations } = readers;
    return variable + 1 < start.length
      ? equations.subarray(start[variable], start[variable + 1])
      : NO_EQUATIONS;
  }

  private _made = new Map<number, IReaders>();
  private _results = new Map<number, ReadonlySet<number>>();
}

/** Counts the reads first, then stores them: two loops over the operands instead of a list for each variable. */
function readersOf(parts: readonly ScopePart[]): IReaders {
  let variables = 0;
  const forEachRead = (
    read: (variable: number, equation: number) => void
  ): void => {
    for (const part of parts) {
      for (let equation = part.first; equation < part.end; equation++) {
        for (const variable of new Set(part.operands(equation))) {
          if (variable >= 0) {
            read(variable, equation);
          }
        }
      }
    }
  };
  forEachRead(variable => (variables = Math.max(variables, variable + 1)));
  const start = new Int32Array(variables + 1);
  forEachRead(variable => start[variable + 1]++);
  for (let v = 0; v < variables; v++) {
    start[v + 1] += start[v];
  }
  const equations = new Int32Array(start[variables]);
  const next = start.slice();
  forEachRead((variable, equation) => (equations[next[variable]++] = equation));
  return { start, equations };
}

/** The equation that binds a variable, by bisection; -1 if no equation of this part binds it. */
function binderOf(part: ScopePart, variable: number): number {
  let low = part.first;
  let high = part.end - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (part.outputEnd(middle) <= variable) {
      low = middle + 1;
    } else if (part.outputStart(middle) > variable) {
      high = middle - 1;
    } else {
      return middle;
    }
  }
  return -1;
}

/** The variables in a row, from left to right, without variables that are shortened to `_`. */
export function placesIn(row: IRow, printer: RowPrinter): IVariablePlace[] {
  const { parts, text } = printer.print(row);
  return parts
    .filter(
      ({ kind, variable }) =>
        variable >= 0 && (kind === 'binder' || kind === 'operand')
    )
    .map(({ from, to, variable }) => ({
      key: `${row.scope}:${variable}`,
      scope: row.scope,
      variable,
      name: text.slice(from, to),
      line: row.index,
      from,
      to
    }));
}
