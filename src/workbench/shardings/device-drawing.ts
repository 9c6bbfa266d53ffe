/**
 * Draws how an array is sharded: a box for each block with the numbers of its devices, and the index ranges along both
 * axes.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Layout, SpreadArray } from '../../protocol/snapshot';
import { IDrawing, Look, Pieces, widthOf } from '../../parts/drawn-pieces';
import { IParts, partsOf, rangeOf, runsOf } from './blocks-of-array';

/** A picture is at least NARROWEST and at most WIDEST pixels wide. */
const NARROWEST = 200;
const WIDEST = 420;
const LINE = 16;
const GAP = 6;
/** A picture shows at most the first this many boxes of each row and column. */
const MOST_ROWS = 16;
const MOST_COLUMNS = 16;
const LOOKS: readonly Look[] = [
  'shard0',
  'shard1',
  'shard2',
  'shard3',
  'shard4',
  'shard5',
  'shard6',
  'shard7'
];

/** Draws the picture of an array; null if it is unknown which device holds which block. */
export function drawShards(
  array: SpreadArray,
  layout: Layout,
  width: number,
  trans: TranslationBundle
): IDrawing | null {
  const parts = partsOf(array, layout);
  if (parts === null) {
    return null;
  }
  const whole = Math.round(Math.min(Math.max(width, NARROWEST), WIDEST));
  const rows = Math.min(parts.rows, MOST_ROWS);
  const columns = Math.min(parts.columns, MOST_COLUMNS);
  const pieces = new Pieces();
  const sides = Array.from({ length: rows }, (_, row) =>
    parts.rowAxis === null ? '' : rangeOf(array, parts.rowAxis, row)
  );
  const left = Math.max(0, ...sides.map(side => widthOf(side, 'name')));
  const x0 = left === 0 ? 1 : Math.ceil(left) + GAP;
  let y0 = 0;
  for (const words of titles(array, parts, trans)) {
    pieces.text(0, y0 + 11, words, 'quiet', 'start', whole);
    y0 += LINE;
  }
  const box = (whole - x0 - 1) / columns;
  if (parts.columnAxis !== null) {
    for (let column = 0; column < columns; column++) {
      const range = rangeOf(array, parts.columnAxis, column);
      const x = x0 + (column + 0.5) * box;
      pieces.text(x, y0 + 11, range, 'name', 'middle', box);
    }
    y0 += LINE;
  }
  const height = rows > 8 ? 22 : 30;
  for (const { row, column, devices } of parts.blocks) {
    if (row >= rows || column >= columns) {
      continue;
    }
    const x = x0 + column * box;
    const y = y0 + 1 + row * height;
    pieces.box(x, y, box, height, LOOKS[(devices[0] ?? 0) % LOOKS.length]);
    pieces.text(
      x + box / 2,
      y + height / 2 + 4,
      runsOf(devices),
      'strong',
      'middle',
      box - 4
    );
  }
  sides.forEach((side, row) =>
    pieces.text(left, y0 + 1 + (row + 0.5) * height + 4, side, 'name', 'end')
  );
  let end = y0 + 2 + rows * height;
  if (rows < parts.rows || columns < parts.columns) {
    const words = trans.__(
      'The picture shows the first %1 × %2 of %3 × %4 blocks.',
      rows,
      columns,
      parts.rows,
      parts.columns
    );
    pieces.text(0, end + 12, words, 'quiet', 'start', whole);
    end += LINE + 2;
  }
  return { width: whole, height: end, shapes: pieces.shapes };
}

/** The titles of the picture's axes, as text. */
function titles(
  array: SpreadArray,
  { rowAxis, columnAxis, otherAxes }: IParts,
  trans: TranslationBundle
): string[] {
  if (rowAxis === null && columnAxis === null) {
    return [trans.__('Every device holds the whole array.')];
  }
  const lines = [];
  if (rowAxis === null) {
    lines.push(
      trans.__(
        'The columns are the pieces of axis %1 of the array.',
        columnAxis
      )
    );
  } else if (columnAxis === null) {
    lines.push(
      trans.__('The rows are the pieces of axis %1 of the array.', rowAxis)
    );
  } else {
    lines.push(
      trans.__(
        'Rows: axis %1 of the array. Columns: axis %2.',
        rowAxis,
        columnAxis
      )
    );
  }
  if (otherAxes.length > 0) {
    lines.push(
      trans._n(
        'The array is also split along axis %2 (not drawn).',
        'The array is also split along axes %2 (not drawn).',
        otherAxes.length,
        otherAxes.join(', ')
      )
    );
  }
  return lines;
}

/** The description of a picture names at most this many blocks. */
const MOST_TOLD = 32;

/** The text in place of the picture of an array whose shards have no known devices. */
export const unknownDevicesWords = (trans: TranslationBundle): string =>
  trans.__('It is unknown which device holds which shard.');

/** A description of the picture, for users who cannot see the picture. */
export function shardsWords(
  array: SpreadArray,
  layout: Layout,
  trans: TranslationBundle
): string {
  const parts = partsOf(array, layout);
  if (parts === null) {
    return trans.__(
      '%1 has the type %2 and the sharding %3. It is unknown which device holds which shard.',
      array.name,
      array.type,
      layout.spec
    );
  }
  if (parts.rowAxis === null && parts.columnAxis === null) {
    return trans.__(
      '%1 has the type %2 and the sharding %3. Every device holds the whole array: %4.',
      array.name,
      array.type,
      layout.spec,
      runsOf(parts.blocks[0]?.devices ?? [])
    );
  }
  const { rowAxis, columnAxis, blocks } = parts;
  const sentences = blocks
    .slice(0, MOST_TOLD)
    .map(({ row, column, devices }) => {
      const ranges = [
        rowAxis === null ? null : rangeOf(array, rowAxis, row),
        columnAxis === null ? null : rangeOf(array, columnAxis, column)
      ].filter(range => range !== null);
      return trans._n(
        'Device %3 holds [%2].',
        'Devices %3 hold [%2].',
        devices.length,
        ranges.join(', '),
        runsOf(devices)
      );
    });
  if (blocks.length > MOST_TOLD) {
    sentences.push(
      trans._n(
        '%1 more block of the array is not listed.',
        '%1 more blocks of the array are not listed.',
        blocks.length - MOST_TOLD
      )
    );
  }
  return [
    trans.__(
      '%1 has the type %2 and the sharding %3.',
      array.name,
      array.type,
      layout.spec
    ),
    ...sentences
  ].join(' ');
}
