/** Holds the order of the columns, the hidden columns, the widths, and the common scrolling, as plain data. */
import type { LevelName } from '../tokens';

/** A column of the wide view. */
export type ColumnName = 'source' | LevelName;

export const COLUMNS: readonly ColumnName[] = [
  'source',
  'jaxpr',
  'stablehlo',
  'hlo'
];

/** The arrangement of the columns: order, hidden columns, widths, common scrolling. */
export interface IArrangement {
  /** All columns from left to right, including hidden ones. */
  readonly order: readonly ColumnName[];
  /** The hidden columns; null until the user has chosen columns: until then the view shows as many columns as fit. */
  readonly hidden: readonly ColumnName[] | null;
  /** For each column, its share of the width, relative to the other columns. */
  readonly weights: Readonly<Record<ColumnName, number>>;
  /** True if a selection in one column scrolls the others. */
  readonly together: boolean;
}

export const FIRST_ARRANGEMENT: IArrangement = {
  order: COLUMNS,
  hidden: null,
  weights: { source: 1, jaxpr: 1, stablehlo: 1, hlo: 1 },
  together: true
};

/** A column has at least this share of the width of itself and its neighbour. */
const LEAST = 0.15;

/** Reads a remembered arrangement; invalid parts get their default. */
export function arrangementFrom(remembered: unknown): IArrangement {
  const { order, hidden, weights, together } = (
    typeof remembered === 'object' && remembered !== null ? remembered : {}
  ) as Partial<Record<keyof IArrangement, unknown>>;
  const names = (value: unknown): ColumnName[] =>
    Array.isArray(value)
      ? COLUMNS.filter(column => value.includes(column)).sort(
          (a, b) => value.indexOf(a) - value.indexOf(b)
        )
      : [];
  const ordered = names(order);
  const away = names(hidden);
  const parts = (weights ?? {}) as Record<string, unknown>;
  const weight = (column: ColumnName): number => {
    const value = parts[column];
    return typeof value === 'number' && value > 0.01 && value < 100 ? value : 1;
  };
  return {
    order: ordered.length === COLUMNS.length ? ordered : COLUMNS,
    hidden: Array.isArray(hidden) && away.length < COLUMNS.length ? away : null,
    weights: {
      source: weight('source'),
      jaxpr: weight('jaxpr'),
      stablehlo: weight('stablehlo'),
      hlo: weight('hlo')
    },
    together: together !== false
  };
}

/** The columns in sight, from left to right. */
export function shownColumns(
  { order, hidden }: IArrangement,
  fit: readonly ColumnName[]
): ColumnName[] {
  return order.filter(column =>
    hidden === null ? fit.includes(column) : !hidden.includes(column)
  );
}

/** Shows or hides a column; the last visible column stays. */
export function toggled(
  arrangement: IArrangement,
  fit: readonly ColumnName[],
  column: ColumnName
): IArrangement {
  const shown = shownColumns(arrangement, fit);
  const wanted = COLUMNS.filter(
    name => shown.includes(name) !== (name === column)
  );
  return wanted.length === 0
    ? arrangement
    : {
        ...arrangement,
        hidden: COLUMNS.filter(name => !wanted.includes(name))
      };
}

/** Moves a column past its visible neighbour. */
export function moved(
  arrangement: IArrangement,
  fit: readonly ColumnName[],
  column: ColumnName,
  by: 1 | -1
): IArrangement {
  const shown = shownColumns(arrangement, fit);
  const neighbour = shown[shown.indexOf(column) + by];
  if (!shown.includes(column) || neighbour === undefined) {
    return arrangement;
  }
  const order = arrangement.order.filter(name => name !== column);
  order.splice(order.indexOf(neighbour) + (by > 0 ? 1 : 0), 0, column);
  return { ...arrangement, order };
}

/** The left column's share of the two columns beside a divider, from 0 to 1. */
export function shareOf(
  { weights }: IArrangement,
  left: ColumnName,
  right: ColumnName
): number {
  return weights[left] / (weights[left] + weights[right]);
}

/** Moves a divider: the left column gets `share` of the two columns. */
export function divided(
  arrangement: IArrangement,
  left: ColumnName,
  right: ColumnName,
  share: number
): IArrangement {
  const { weights } = arrangement;
  const both = weights[left] + weights[right];
  const part = Math.min(Math.max(share, LEAST), 1 - LEAST);
  return {
    ...arrangement,
    weights: { ...weights, [left]: both * part, [right]: both * (1 - part) }
  };
}
