/**
 * Makes the texts of the columns and rows of a sweep's table.
 *
 * jupyter_jaxpr/exports/time_tables.py writes the same cells for the exports; tests compare both with
 * tests/measured_tables.json.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { Sweep, SweepPoint } from '../../protocol/snapshot';
import { duration, factor, grouped, operations, size } from '../../quantities';
import { shortened } from '../../parts/summary';
import { Choice, LONGEST_NAME } from './series';

export type ColumnName =
  | 'eager'
  | 'first'
  | 'warm'
  | 'ratio'
  | 'trace'
  | 'lower'
  | 'compile'
  | 'equations'
  | 'bytes'
  | 'flops';

export interface IColumn {
  name: ColumnName;
  label: string;
  /** The text for a point; null if the point was not measured. */
  words: (point: SweepPoint) => string | null;
}

/** A value as the user typed it; a whole number has separators between thousands. */
export function valueWords(point: SweepPoint): string {
  return point.number !== null && String(point.number) === point.value
    ? Number.isInteger(point.number)
      ? grouped(point.number)
      : point.value
    : shortened(point.value, LONGEST_NAME);
}

export function columns(trans: TranslationBundle): readonly IColumn[] {
  const time =
    (of: (point: SweepPoint) => number | null) =>
    (point: SweepPoint): string | null => {
      const seconds = of(point);
      return seconds === null ? null : duration(seconds);
    };
  const count =
    (of: (point: SweepPoint) => number | null, words: (n: number) => string) =>
    (point: SweepPoint): string | null => {
      const number = of(point);
      return number === null ? null : words(number);
    };
  return [
    {
      name: 'eager',
      label: trans.__('eager'),
      words: time(({ eager }) => eager?.median ?? null)
    },
    {
      name: 'first',
      label: trans.__('first call'),
      words: time(({ first }) => first)
    },
    {
      name: 'warm',
      label: trans.__('warm'),
      words: time(({ warm }) => warm?.median ?? null)
    },
    {
      name: 'ratio',
      label: trans.__('eager / warm'),
      words: ({ eager, warm, ratio = null }) =>
        ratio !== null
          ? `${factor(ratio)}×`
          : eager === null || warm === null
            ? null
            : '–'
    },
    {
      name: 'trace',
      label: trans.__('trace'),
      words: time(({ trace }) => trace)
    },
    {
      name: 'lower',
      label: trans.__('lower'),
      words: time(({ lower }) => lower)
    },
    {
      name: 'compile',
      label: trans.__('compile'),
      words: point =>
        point.compile === null
          ? null
          : point.from_disk
            ? trans.__('%1 from disk', duration(point.compile))
            : duration(point.compile)
    },
    {
      name: 'equations',
      label: trans.__('equations'),
      words: count(({ equations }) => equations, grouped)
    },
    {
      name: 'bytes',
      label: trans.__('bytes'),
      words: count(({ bytes }) => bytes, size)
    },
    {
      name: 'flops',
      label: trans.__('operations'),
      words: count(({ flops }) => flops, operations)
    }
  ];
}

const SHOWN: Readonly<Record<'times' | 'program', readonly ColumnName[]>> = {
  times: ['eager', 'first', 'warm', 'ratio'],
  program: ['trace', 'lower', 'compile', 'equations', 'bytes', 'flops']
};

/** The columns that belong to the plotted quantity and are not empty. */
export function shownColumns(
  sweep: Sweep,
  choice: Choice,
  trans: TranslationBundle
): readonly IColumn[] {
  const names =
    SHOWN[choice === 'time' || choice === 'warm' ? 'times' : 'program'];
  return columns(trans).filter(
    ({ name, words }) =>
      names.includes(name) && sweep.points.some(point => words(point) !== null)
  );
}

/** All columns that are not empty, for copying. */
export function allColumns(
  sweep: Sweep,
  trans: TranslationBundle
): readonly IColumn[] {
  return columns(trans).filter(({ words }) =>
    sweep.points.some(point => words(point) !== null)
  );
}
