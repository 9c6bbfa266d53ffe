/**
 * Folds the input variables of a program so that their line takes at most two lines of the screen.
 *
 * Widths are counted in characters of the code's font, as the editor breaks lines at spaces only.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { ITree, numbersIn, rootOf, treeWords } from '../../parts/tree-words';
import type { ProgramEquations } from '../../program-text/equations';
import type { IPrintedRow } from '../../program-text/row-printer';
import type { IRow } from '../../program-text/row';
import type { ILineChip } from '../languages/line';
import type { IListedLine } from './listing';

/** A variable that a program takes as an input. */
export interface IBinder {
  from: number;
  /** The position in the line where the variable's type ends. */
  to: number;
  /** The Python name of the argument whose pytree has the variable as a leaf; empty if unknown. */
  tree: string;
  /** The number of elements of the variable's array; null if unknown. */
  numbers: number | null;
}

/** The input variables of a program take at most this many lines of the screen. */
const MOST_LINES = 2;
/** The number of variables that are shown while the width of the editor is unknown. */
const MOST_BINDERS = 12;
/** If the results or the operands of an equation are shortened, at least this many of them stay visible. */
export const FEWEST = 2;
/** The font size of tags and chips, which have a border, relative to the font size of the code. */
const SMALL = 10 / 12;
const BORDER = 1.8;

/** The variables of one pytree, which one chip can stand for; or a single variable. */
interface IGroup {
  binders: readonly IBinder[];
  /** The widths, in characters, of the words that the unfolded group shows. */
  open: number[];
  label: string;
  closed: boolean;
}

/** The variables that a program takes as inputs, from the program's first row. */
export function bindersOf(
  { scope }: IRow,
  { parts }: IPrintedRow,
  equations: ProgramEquations,
  nameOf: (scope: number, variable: number) => string | null
): IBinder[] {
  return parts.flatMap((part, i) => {
    if (part.kind !== 'binder') {
      return [];
    }
    const aval = equations.aval(scope, part.variable);
    const type = parts[i + 1];
    return [
      {
        from: part.from,
        to: type?.kind === 'type' ? type.to : part.to,
        tree: rootOf(nameOf(scope, part.variable) ?? ''),
        numbers: aval ? numbersIn(aval.shape) : null
      }
    ];
  });
}

/** True if a part of a line may be hidden behind a chip: the part at the position `at`, or any part. */
export function hidesText(line: IListedLine, at?: number): boolean {
  const places = [
    ...line.chips,
    ...(line.decimals ?? []),
    ...(line.binders ?? []),
    ...(line.lists ?? []).map(({ starts, to }) => ({
      from: starts[FEWEST],
      to
    }))
  ];
  return at === undefined
    ? places.length > 0
    : places.some(({ from, to }) => from <= at && at < to);
}

/**
 * Choose the variables to fold into chips.
 * @param line The line, without the chips of an earlier choice.
 * @param length The length of the line's text.
 * @param columns The number of characters that fit side by side; null if unknown.
 */
export function binderChips(
  line: IListedLine,
  length: number,
  columns: number | null,
  trans: TranslationBundle
): readonly ILineChip[] {
  const { binders } = line;
  if (!binders || binders.length === 0) {
    return line.chips;
  }
  const before = binders[0].from;
  const after = length - binders[binders.length - 1].to;
  const groups = grouped(line, binders, trans);
  const isShort = (shown: readonly IGroup[], rest: string): boolean =>
    columns === null
      ? shown.reduce((sum, group) => sum + piecesOf(group).length, 0) <=
        2 * MOST_BINDERS
      : linesOf(
          [
            before,
            ...shown.flatMap(piecesOf),
            ...(rest === '' ? [] : [small(rest)]),
            after
          ],
          columns
        ) <= MOST_LINES;
  const foldable = groups
    .filter(({ label }) => label !== '')
    .sort((a, b) => b.binders.length - a.binders.length);
  const toClose = least(foldable.length, count => {
    foldable.forEach((group, i) => (group.closed = i < count));
    return isShort(groups, '');
  });
  foldable.forEach((group, i) => (group.closed = i < toClose));
  // If folding groups is not enough, a last chip says how many variables follow.
  const behind: number[] = [];
  groups.reduceRight((sum, group, i) => {
    behind[i] = sum + group.binders.length;
    return behind[i];
  }, 0);
  const left = least(groups.length - 1, count => {
    const shown = groups.length - count;
    return isShort(
      groups.slice(0, shown),
      count === 0 ? '' : `+${behind[shown]}`
    );
  });
  const shown = groups.length - left;
  const chips = groups
    .slice(0, shown)
    .filter(({ closed }) => closed)
    .map(group => ({
      from: group.binders[0].from,
      to: group.binders[group.binders.length - 1].to,
      label: group.label
    }));
  if (shown < groups.length) {
    chips.push({
      from: groups[shown].binders[0].from,
      to: binders[binders.length - 1].to,
      label: `+${behind[shown]}`
    });
  }
  return chips;
}

/** Groups neighbouring variables of one pytree; a variable without a name stands alone. */
function grouped(
  line: IListedLine,
  binders: readonly IBinder[],
  trans: TranslationBundle
): IGroup[] {
  const groups: (IGroup & { binders: IBinder[] })[] = [];
  const tags = new Map<number, number[]>();
  for (const { at, text } of line.tags ?? []) {
    tags.set(at, [...(tags.get(at) ?? []), small(text)]);
  }
  for (const binder of binders) {
    const last = groups[groups.length - 1];
    const open = [binder.to - binder.from + 1, ...(tags.get(binder.to) ?? [])];
    if (last && binder.tree !== '' && last.binders[0].tree === binder.tree) {
      last.binders.push(binder);
      last.open.push(...open);
    } else {
      groups.push({ binders: [binder], open, label: '', closed: false });
    }
  }
  for (const group of groups) {
    if (group.binders.length > 1) {
      group.label = treeWords(treeOf(group.binders), trans);
    }
  }
  return groups;
}

function treeOf(binders: readonly IBinder[]): ITree {
  return {
    name: binders[0].tree,
    arrays: binders.length,
    numbers: binders.reduce<number | null>(
      (sum, { numbers }) =>
        sum === null || numbers === null ? null : sum + numbers,
      0
    )
  };
}

/** The widths of the words that a group shows on the screen. */
function piecesOf(group: IGroup): number[] {
  return group.closed ? [small(group.label)] : group.open;
}

/**
 * The least number up to `most` for which `holds` is true; `most` if it is true for none. `holds` must stay true for
 * all greater numbers.
 */
function least(most: number, holds: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** The width of a tag or a chip, in characters of the code's font. */
export function small(text: string): number {
  return text.length * SMALL + BORDER;
}

/** The number of lines on the screen that words of these widths take. */
function linesOf(widths: readonly number[], columns: number): number {
  let lines = 1;
  let used = 0;
  for (const width of widths) {
    if (used > 0 && used + width > columns) {
      lines++;
      used = 0;
    }
    // A word that is longer than a line continues on the next line.
    lines += Math.max(0, Math.ceil(width / columns) - 1);
    used += width;
    used %= columns;
  }
  return lines;
}
