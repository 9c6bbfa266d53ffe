/** Finds how much of the program's cost a line or an equation has: as a share, as a short text and as a sentence. */
import { TranslationBundle } from '@jupyterlab/translation';

import { operations, shortCount, size } from '../quantities';
import {
  CostRow,
  ProgramCost,
  ScopeCost,
  Snapshot
} from '../protocol/snapshot';
import { TRANSCENDENTAL_WEIGHT } from '../protocol/facts';

/** The quantities that are counted for a program. */
export type Counted = 'flops' | 'transcendentals' | 'bytes';

/** The quantity whose shares are shown; `work` means operations, where a transcendental counts as several. */
export type Measure = Counted | 'work';

export const COUNTED: readonly Counted[] = [
  'flops',
  'transcendentals',
  'bytes'
];

/** The cost of a line or an equation, relative to the program's cost. */
export interface IHeat {
  /** The share of the program's cost, from 0 to 1. */
  share: number;
  amount: number;
  /** The amount in a few letters: `51.2 kop`, `51.2 kop, 1.6 k transc.`. */
  text: string;
  /** The amount and the share: `51.2 kop, 64 % of the program`. */
  title: string;
}

/** Returns the quantity whose shares are shown for a program: `work`, or `bytes` if the program has no operations. */
export function measureOf(cost: ProgramCost): Measure {
  return amountOf(cost, 'work') > 0 || amountOf(cost, 'bytes') === 0
    ? 'work'
    : 'bytes';
}

export function amountsOf(row: CostRow | ProgramCost): Record<Counted, number> {
  return {
    flops: row.flops,
    transcendentals: row.transcendentals,
    bytes: row.bytes_read + row.bytes_written
  };
}

export function amountOf(row: CostRow | ProgramCost, measure: Measure): number {
  return measured(amountsOf(row), measure);
}

/** The amount of one quantity; for `work`, the operations, where a transcendental counts as several. */
export function measured(
  amounts: Record<Counted, number>,
  measure: Measure
): number {
  return measure === 'work'
    ? amounts.flops + TRANSCENDENTAL_WEIGHT * amounts.transcendentals
    : amounts[measure];
}

/**
 * The counted amount with its unit: `51.2 kop`, `1.6 k transcendentals`, `5.1 kB`; for `work` as `51.2 kop, 1.6 k
 * transc.`.
 */
export function amountWords(
  amounts: Record<Counted, number>,
  measure: Measure,
  trans: TranslationBundle
): string {
  const { flops, transcendentals: amount, bytes } = amounts;
  switch (measure) {
    case 'work':
      return amount > 0 && flops > 0
        ? trans.__('%1, %2 transc.', operations(flops), shortCount(amount))
        : amountWords(amounts, amount > 0 ? 'transcendentals' : 'flops', trans);
    case 'flops':
      return operations(flops);
    case 'bytes':
      return size(bytes);
    case 'transcendentals':
      return trans._n(
        '%2 transcendental',
        '%2 transcendentals',
        amount,
        shortCount(amount)
      );
  }
}

/** A share as text: `64 %`, `0.2 %`, `<0.1 %`. */
export function percent(share: number): string {
  const value = 100 * share;
  if (value === 0 || value >= 0.95) {
    return `${Math.round(value)}\u00a0%`;
  }
  return value < 0.05 ? '<0.1\u00a0%' : `${value.toFixed(1)}\u00a0%`;
}

const NOTHING: Record<Counted, number> = {
  flops: 0,
  transcendentals: 0,
  bytes: 0
};

function sum(
  a: Record<Counted, number>,
  b: Record<Counted, number>
): Record<Counted, number> {
  return {
    flops: a.flops + b.flops,
    transcendentals: a.transcendentals + b.transcendentals,
    bytes: a.bytes + b.bytes
  };
}

function heat(
  amounts: Record<Counted, number>,
  cost: ProgramCost,
  measure: Measure,
  trans: TranslationBundle
): IHeat | null {
  const amount = measured(amounts, measure);
  const total = amountOf(cost, measure);
  if (amount <= 0 || total <= 0) {
    return null;
  }
  const share = Math.min(1, amount / total);
  const text = amountWords(amounts, measure, trans);
  return {
    share,
    amount,
    text,
    title: trans.__('%1, %2 of the total cost', text, percent(share))
  };
}

/** For each file of the run (by path), the heat of its lines. */
export function heatOfLines(
  snapshot: Snapshot,
  cost: ProgramCost,
  trans: TranslationBundle
): Map<string, Map<number, IHeat>> {
  const measure = measureOf(cost);
  const amounts = new Map<string, Map<number, Record<Counted, number>>>();
  for (const row of cost.by_line) {
    if (row.frame >= 0) {
      const [file, , line] = snapshot.frames[row.frame];
      const { path } = snapshot.files[file];
      const lines = amounts.get(path) ?? new Map();
      amounts.set(path, lines);
      lines.set(line, sum(lines.get(line) ?? NOTHING, amountsOf(row)));
    }
  }
  const heatOfFiles = new Map<string, Map<number, IHeat>>();
  for (const [path, lines] of amounts) {
    const heats = new Map<number, IHeat>();
    for (const [line, amount] of lines) {
      const lineHeat = heat(amount, cost, measure, trans);
      if (lineHeat !== null) {
        heats.set(line, lineHeat);
      }
    }
    heatOfFiles.set(path, heats);
  }
  return heatOfFiles;
}

/**
 * The heat of the equations of a program; an equation includes its inner programs and counts as often as its scope
 * runs.
 */
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

  /** The heat of some equations that are not inside each other; null if their cost is 0 or unknown. */
  of(equations: readonly { scope: number; equation: number }[]): IHeat | null {
    let amounts = NOTHING;
    for (const { scope, equation } of equations) {
      const columns = this._scopes.get(scope);
      const of = (counted: Counted): number =>
        Math.max(0, columns?.[counted][equation] ?? 0) * (columns?.runs ?? 0);
      amounts = sum(amounts, {
        flops: of('flops'),
        transcendentals: of('transcendentals'),
        bytes: of('bytes')
      });
    }
    return heat(amounts, this._cost, this._measure, this._trans);
  }

  private _measure: Measure;
  private _scopes = new Map<number, ScopeCost>();
}
