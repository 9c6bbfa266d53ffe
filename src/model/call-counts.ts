/** Makes the texts for counts of calls, hits, cache entries and compiles; a lower bound is printed with a ≥. */
import { TranslationBundle } from '@jupyterlab/translation';

import { LedgerLine } from '../protocol/snapshot';

/** A number that may be a lower bound; null when unknown. */
export interface IAmount {
  readonly value: number | null;
  readonly exact: boolean;
}

/** True if nothing is known about the number; a lower bound of 0 also says nothing. */
export function isUnknown({ value, exact }: IAmount): boolean {
  return value === null || (value === 0 && !exact);
}

/** A count with its noun: `12 calls`, `≥4 calls`, `calls unknown`. */
export function amount(
  trans: TranslationBundle,
  of: 'calls' | 'hits' | 'entries' | 'compiles' | 'misses',
  { value, exact }: IAmount
): string {
  if (isUnknown({ value, exact })) {
    return of === 'calls'
      ? trans.__('calls unknown')
      : of === 'entries'
        ? trans.__('entries unknown')
        : trans.__('hits unknown');
  }
  const number = value ?? 0;
  const shown = bound(number, exact);
  switch (of) {
    case 'calls':
      return trans._n('%2 call', '%2 calls', number, shown);
    case 'hits':
      return trans._n('%2 hit', '%2 hits', number, shown);
    case 'entries':
      return trans._n('%2 entry', '%2 entries', number, shown);
    case 'compiles':
      return trans._n('%2 compile', '%2 compiles', number, shown);
    case 'misses':
      return trans._n('%2 miss', '%2 misses', number, shown);
  }
}

/** Prints a number, with a ≥ if the number is a lower bound. */
export function bound(value: number, exact: boolean): string {
  return `${exact ? '' : '≥'}${value.toLocaleString('en')}`;
}

/** The texts of the counts of a cell's line, in the order in which they are shown; empty if nothing is known. */
export function lineCounts(
  line: LedgerLine,
  trans: TranslationBundle
): { kind: 'calls' | 'compiles' | 'hits'; text: string }[] {
  const counts: { kind: 'calls' | 'compiles' | 'hits'; text: string }[] = [];
  const add = (
    kind: 'calls' | 'compiles' | 'hits',
    value: number | null,
    exact: boolean
  ): void => {
    if (value !== null && value > 0) {
      counts.push({ kind, text: amount(trans, kind, { value, exact }) });
    }
  };
  add('calls', line.calls, line.calls_exact);
  add('compiles', line.compiles, true);
  add('hits', line.hits, line.calls_exact);
  return counts;
}
