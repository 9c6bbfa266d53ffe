/**
 * The cost of a program comes in; how much of it is at a line and at an equation goes out, as a share and in words.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { operations, size } from '../quantities';
import {
  CostRow,
  ProgramCost,
  ScopeCost,
  Snapshot
} from '../protocol/snapshot';

/** What is counted of a program. */
export type Measure = 'flops' | 'transcendentals' | 'bytes';

export const MEASURES: readonly Measure[] = [
  'flops',
  'transcendentals',
  'bytes'
];

/** A part of the whole. */
export interface IHeat {
  /** From 0 to 1. */
  share: number;
  amount: number;
  /** `51.2 kFLOP`. */
  text: string;
  /** `51.2 kFLOP, 64 % of the program`. */
  title: string;
}

/** The measure that tells programs apart: operations, or what is left where there are none. */
export function measureOf(cost: ProgramCost): Measure {
  return MEASURES.find(one => totalOf(cost, one) > 0) ?? 'flops';
}

export function totalOf(cost: ProgramCost, measure: Measure): number {
  return measure === 'bytes'
    ? cost.bytes_read + cost.bytes_written
    : cost[measure];
}

export function amountOf(row: CostRow, measure: Measure): number {
  return measure === 'bytes'
    ? row.bytes_read + row.bytes_written
    : row[measure];
}

/** An amount with its unit: `51.2 kFLOP`, `1.6 k transcendentals`, `5.1 kB`. */
export function amountWords(
  amount: number,
  measure: Measure,
  trans: TranslationBundle
): string {
  switch (measure) {
    case 'flops':
      return operations(amount);
    case 'bytes':
      return size(amount);
    case 'transcendentals':
      return trans._n(
        '%2 transcendental',
        '%2 transcendentals',
        amount,
        count(amount)
      );
  }
}

/** A number in short, without a unit: `143`, `1.6 k`, `2.1 M`. */
export function count(amount: number): string {
  return operations(amount).replace('FLOP', '').trimEnd();
}

/** A share in words: `64 %`, `0.2 %`, `<0.1 %`. */
export function percent(share: number): string {
  const value = 100 * share;
  if (value === 0 || value >= 0.95) {
    return `${Math.round(value)}\u00a0%`;
  }
  return value < 0.05 ? '<0.1\u00a0%' : `${value.toFixed(1)}\u00a0%`;
}

function heat(
  amount: number,
  cost: ProgramCost,
  measure: Measure,
  trans: TranslationBundle
): IHeat | null {
  const total = totalOf(cost, measure);
  if (amount <= 0 || total <= 0) {
    return null;
  }
  const share = Math.min(1, amount / total);
  const text = amountWords(amount, measure, trans);
  return {
    share,
    amount,
    text,
    title: trans.__('%1, %2 of the program', text, percent(share))
  };
}

/** Of each file of the run, by its path: the heat of its lines. */
export function heatOfLines(
  snapshot: Snapshot,
  cost: ProgramCost,
  trans: TranslationBundle
): Map<string, Map<number, IHeat>> {
  const measure = measureOf(cost);
  const amounts = new Map<string, Map<number, number>>();
  for (const row of cost.by_line) {
    if (row.frame >= 0) {
      const [file, , line] = snapshot.frames[row.frame];
      const { path } = snapshot.files[file];
      const lines = amounts.get(path) ?? new Map<number, number>();
      amounts.set(path, lines);
      lines.set(line, (lines.get(line) ?? 0) + amountOf(row, measure));
    }
  }
  const found = new Map<string, Map<number, IHeat>>();
  for (const [path, lines] of amounts) {
    const heats = new Map<number, IHeat>();
    for (const [line, amount] of lines) {
      const one = heat(amount, cost, measure, trans);
      if (one !== null) {
        heats.set(line, one);
      }
    }
    found.set(path, heats);
  }
  return found;
}

/** The heat of the equations of a program: with what is inside, times the runs of the scope. */
export class EquationHeat {
  constructor(
    private _cost: ProgramCost,
    private _trans: TranslationBundle
  ) {
    this._measure = measureOf(_cost);
    for (const scope of _cost.scopes) {
      this._scopes.set(scope.scope, scope);
    }
  }

  /** Of some equations, each in no other; null where they cost nothing, or nothing is known. */
  of(equations: readonly { scope: number; equation: number }[]): IHeat | null {
    let amount = 0;
    for (const { scope, equation } of equations) {
      const columns = this._scopes.get(scope);
      const one = columns?.[this._measure][equation] ?? 0;
      amount += Math.max(0, one) * (columns?.runs ?? 0);
    }
    return heat(amount, this._cost, this._measure, this._trans);
  }

  private _measure: Measure;
  private _scopes = new Map<number, ScopeCost>();
}
