/** Makes the texts of lines for screen readers. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { LevelName } from '../../tokens';
import type { IListedLine } from './listing';

/** A screen reader reads at most this many characters of a line. */
const LONGEST_NAME = 300;

/**
 * The text of a line for screen readers: `equation 4, line 6, o: f32[16] = dot_general l j`; null if the line's own
 * text is complete.
 */
export function lineName(
  line: IListedLine,
  text: string,
  level: LevelName,
  trans: TranslationBundle
): string | null {
  const { number, badge, chips, kind } = line;
  if (number === '') {
    return null;
  }
  const shown = shownText(text, chips)
    .replace(/(?<=^| )([^\s:]+):(?=\S)/g, '$1: ')
    .slice(0, LONGEST_NAME);
  if (level === 'jaxpr' && kind === 'equation') {
    return badge === null
      ? trans.__('equation %1, %2', number, shown)
      : trans.__('equation %1, %2, %3', number, badge.title, shown);
  }
  return badge === null
    ? trans.__('text line %1: %2', number, shown)
    : trans.__('text line %1, from %2: %3', number, badge.title, shown);
}

/** The text of a line without the parts that are folded into chips. */
function shownText(text: string, chips: IListedLine['chips']): string {
  const cuts = chips
    .flatMap(({ from, to, also }) => [[from, to], ...(also ?? [])])
    .sort(([a], [b]) => a - b);
  let shown = '';
  let at = 0;
  for (const [from, to] of cuts) {
    shown += text.slice(at, Math.max(at, from));
    at = Math.max(at, to);
  }
  return (shown + text.slice(at)).replace(/\s+/g, ' ').trim();
}
