/** Makes the texts on a cost, for the view and its copies. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Counted, Measure, percent } from '../../model/cost-shares';
import { TRANSCENDENTAL_WEIGHT } from '../../protocol/facts';
import { Snapshot } from '../../protocol/snapshot';
import { ends, operations, shortCount, size } from '../../quantities';
import { framePlace, shortened } from '../../parts/summary';
import { CostReading, Group, IRow, amountIn } from './cost-rows';

/** Labels with more characters than this are cut. */
const LONGEST = 200;
/**
 * The largest number of sentences that are shown: a saved document may hold more sentences than the kernel sends.
 */
const MOST_SENTENCES = 10;
const LONGEST_SENTENCE = 1000;

/** The kernel's sentences for the top of the view; a document of an older version has none. */
export function lead({ cost }: CostReading): string[] {
  return (cost.lead ?? [])
    .slice(0, MOST_SENTENCES)
    .map(text => shortened(text, LONGEST_SENTENCE));
}

/** The largest number of primitives in the line of primitives. */
const MOST_PRIMITIVES = 4;

/** The primitives with the largest shares of the cost, in one line; null if the program has no cost. */
export function primitivesWords(
  reading: CostReading,
  measure: Measure,
  trans: TranslationBundle
): string | null {
  const total = reading.total(measure);
  const rows = reading
    .rows('primitive', null)
    .filter(row => amountIn(row, measure) > 0)
    .sort((a, b) => amountIn(b, measure) - amountIn(a, measure));
  if (total <= 0 || rows.length === 0) {
    return null;
  }
  const shares = rows
    .slice(0, MOST_PRIMITIVES)
    .map(row => `${labelOf(row)} ${percent(amountIn(row, measure) / total)}`);
  const more = rows.length - shares.length;
  const list = shares.join(', ');
  return more > 0
    ? trans._n(
        'Cost by primitive: %2 and %1 more primitive.',
        'Cost by primitive: %2 and %1 more primitives.',
        more,
        list
      )
    : trans.__('Cost by primitive: %1.', list);
}

/** True if a frame is in the cell that ran. */
export function isOwn(snapshot: Snapshot, frame: number): boolean {
  return (
    frame >= 0 &&
    snapshot.files[snapshot.frames[frame][0]].path === snapshot.cell?.file
  );
}

/** A range such as `2 to 51.2 kop`; if both ends have the same unit, it is written once. */
export function range(
  least: number,
  most: number,
  trans: TranslationBundle
): string {
  const [from, to] = ends(operations(least), operations(most));
  return trans.__('%1 to %2', from, to);
}

export function groupName(group: Group, trans: TranslationBundle): string {
  switch (group) {
    case 'line':
      return trans.__('line');
    case 'primitive':
      return trans.__('primitive');
    case 'scope':
      return trans.__('scope');
    case 'name_stack':
      return trans.__('name stack');
  }
}

export function measureName(
  measure: Counted,
  trans: TranslationBundle
): string {
  switch (measure) {
    case 'flops':
      return trans.__('operations');
    case 'transcendentals':
      return trans.__('transcendentals');
    case 'bytes':
      return trans.__('bytes');
  }
}

/** The amount of a row as text, for the cell in the column of that amount. */
export function cellWords(
  row: IRow,
  measure: Counted,
  trans: TranslationBundle
): string {
  const amount = row.amounts[measure];
  switch (measure) {
    case 'flops':
      return row.flopsLeast < row.flopsMost
        ? range(row.flopsLeast, row.flopsMost, trans)
        : operations(amount);
    case 'transcendentals':
      return shortCount(amount);
    case 'bytes':
      return size(amount);
  }
}

/** The text in front of a row: its line number or its place. */
export function placeOf(
  reading: CostReading,
  row: IRow,
  trans: TranslationBundle
): { number: string; where: string } {
  const { snapshot } = reading;
  if (row.group === 'primitive') {
    return { number: '', where: '' };
  }
  if (row.frame < 0) {
    return {
      number: '',
      where: row.group === 'line' ? trans.__('no line of your code') : ''
    };
  }
  if (isOwn(snapshot, row.frame)) {
    return { number: String(snapshot.frames[row.frame][2]), where: '' };
  }
  return {
    number: '',
    where: framePlace(snapshot, row.frame, trans)?.label ?? ''
  };
}

/** The label of a row, and the number of runs of a scope. */
export function labelOf(row: IRow): string {
  const label = shortened(row.label.trim(), LONGEST);
  return row.runs > 1 ? `${label} ${times(row.runs)}` : label;
}

export function times(runs: number): string {
  return `×\u00a0${shortCount(runs)}`;
}

/** The sentences below the table on what the totals leave out. */
export function asides(
  { cost }: CostReading,
  trans: TranslationBundle
): string[] {
  const words: string[] = [];
  if (cost.transcendentals > 0 && cost.flops > 0) {
    words.push(
      trans.__(
        'Transcendental operations are counted separately. In the shares, a transcendental operation counts as %1 operations.',
        TRANSCENDENTAL_WEIGHT
      )
    );
  }
  if (cost.flops_min < Math.max(cost.flops, cost.flops_most ?? 0)) {
    words.push(
      trans.__(
        'A range spans the cheapest and the most expensive branches. Shares refer to the total with the most expensive branches.'
      )
    );
  }
  words.push(
    trans.__(
      'Bytes are counted for each equation alone. Fusion by XLA saves some of these bytes.'
    )
  );
  return words;
}
