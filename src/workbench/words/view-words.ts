/** Makes the texts on how much of a level is linked to the selection, and why a cell is not linked. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { LevelName } from '../../tokens';
import type { ILevelCount } from '../levels/level-pane-options';

/** The count of a level as words: short for the toolbar, a sentence for the tooltip, and compact for a narrow panel. */
export interface ICountWords {
  short: string;
  long: string;
  /** Only the total, such as `24K`, for a narrow panel. */
  compact: string;
}

/** Prints the counts: `17 eq`; with linked equations, `3 of 17 eq`; empty until the text has arrived. */
export function levelCountWords(
  level: LevelName,
  count: ILevelCount | null,
  trans: TranslationBundle
): ICountWords {
  if (count === null) {
    return { short: '', long: '', compact: '' };
  }
  const { linked } = count;
  const total = count.total.toLocaleString('en');
  const compact = count.total.toLocaleString('en', { notation: 'compact' });
  const some = linked.toLocaleString('en');
  if (level === 'jaxpr') {
    return linked === 0
      ? {
          short: trans.__('%1 eq', total),
          long: trans._n('%2 equation', '%2 equations', count.total, total),
          compact
        }
      : {
          short: trans.__('%1 of %2 eq', some, total),
          long: trans._n(
            '%2 of %3 equations is linked to the selection',
            '%2 of %3 equations are linked to the selection',
            linked,
            some,
            total
          ),
          compact
        };
  }
  const lines = trans._n('%2 line', '%2 lines', count.total, total);
  return linked === 0
    ? { short: lines, long: lines, compact }
    : {
        short: trans.__('%1 of %2 lines', some, total),
        long: trans._n(
          '%2 of %3 lines is linked to the selection',
          '%2 of %3 lines are linked to the selection',
          linked,
          some,
          total
        ),
        compact
      };
}

/** The position of the keyboard among the linked places. */
export function steppedWords(
  place: { at: number; of: number } | null,
  trans: TranslationBundle
): string {
  return place
    ? trans.__('linked place %1 of %2', place.at, place.of)
    : trans.__('no linked place in this text');
}
