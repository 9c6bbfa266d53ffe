/** Makes the list of a diff: its rows, and folded runs of equal rows with their counts. */
import { DiffRow, ProgramDiff } from '../../protocol/snapshot';

/** Equal rows that stay around one that differs. */
const CONTEXT = 3;

/** A stretch that is not longer is not folded. */
const SHORT = 2;

export type Item = {
  /** Index of the row, of the first one in the fold, or of the one after those that the kernel left out. */
  index: number;
  /** Rows right before it, or in it, are hidden. */
  gap: boolean;
} & (
  | { kind: 'row'; row: DiffRow }
  | {
      kind: 'fold';
      /** Index of the last row in it. */
      last: number;
      count: number;
      /** Rows that the kernel left out cannot be opened here. */
      opens: boolean;
    }
);

/**
 * What is listed.
 *
 * @param opened Rows in folds that the user opened.
 * @param hidden Of each row: not 0 where it is hidden; see hidden-rows.ts.
 */
export function itemsOf(
  diff: ProgramDiff,
  opened: ReadonlySet<number>,
  hidden: Uint8Array
): Item[] {
  const { rows } = diff;
  const shown: number[] = [];
  // Of each shown row, and of the end: how many rows the kernel left out before it.
  const skipped = [0];
  rows.forEach((row, index) => {
    skipped[shown.length] += row.skipped;
    if (hidden[index] === 0) {
      shown.push(index);
      skipped.push(0);
    }
  });
  skipped[shown.length] += diff.skipped;
  const open = shown.map(index => opened.has(index));
  shown.forEach((index, at) => {
    if (rows[index].sign !== 'same') {
      open.fill(true, Math.max(0, at - CONTEXT), at + CONTEXT + 1);
    }
  });
  const items: Item[] = [];
  const gapBefore = (at: number): boolean =>
    shown[at] !== (at === 0 ? 0 : shown[at - 1] + 1);
  const addRow = (at: number): void => {
    const index = shown[at];
    items.push({ kind: 'row', row: rows[index], index, gap: gapBefore(at) });
  };
  for (let at = 0; at < shown.length; at++) {
    if (skipped[at] > 0) {
      items.push(leftOut(shown[at], skipped[at]));
    }
    if (open[at]) {
      addRow(at);
      continue;
    }
    let end = at + 1;
    while (end < shown.length && !open[end] && skipped[end] === 0) {
      end++;
    }
    const places = Array.from({ length: end - at }, (_, i) => at + i);
    if (places.length <= SHORT) {
      places.forEach(addRow);
    } else {
      items.push({
        kind: 'fold',
        index: shown[at],
        last: shown[end - 1],
        count: places.length,
        opens: true,
        gap: places.some(gapBefore)
      });
    }
    at = end - 1;
  }
  const after = skipped[shown.length];
  if (after > 0) {
    items.push(leftOut(rows.length, after));
  }
  return items;
}

function leftOut(index: number, count: number): Item {
  return { kind: 'fold', index, last: index, count, opens: false, gap: false };
}

/** A name of an item that stays when others come or go. */
export function keyOf(item: Item): string {
  const kind =
    item.kind === 'row' ? 'row' : item.opens ? 'equal' : 'left out before';
  return `${kind} ${item.index}`;
}

/** Where an item stands that was listed before; where it is gone, the last one before its place, or else the first. */
export function placeOf(items: readonly Item[], item: Item): number {
  const key = keyOf(item);
  const same = items.findIndex(one => keyOf(one) === key);
  if (same >= 0) {
    return same;
  }
  const after = items.findIndex(one => one.index > item.index);
  return Math.max(0, (after < 0 ? items.length : after) - 1);
}

/** Where the next difference begins, from an item on; where there is none further, the first or last one. */
export function nextDifference(
  items: readonly Item[],
  from: number,
  by: 1 | -1
): number {
  const starts = items.flatMap((item, at) =>
    differs(item) && (at === 0 || !differs(items[at - 1])) ? [at] : []
  );
  if (starts.length === 0) {
    return -1;
  }
  return by === 1
    ? (starts.find(start => start > from) ?? starts[0])
    : ([...starts].reverse().find(start => start < from) ??
        starts[starts.length - 1]);
}

function differs(item: Item): boolean {
  return item.kind === 'row' && item.row.sign !== 'same';
}
