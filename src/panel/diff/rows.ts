/** Makes the items of a diff's list: rows, and folds of consecutive equal rows with their number. */
import { DIFF_CONTEXT } from '../../protocol/facts';
import { DiffRow, ProgramDiff } from '../../protocol/snapshot';

/** A sequence of at most this many equal rows is not folded. */
const SHORT = 2;

export type Item = {
  /**
   * The index of the row; for a fold, of its first row; for rows that the kernel did not send, of the next row that it
   * sent.
   */
  index: number;
  /** True if rows directly before the item, or inside of it, are hidden. */
  gap: boolean;
} & (
  | { kind: 'row'; row: DiffRow }
  | {
      kind: 'fold';
      /** The index of the last row in the fold. */
      last: number;
      count: number;
      /** True if the rows can be unfolded here; false for rows that the kernel did not send. */
      opens: boolean;
    }
);

/**
 * The items of the list.
 * @param opened The rows in folds that the user opened.
 * @param hidden For each row, not 0 if it is hidden; see hidden-rows.ts.
 */
export function itemsOf(
  diff: ProgramDiff,
  opened: ReadonlySet<number>,
  hidden: Uint8Array
): Item[] {
  const { rows } = diff;
  const shown: number[] = [];
  // For each shown row, and for the end, how many rows before it the kernel did not send.
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
      open.fill(true, Math.max(0, at - DIFF_CONTEXT), at + DIFF_CONTEXT + 1);
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

/** A key for an item; it does not change when other items are added or removed. */
export function keyOf(item: Item): string {
  const kind =
    item.kind === 'row' ? 'row' : item.opens ? 'equal' : 'left out before';
  return `${kind} ${item.index}`;
}

/**
 * The index of an item of an earlier list; if it no longer exists, of the last item before its position, or of the
 * first item.
 */
export function placeOf(items: readonly Item[], item: Item): number {
  const key = keyOf(item);
  const same = items.findIndex(candidate => keyOf(candidate) === key);
  if (same >= 0) {
    return same;
  }
  const after = items.findIndex(candidate => candidate.index > item.index);
  return Math.max(0, (after < 0 ? items.length : after) - 1);
}

/**
 * The index at which the next difference begins, searched from an item; after the last difference comes the first one,
 * and the other way round. -1 if no item differs.
 */
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
