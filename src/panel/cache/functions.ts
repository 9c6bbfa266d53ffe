/** Filters and sorts the functions of a ledger, and computes the totals. */
import { IAmount } from '../../model/call-counts';
import {
  Ledger,
  LedgerCounts,
  LedgerFunction,
  LedgerMiss
} from '../../protocol/snapshot';

/** A function of the ledger, with its index in the ledger. */
export interface IFunction {
  readonly ledgerFunction: LedgerFunction;
  readonly index: number;
}

/** A miss of a function, with its index in the function. */
export interface IMiss {
  readonly miss: LedgerMiss;
  readonly index: number;
}

export type Column =
  'function' | 'calls' | 'hits' | 'entries' | 'compiles' | 'price';

export const COLUMNS: readonly Column[] = [
  'function',
  'calls',
  'hits',
  'entries',
  'compiles',
  'price'
];

/** How the functions are sorted; null is the order of their calls. */
export type Order = { column: Column; descending: boolean } | null;

/** True if this run called the function, as far as is known. */
export function isOfThisRun(ledgerFunction: LedgerFunction): boolean {
  const { calls, misses, inlined, raised } = ledgerFunction.run;
  return (calls ?? 0) + misses + inlined + raised > 0;
}

/**
 * The counts of a function in this run; for a function that only earlier runs called, its counts since the kernel
 * started.
 */
export function countsOf(ledgerFunction: LedgerFunction): LedgerCounts {
  return isOfThisRun(ledgerFunction)
    ? ledgerFunction.run
    : ledgerFunction.kernel;
}

/** The seconds that a miss added to a call (trace, lower and compile); null if JAX did none of the three. */
export function priceOf(miss: LedgerMiss): number | null {
  const { trace, lower, compile } = miss;
  return trace === null && lower === null && compile === null
    ? null
    : (trace ?? 0) + (lower ?? 0) + (compile ?? 0);
}

/** The sorting after a click on a heading: first the usual direction, then the opposite, then the order of calls. */
export function nextOrder(order: Order, column: Column): Order {
  const first = column !== 'function';
  if (order?.column !== column) {
    return { column, descending: first };
  }
  return order.descending === first ? { column, descending: !first } : null;
}

/** Sorts functions; unknown values come last, and equal values keep the order of the calls. */
export function inOrder(
  functions: readonly IFunction[],
  order: Order
): readonly IFunction[] {
  if (order === null) {
    return functions;
  }
  const { column, descending } = order;
  const sign = descending ? -1 : 1;
  return [...functions].sort((a, b) => {
    if (column === 'function') {
      return sign * a.ledgerFunction.name.localeCompare(b.ledgerFunction.name);
    }
    const left = number(a.ledgerFunction, column);
    const right = number(b.ledgerFunction, column);
    if (left === null || right === null) {
      return Number(left === null) - Number(right === null);
    }
    return sign * (left - right);
  });
}

function number(
  ledgerFunction: LedgerFunction,
  column: Exclude<Column, 'function'>
): number | null {
  const counts = countsOf(ledgerFunction);
  switch (column) {
    case 'entries':
      return entriesOf(ledgerFunction).value;
    case 'price':
      return counts.seconds;
    default:
      return counts[column];
  }
}

/** The number of cache entries that JAX has; unknown if JAX may have dropped some. */
export function entriesOf(ledgerFunction: LedgerFunction): IAmount {
  const unknown = ledgerFunction.entries.some(entry => entry.held === null);
  return { value: unknown ? null : ledgerFunction.entries.length, exact: true };
}

/** The sums below the table, over the functions of this run. */
export interface ITotals {
  readonly functions: number;
  readonly calls: IAmount;
  readonly hits: IAmount;
  readonly entries: IAmount;
  readonly compiles: number;
  readonly seconds: number;
}

export function totalsOf(ledger: Ledger): ITotals {
  const all = ledger.functions.filter(isOfThisRun);
  const runs = all.map(ledgerFunction => ledgerFunction.run);
  return {
    functions: all.length,
    calls: sum(runs, 'calls'),
    hits: sum(runs, 'hits'),
    entries: {
      value: all.some(
        ledgerFunction => entriesOf(ledgerFunction).value === null
      )
        ? null
        : all.reduce(
            (total, ledgerFunction) => total + ledgerFunction.entries.length,
            0
          ),
      exact: true
    },
    compiles: ledger.compiles,
    seconds: ledger.seconds
  };
}

/** Adds counts. If some are unknown, the sum is a lower bound; if all are unknown, the sum is unknown. */
function sum(runs: readonly LedgerCounts[], column: 'calls' | 'hits'): IAmount {
  const counts = runs.flatMap(run => run[column] ?? []);
  return {
    value:
      counts.length === 0 && runs.length > 0
        ? null
        : counts.reduce((total, value) => total + value, 0),
    exact: counts.length === runs.length && runs.every(run => run.calls_exact)
  };
}

/**
 * One miss, or consecutive misses with the same kind of change, such as those of a lambda that a loop makes again in
 * each iteration.
 */
export type Misses = readonly [IMiss, ...IMiss[]];

const FEWEST_IN_A_GROUP = 3;

/**
 * The name of the called function at the start of a miss's signature, such as `jax.grad(loss)`. The kernel writes the
 * name only where the ledger has calls of `loss` and of `jax.grad(loss)` as one function; else the name is empty.
 */
export function calledFunction(miss: { signature: string }): string {
  return /^([\w.]+(?:\([\w.()]*\))?)\(/.exec(miss.signature)?.[1] ?? '';
}

/**
 * Groups three or more consecutive misses of one function that have the same outcome and the same kinds of reasons for
 * the same arguments. A first call is never grouped.
 */
export function grouped(misses: readonly IMiss[]): readonly Misses[] {
  const groups: Misses[] = [];
  let from = 0;
  while (from < misses.length) {
    const kinds = kindsOf(misses[from].miss);
    let to = from + 1;
    while (to < misses.length && kindsOf(misses[to].miss) === kinds) {
      to++;
    }
    const [first, ...otherMisses] = misses.slice(from, to);
    if (otherMisses.length + 1 >= FEWEST_IN_A_GROUP && kinds !== '') {
      groups.push([first, ...otherMisses]);
    } else {
      groups.push([first], ...otherMisses.map((miss): Misses => [miss]));
    }
    from = to;
  }
  return groups;
}

/** A key that is equal for similar misses; empty if the miss must not be grouped. */
function kindsOf(miss: LedgerMiss): string {
  return miss.reasons.some(({ kind }) => kind.startsWith('first_'))
    ? ''
    : JSON.stringify([
        miss.outcome,
        calledFunction(miss),
        miss.reasons.map(({ kind, argument }) => [kind, argument])
      ]);
}

/** The texts of a function in which the filter searches. */
export interface ISearched {
  /** The name and the place of the function. */
  function: readonly string[];
  /** The texts of each miss: kinds, texts, signature, outcome. */
  misses: readonly (readonly string[])[];
}

/**
 * The indices of the function's misses whose texts contain the searched text: all misses if the function's name or
 * place contains the text; null if neither the function nor a miss contains the text.
 */
export function matching(
  searched: ISearched,
  text: string
): ReadonlySet<number> | null {
  const wanted = text.trim().toLowerCase();
  const has = (words: readonly string[]): boolean =>
    words.some(word => word.toLowerCase().includes(wanted));
  const all = searched.misses.map((_, index) => index);
  if (wanted === '' || has(searched.function)) {
    return new Set(all);
  }
  const shownMisses = new Set(all.filter(index => has(searched.misses[index])));
  return shownMisses.size > 0 ? shownMisses : null;
}
