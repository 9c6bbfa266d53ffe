/**
 * A diff comes in; what is listed of it goes out: rows, and stretches of equal ones that are folded, with their counts.
 */
import { DiffRow, ProgramDiff } from '../../protocol/snapshot';

/** Equal rows that stay around one that differs. */
const CONTEXT = 3;

/** A stretch that is not longer is not folded. */
const SHORT = 2;

export type Item =
  | { kind: 'row'; row: DiffRow; index: number }
  | {
      kind: 'fold';
      /** Index of the first row in it; what opens it. */
      first: number;
      count: number;
      /** Rows that the kernel left out cannot be opened here. */
      opens: boolean;
    };

/** What only changes a dtype or a shape by repeating. */
const NOISE: ReadonlySet<string> = new Set([
  'broadcast',
  'broadcast_in_dim',
  'convert_element_type'
]);

export function isNoise(row: DiffRow): boolean {
  return row.what === 'equation' && NOISE.has(row.primitive);
}

/**
 * What is listed.
 *
 * @param opened First rows of folds that the user opened.
 * @param quiet Leave out conversions and broadcasts, on both sides alike.
 */
export function itemsOf(
  diff: ProgramDiff,
  opened: ReadonlySet<number>,
  quiet: boolean
): Item[] {
  const { rows } = diff;
  const shown = rows.map(row => !(quiet && isNoise(row)));
  const near = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    if (row.sign !== 'same' && shown[index]) {
      near.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
    }
  });
  const items: Item[] = [];
  for (let i = 0; i < rows.length; i++) {
    if (rows[i].skipped > 0) {
      items.push(fold(i, rows[i].skipped, false));
    }
    if (near[i] === 1) {
      if (shown[i]) {
        items.push({ kind: 'row', row: rows[i], index: i });
      }
      continue;
    }
    let end = i + 1;
    while (end < rows.length && near[end] === 0 && rows[end].skipped === 0) {
      end++;
    }
    const stretch = [];
    for (let index = i; index < end; index++) {
      if (shown[index]) {
        stretch.push(index);
      }
    }
    if (stretch.length <= SHORT || opened.has(i)) {
      for (const index of stretch) {
        items.push({ kind: 'row', row: rows[index], index });
      }
    } else {
      items.push(fold(i, stretch.length, true));
    }
    i = end - 1;
  }
  if (diff.skipped > 0) {
    items.push(fold(rows.length, diff.skipped, false));
  }
  return items;
}

function fold(first: number, count: number, opens: boolean): Item {
  return { kind: 'fold', first, count, opens };
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
