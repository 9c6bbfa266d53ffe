/**
 * Facts of a cost come in; the words that the view and its copies share go out.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import {
  Measure,
  amountWords,
  count,
  measureOf,
  percent
} from '../../model/heat';
import { ProgramCost, Snapshot } from '../../protocol/snapshot';
import { ends, operations, size } from '../../quantities';
import { IStretch, bold, stretches } from '../../parts/stretches';
import { framePlace, shortened } from '../../parts/summary';
import { CostReading, Group, IRow } from './cost-rows';

/** Longer texts are cut. */
const LONGEST = 200;

/** `80.1 kFLOP per call. 64 % of it is on line 6.` */
export function lead(
  reading: CostReading,
  trans: TranslationBundle
): IStretch[] {
  const { cost } = reading;
  const measure = measureOf(cost);
  const total = reading.total(measure);
  const sentences = [
    amountSentence(cost, measure, total, trans),
    whereMost(reading, measure, trans)
  ].filter(sentence => sentence !== '');
  if (measure !== 'flops' && cost.unknown.length === 0) {
    sentences.unshift(trans.__('No floating-point operations.'));
  }
  if (cost.per_trip.length > 0) {
    sentences.push(
      trans._n(
        'One step of this loop is counted, because the number of its steps is unknown: %2.',
        'One step of each of these loops is counted, because the number of their steps is unknown: %2.',
        cost.per_trip.length,
        list(cost.per_trip, trans, '; ')
      )
    );
  }
  if (cost.unknown.length > 0) {
    sentences.push(
      trans.__(
        'Not counted, as there is no rule: %1.',
        list(cost.unknown, trans)
      )
    );
  }
  return stretches(sentences.join(' '));
}

function amountSentence(
  cost: ProgramCost,
  measure: Measure,
  total: number,
  trans: TranslationBundle
): string {
  const ranges = measure === 'flops' && cost.flops_min < cost.flops;
  const amount = bold(
    ranges
      ? range(cost.flops_min, cost.flops, trans)
      : amountWords(total, measure, trans)
  );
  if (cost.unknown.length > 0) {
    return trans.__('At least %1 per call.', amount);
  }
  return measure === 'bytes'
    ? trans.__('%1 are read and written per call.', amount)
    : trans.__('%1 per call.', amount);
}

/** `64 % of it is on line 6.` */
function whereMost(
  reading: CostReading,
  measure: Measure,
  trans: TranslationBundle
): string {
  const total = reading.total(measure);
  const [most] = reading.rows('line', { column: measure, descending: true });
  if (most === undefined || total === 0 || most.frame < 0) {
    return '';
  }
  const place = placeName(reading.snapshot, most.frame, trans);
  const share = most.amounts[measure] / total;
  if (share >= 0.9995) {
    return trans.__('All of it is on %1.', place);
  }
  const part = bold(percent(share));
  return reading.cost.flops_min < reading.cost.flops
    ? trans.__('Up to %1 of it is on %2.', part, place)
    : trans.__('%1 of it is on %2.', part, place);
}

/** `line 6`, `line 12 of model.py` */
function placeName(
  snapshot: Snapshot,
  frame: number,
  trans: TranslationBundle
): string {
  const [fileIndex, , line] = snapshot.frames[frame];
  const file = snapshot.files[fileIndex];
  if (file.kind !== 'cell') {
    return trans.__('line %1 of %2', line, fileName(file.path));
  }
  return isOwn(snapshot, frame) || file.execution_count === null
    ? trans.__('line %1', line)
    : trans.__('line %1 of cell [%2]', line, file.execution_count);
}

export function fileName(path: string): string {
  return shortened(path.split(/[\\/]/).pop() ?? path, 60);
}

/** Whether a frame is in the cell that ran. */
export function isOwn(snapshot: Snapshot, frame: number): boolean {
  return (
    frame >= 0 &&
    snapshot.files[snapshot.frames[frame][0]].path === snapshot.cell?.file
  );
}

/** `2 to 51.2 kFLOP`, the unit once where it is the same. */
export function range(
  least: number,
  most: number,
  trans: TranslationBundle
): string {
  const [from, to] = ends(operations(least), operations(most));
  return trans.__('%1 to %2', from, to);
}

/** A few of them, with how many more there are. */
function list(
  texts: readonly string[],
  trans: TranslationBundle,
  separator = ', '
): string {
  const most = 3;
  const shown = texts.slice(0, most).map(text => shortened(text, 80));
  const left = texts.length - shown.length;
  if (left > 0) {
    shown.push(trans.__('%1 more', left));
  }
  return shown.join(separator);
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
  measure: Measure,
  trans: TranslationBundle
): string {
  switch (measure) {
    case 'flops':
      return trans.__('FLOPs');
    case 'transcendentals':
      return trans.__('transcendentals');
    case 'bytes':
      return trans.__('bytes');
  }
}

/** An amount of a row, under the name of its column. */
export function cellWords(
  row: IRow,
  measure: Measure,
  trans: TranslationBundle
): string {
  const amount = row.amounts[measure];
  switch (measure) {
    case 'flops':
      return row.flopsLeast < row.flopsMost
        ? range(row.flopsLeast, row.flopsMost, trans)
        : operations(amount);
    case 'transcendentals':
      return count(amount);
    case 'bytes':
      return size(amount);
  }
}

/** What stands before a row: the line's number, or where it is. */
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
      where: row.group === 'line' ? trans.__('not on a line of yours') : ''
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

/** The label of a row, and for a scope how often it runs. */
export function labelOf(row: IRow): string {
  const label = shortened(row.label.trim(), LONGEST);
  return row.runs > 1 ? `${label} ${times(row.runs)}` : label;
}

export function times(runs: number): string {
  return `×\u00a0${count(runs)}`;
}

/** What the sums do not hold, below the table. */
export function asides(
  { cost }: CostReading,
  trans: TranslationBundle
): string[] {
  const words: string[] = [];
  if (cost.transcendentals > 0 && cost.flops > 0) {
    words.push(
      trans._n(
        'And %2 transcendental operation, counted apart.',
        'And %2 transcendental operations, counted apart.',
        cost.transcendentals,
        count(cost.transcendentals)
      )
    );
  }
  if (cost.flops_min < cost.flops) {
    words.push(
      trans.__(
        'A range goes from the cheapest to the most expensive branches. Shares are of the most expensive ones.'
      )
    );
  }
  words.push(trans.__('Bytes count each equation alone; fusion saves some.'));
  return words;
}
