/** Writes the cost of an equation as one line. */
import { TranslationBundle } from '@jupyterlab/translation';

import {
  amountWords,
  measureOf,
  measured,
  amountOf,
  percent
} from '../../model/cost-shares';
import type { ProgramCost } from '../../protocol/snapshot';
import { shortCount, size } from '../../quantities';
import type { IEquationRef } from '../../tokens';

/**
 * Prints the cost: `512 op × 100 executions = 51.2 kop, 128 kB, 64 % of the program`; if the cost is unknown, says that it
 * was not counted.
 */
export function costLine(
  cost: ProgramCost | null,
  { scope, equation }: IEquationRef,
  trans: TranslationBundle
): string {
  if (cost === null) {
    return trans.__(
      'The cost is not counted yet: open the Cost tab to count the cost'
    );
  }
  const columns = cost.scopes.find(columns => columns.scope === scope);
  const flops = columns?.flops[equation] ?? -1;
  const transcendentals = columns?.transcendentals[equation] ?? -1;
  const bytes = columns?.bytes[equation] ?? -1;
  if (!columns || flops < 0 || transcendentals < 0) {
    return bytes < 0 || !columns
      ? trans.__('Operations and bytes: not counted')
      : trans.__(
          'Operations: not counted, bytes: %1',
          size(bytes * columns.runs)
        );
  }
  const { runs } = columns;
  const once = { flops, transcendentals, bytes: Math.max(0, bytes) };
  const all = {
    flops: flops * runs,
    transcendentals: transcendentals * runs,
    bytes: once.bytes * runs
  };
  const measure = measureOf(cost);
  const total = amountOf(cost, measure);
  const share = percent(
    total > 0 ? Math.min(1, measured(all, measure) / total) : 0
  );
  const moved = bytes < 0 ? trans.__('bytes not counted') : size(all.bytes);
  const work = amountWords(all, 'work', trans);
  if (columns.per_trip) {
    return trans.__(
      '%1, %2 in one step of the loop; the number of steps is unknown',
      work,
      moved
    );
  }
  if (columns.runs_min < runs) {
    return trans.__('at most %1, %2, %3 of the total cost', work, moved, share);
  }
  return runs === 1
    ? trans.__('%1, %2, %3 of the total cost', work, moved, share)
    : trans._n(
        '%2 × %5 execution = %3, %4, %6 of the total cost',
        '%2 × %5 executions = %3, %4, %6 of the total cost',
        runs,
        amountWords(once, 'work', trans),
        work,
        moved,
        shortCount(runs),
        share
      );
}
