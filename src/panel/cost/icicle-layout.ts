/**
 * Computes the bars of a tree: each bar is inside the width of its parent's bar, and as wide as its share of the total.
 */
import { CostNode } from '../../protocol/snapshot';
import { Measure, measured } from '../../model/cost-shares';

/** A bar of the icicle; left and width are shares of the total width, from 0 to 1. */
export interface IBar {
  index: number;
  parent: number;
  level: number;
  left: number;
  width: number;
}

export interface IIcicle {
  /** The bars: a parent before its children, siblings from left to right. */
  bars: readonly IBar[];
  levels: number;
  /**
   * How many nodes are not drawn: nodes that cost nothing, are too narrow or too deeply nested, or exceed the number of
   * bars.
   */
  left: number;
}

/** Nodes below this many levels, and nodes after this many bars, are counted, not drawn. */
const MOST_LEVELS = 12;
const MOST_BARS = 500;
/** Bars narrower than this share of the width are not drawn, because they could not be seen. */
const NARROWEST = 0.001;

export function icicleOf(
  nodes: readonly CostNode[],
  measure: Measure
): IIcicle {
  const children = new Map<number, number[]>();
  nodes.forEach(({ parent }, index) => {
    const siblings = children.get(parent) ?? [];
    siblings.push(index);
    children.set(parent, siblings);
  });
  const bars: IBar[] = [];
  let levels = 0;
  const add = (
    siblings: readonly number[],
    parent: number,
    level: number,
    left: number,
    width: number,
    whole: number
  ): void => {
    if (level >= MOST_LEVELS) {
      return;
    }
    // The branches of a cond may add up to more than the cond, because only one of them runs.
    const sum = siblings.reduce(
      (total, at) => total + measured(nodes[at], measure),
      0
    );
    const most = Math.max(whole, sum);
    const unit = most > 0 ? width / most : 0;
    for (const index of siblings) {
      const amount = measured(nodes[index], measure);
      const own = amount * unit;
      if (own < NARROWEST || bars.length >= MOST_BARS) {
        continue;
      }
      bars.push({ index, parent, level, left, width: own });
      levels = Math.max(levels, level + 1);
      add(children.get(index) ?? [], index, level + 1, left, own, amount);
      left += own;
    }
  };
  const roots = children.get(-1) ?? [];
  const whole = roots.reduce(
    (sum, at) => sum + measured(nodes[at], measure),
    0
  );
  add(roots, -1, 0, 0, 1, whole);
  return { bars, levels, left: nodes.length - bars.length };
}

/** The bar to which an arrow key moves; the same bar if there is none. */
export function neighbour(
  { bars }: IIcicle,
  at: number,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'
): number {
  const bar = bars[at];
  if (bar === undefined) {
    return at;
  }
  const place = (index: number): number => (index < 0 ? at : index);
  if (key === 'ArrowUp') {
    return place(bars.findIndex(candidate => candidate.index === bar.parent));
  }
  if (key === 'ArrowDown') {
    return place(bars.findIndex(candidate => candidate.parent === bar.index));
  }
  const row = bars.filter(candidate => candidate.level === bar.level);
  const step = row[row.indexOf(bar) + (key === 'ArrowLeft' ? -1 : 1)];
  return step === undefined ? at : bars.indexOf(step);
}
