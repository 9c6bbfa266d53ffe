/**
 * Shortens an equation that does not fit into one line of the screen: its long decimals, in a narrow panel its
 * parameters, and long lists of results or operands, such as those of a loop that carries all weights of a model.
 *
 * Widths are counted in characters of the code's font.
 */
import { LONG_LIST } from '../../program-text/row-printer';
import type { ILineChip } from '../languages/line';
import { FEWEST, small } from './binder-chips';
import type { IColumns } from './line-columns';
import type { IListedLine } from './listing';

/** An equation with lists takes at most about this many lines, if two members of each list fit. */
const MOST_LINES = 2;
/** The average number of characters that stay free at the end of a line, because types do not break. */
const FREE = 4;

/**
 * Choose the chips of a line; for the line with a program's input variables, `binderChips` chooses the chips instead.
 * @param line The line, with the chips of a wide line.
 * @param length The length of the line's text.
 * @param columns The numbers of characters that fit side by side; null if unknown.
 */
export function narrowChips(
  line: IListedLine,
  length: number,
  columns: IColumns | null
): readonly ILineChip[] {
  const { chips, lists } = line;
  if (columns === null) {
    return chips;
  }
  if (countLines(line, length, chips, columns) === 1) {
    return chips;
  }
  return waysToShorten(line, columns.isNarrow)
    .map(chips =>
      lists?.length && countLines(line, length, chips, columns) > MOST_LINES
        ? shorterLists(chips, line, length, columns)
        : chips
    )
    .map(chips => ({ chips, lines: countLines(line, length, chips, columns) }))
    .reduce((best, next) => (next.lines < best.lines ? next : best)).chips;
}

/**
 * The ways to shorten a line, each a list of chips: with shorter decimals; in a narrow panel, also with shorter
 * decimals and the short labels of the chips.
 */
function waysToShorten(
  { chips, decimals = [] }: IListedLine,
  isNarrow: boolean
): readonly (readonly ILineChip[])[] {
  const shorter = inOrder([...chips, ...decimals.filter(isOutside(chips))]);
  const isShort = ({ short, label }: ILineChip): boolean =>
    short === undefined || short === label;
  return !isNarrow || chips.every(isShort)
    ? [shorter]
    : [
        shorter,
        shorter.map(chip => ({ ...chip, label: chip.short ?? chip.label }))
      ];
}

/**
 * The chips that shorten the lists of an equation so far that it takes at most about `MOST_LINES` lines of the screen.
 */
function shorterLists(
  chips: readonly ILineChip[],
  line: IListedLine,
  length: number,
  columns: IColumns
): readonly ILineChip[] {
  const { lists = [] } = line;
  const room = MOST_LINES * Math.max(columns.further - FREE, 1);
  const ofLists = (chip: ILineChip): boolean =>
    lists.some(
      ({ starts, to }) => chip.to === to && starts.includes(chip.from)
    );
  const others = chips.filter(chip => !ofLists(chip));
  let chosen = chips;
  for (let count = LONG_LIST - 1; count >= FEWEST; count--) {
    const shortened = lists
      .filter(({ starts }) => starts.length > count + 1)
      .map(({ starts, to }) => ({
        from: starts[count],
        to,
        label: `+${starts.length - count}`
      }));
    chosen = inOrder([...others.filter(isOutside(shortened)), ...shortened]);
    if (widthOf(line, length, chosen) <= room) {
      return chosen;
    }
  }
  return chosen;
}

function isOutside(chips: readonly ILineChip[]): (chip: ILineChip) => boolean {
  return ({ from }) => !chips.some(chip => chip.from <= from && from < chip.to);
}

function inOrder(chips: readonly ILineChip[]): ILineChip[] {
  return [...chips].sort((a, b) => a.from - b.from);
}

/** About how many lines of the screen a line of the listing takes if `chips` replace parts of its text. */
function countLines(
  line: IListedLine,
  length: number,
  chips: readonly ILineChip[],
  { first, further }: IColumns
): number {
  const width = widthOf(line, length, chips);
  return width <= first
    ? 1
    : Math.max(2, Math.ceil(width / Math.max(further - FREE, 1)));
}

/** The width of the text, the chips and the tags that are shown. */
function widthOf(
  { tags }: IListedLine,
  length: number,
  chips: readonly ILineChip[]
): number {
  const hidden = chips.reduce((sum, { from, to }) => sum + to - from, 0);
  const labels = chips.reduce((sum, { label }) => sum + small(label), 0);
  const shown = (tags ?? []).filter(
    ({ at }) => !chips.some(({ from, to }) => from < at && at <= to)
  );
  return (
    length -
    hidden +
    labels +
    shown.reduce((sum, { text }) => sum + small(text), 0)
  );
}
