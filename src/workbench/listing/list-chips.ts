/**
 * Shortens the results and the operands of an equation that would take many lines of the editor, such as a loop that
 * carries all weights of a model.
 *
 * Widths are counted in characters of the code's font.
 */
import { LONG_LIST } from '../../program-text/row-printer';
import type { ILineChip } from '../languages/line';
import { FEWEST, small } from './binder-chips';
import type { IListedLine } from './listing';

/** An equation with lists takes at most about this many lines, if two members of each list fit. */
const MOST_LINES = 2;
/** The average number of characters that stay free at the end of a line, because types do not break. */
const FREE = 4;

/**
 * Choose the chips of a line without parameters of a program.
 * @param line The line, with the chips of a wide line.
 * @param length The length of the line's text.
 * @param columns The number of characters that fit side by side; null if unknown.
 */
export function listChips(
  line: IListedLine,
  length: number,
  columns: number | null
): readonly ILineChip[] {
  const { chips, lists } = line;
  if (!lists?.length || columns === null) {
    return chips;
  }
  const room = MOST_LINES * Math.max(columns - FREE, 1);
  if (widthOf(line, length, chips) <= room) {
    return chips;
  }
  const ofLists = (chip: ILineChip): boolean =>
    lists.some(
      ({ starts, to }) => chip.to === to && starts.includes(chip.from)
    );
  const others = chips.filter(chip => !ofLists(chip));
  let chosen: readonly ILineChip[] = chips;
  for (let count = LONG_LIST - 1; count >= FEWEST; count--) {
    const shortened = lists
      .filter(({ starts }) => starts.length > count + 1)
      .map(({ starts, to }) => ({
        from: starts[count],
        to,
        label: `+${starts.length - count}`
      }));
    chosen = [...others, ...shortened].sort((a, b) => a.from - b.from);
    if (widthOf(line, length, chosen) <= room) {
      return chosen;
    }
  }
  return chosen;
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
