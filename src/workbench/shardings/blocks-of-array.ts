/**
 * Finds the blocks of a sharded array: rows, columns, and the devices of each block.
 *
 * A picture has two axes. If an array is split along more than two axes, a block stands for several shards, and the
 * picture names the axes that it does not draw.
 */
import type { Layout, SpreadArray } from '../../protocol/snapshot';

export interface IBlock {
  row: number;
  column: number;
  /** The numbers of the devices, ascending, without repetition. */
  devices: readonly number[];
}

export interface IParts {
  /** The array's axes that the picture draws downwards and across; null if it draws no axis in that direction. */
  rowAxis: number | null;
  columnAxis: number | null;
  rows: number;
  columns: number;
  blocks: readonly IBlock[];
  /** The axes that are split but not drawn. */
  otherAxes: readonly number[];
}

/** The blocks of an array's picture; null if it is unknown which device holds which block. */
export function partsOf(array: SpreadArray, layout: Layout): IParts | null {
  const { splits, holders } = layout;
  if (holders.length === 0) {
    return null;
  }
  const cut = splits.flatMap((parts, axis) => (parts > 1 ? [axis] : []));
  let [rowAxis, columnAxis] = axesOf(cut, array.shape.length);
  if (cut.length === 0) {
    rowAxis = columnAxis = null;
  }
  const rows = rowAxis === null ? 1 : splits[rowAxis];
  const columns = columnAxis === null ? 1 : splits[columnAxis];
  const devicesByBlock = new Map<number, Set<number>>();
  holders.forEach((devices, part) => {
    const place = placeOf(part, splits);
    const row = rowAxis === null ? 0 : place[rowAxis];
    const column = columnAxis === null ? 0 : place[columnAxis];
    const at = row * columns + column;
    const block = devicesByBlock.get(at) ?? new Set();
    devices.forEach(device => block.add(device));
    devicesByBlock.set(at, block);
  });
  return {
    rowAxis,
    columnAxis,
    rows,
    columns,
    blocks: [...devicesByBlock].map(([at, devices]) => ({
      row: Math.floor(at / columns),
      column: at % columns,
      devices: [...devices].sort((a, b) => a - b)
    })),
    otherAxes: cut.filter(axis => axis !== rowAxis && axis !== columnAxis)
  };
}

/** The index range of a shard along an axis, such as 0:8. */
export function rangeOf(
  array: SpreadArray,
  axis: number,
  part: number
): string {
  const size = array.shard?.[axis] ?? 0;
  const whole = array.shape[axis];
  const end = (part + 1) * size;
  return `${part * size}:${typeof whole === 'number' ? Math.min(end, whole) : end}`;
}

/** Prints device numbers in few letters: 0–7, or 0, 2, 4. */
export function runsOf(devices: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const device of devices) {
    const last = runs[runs.length - 1];
    if (last !== undefined && device === last[1] + 1) {
      last[1] = device;
    } else {
      runs.push([device, device]);
    }
  }
  return runs
    .flatMap(([first, last]) =>
      last - first > 1
        ? [`${first}–${last}`]
        : first === last
          ? [String(first)]
          : [String(first), String(last)]
    )
    .join(', ');
}

/**
 * The axes to draw downwards and across: the first two split axes; beside a single split axis, a second axis that is
 * not split.
 */
function axesOf(
  cut: readonly number[],
  rank: number
): [number | null, number | null] {
  if (cut.length === 1) {
    const [axis] = cut;
    if (rank === 1) {
      return [null, axis];
    }
    const otherAxis = axis === rank - 1 ? rank - 2 : rank - 1;
    return axis < otherAxis ? [axis, otherAxis] : [otherAxis, axis];
  }
  return [cut[0] ?? null, cut[1] ?? null];
}

function placeOf(part: number, splits: readonly number[]): number[] {
  const place = new Array<number>(splits.length);
  for (let axis = splits.length - 1; axis >= 0; axis--) {
    place[axis] = part % splits[axis];
    part = Math.floor(part / splits[axis]);
  }
  return place;
}
