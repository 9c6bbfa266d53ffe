/** Filters and sorts the functions of a ledger, with their sums. */
import { IAmount } from '../../model/call-counts';
import {
  Ledger,
  LedgerCounts,
  LedgerFunction,
  LedgerMiss
} from '../../protocol/snapshot';

/** A function of the ledger, and where it stands there. */
export interface IFunction {
  readonly one: LedgerFunction;
  readonly index: number;
}

/** A miss of a function, and where it stands there. */
export interface IMiss {
  readonly one: LedgerMiss;
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

/** Whether this run called the function, as far as is known. */
export function isOfThisRun(one: LedgerFunction): boolean {
  const { calls, misses, inlined, raised } = one.run;
  return (calls ?? 0) + misses + inlined + raised > 0;
}

/** Of this run; for a function of earlier runs, of the whole kernel. */
export function countsOf(one: LedgerFunction): LedgerCounts {
  return isOfThisRun(one) ? one.run : one.kernel;
}

/** What a call cost beyond running: trace, lower and compile; null where there was none of them. */
export function priceOf(miss: LedgerMiss): number | null {
  const { trace, lower, compile } = miss;
  return trace === null && lower === null && compile === null
    ? null
    : (trace ?? 0) + (lower ?? 0) + (compile ?? 0);
}

/** The next order when a column's head is pressed: the side that matters first, the other one, the order of calls. */
export function nextOrder(order: Order, column: Column): Order {
  const first = column !== 'function';
  if (order?.column !== column) {
    return { column, descending: first };
  }
  return order.descending === first ? { column, descending: !first } : null;
}

/** Sort functions; what is unknown comes last, and equal ones stay in the order of their calls. */
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
      return sign * a.one.name.localeCompare(b.one.name);
    }
    const left = number(a.one, column);
    const right = number(b.one, column);
    if (left === null || right === null) {
      return Number(left === null) - Number(right === null);
    }
    return sign * (left - right);
  });
}

function number(
  one: LedgerFunction,
  column: Exclude<Column, 'function'>
): number | null {
  const counts = countsOf(one);
  switch (column) {
    case 'entries':
      return entriesOf(one).value;
    case 'price':
      return counts.seconds;
    default:
      return counts[column];
  }
}

/** How many entries JAX holds; unknown where JAX may have dropped one. */
export function entriesOf(one: LedgerFunction): IAmount {
  const unknown = one.entries.some(entry => entry.held === null);
  return { value: unknown ? null : one.entries.length, exact: true };
}

/** The sums below the table, of the functions of this run. */
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
  const runs = all.map(one => one.run);
  return {
    functions: all.length,
    calls: sum(runs, 'calls'),
    hits: sum(runs, 'hits'),
    entries: {
      value: all.some(one => entriesOf(one).value === null)
        ? null
        : all.reduce((total, one) => total + one.entries.length, 0),
      exact: true
    },
    compiles: ledger.compiles,
    seconds: ledger.seconds
  };
}

/** Some unknown make a lower bound of the sum; all unknown make it unknown. */
function sum(runs: readonly LedgerCounts[], column: 'calls' | 'hits'): IAmount {
  const known = runs.flatMap(run => run[column] ?? []);
  return {
    value:
      known.length === 0 && runs.length > 0
        ? null
        : known.reduce((total, value) => total + value, 0),
    exact: known.length === runs.length && runs.every(run => run.calls_exact)
  };
}

/** Misses in a row that differ in the same way, such as a lambda that is made again in each turn of a loop. */
export type Misses = readonly [IMiss, ...IMiss[]];

const FEWEST_IN_A_GROUP = 3;

/** Put misses together where at least three in a row have one outcome and the same kinds of reasons. */
export function grouped(misses: readonly IMiss[]): readonly Misses[] {
  const groups: Misses[] = [];
  let from = 0;
  while (from < misses.length) {
    const kinds = kindsOf(misses[from].one);
    let to = from + 1;
    while (to < misses.length && kindsOf(misses[to].one) === kinds) {
      to++;
    }
    const [first, ...others] = misses.slice(from, to);
    if (others.length + 1 >= FEWEST_IN_A_GROUP && kinds !== '') {
      groups.push([first, ...others]);
    } else {
      groups.push([first], ...others.map((one): Misses => [one]));
    }
    from = to;
  }
  return groups;
}

/** What makes misses alike; empty where it is of no use to see them as one. */
function kindsOf(miss: LedgerMiss): string {
  return miss.reasons.some(({ kind }) => kind.startsWith('first_'))
    ? ''
    : JSON.stringify([
        miss.outcome,
        miss.reasons.map(({ kind, argument }) => [kind, argument])
      ]);
}

/** What a function has in the words that a user looks for. */
export interface ISearched {
  /** Its name and its place. */
  function: readonly string[];
  /** Of each miss: kinds, texts, signature, outcome. */
  misses: readonly (readonly string[])[];
}

/**
 * Which misses of a function have a text: all where the function itself has it, null where nothing has.
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
  const found = new Set(all.filter(index => has(searched.misses[index])));
  return found.size > 0 ? found : null;
}
