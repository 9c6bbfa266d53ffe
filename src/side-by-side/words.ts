/** Writes the title and the counts of a column. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { ILevelCount } from '../workbench/levels/level-pane-options';
import type { ColumnName } from './column-arrangement';

/** The title of a column. */
export function columnTitle(
  column: ColumnName,
  trans: TranslationBundle
): string {
  switch (column) {
    case 'source':
      return trans.__('Source');
    case 'jaxpr':
      return trans.__('jaxpr');
    case 'stablehlo':
      return trans.__('StableHLO');
    case 'hlo':
      return trans.__('HLO');
  }
}

/** A count such as `3 of 17 equations linked`; without a link, `17 equations`; empty while the text is not loaded. */
export function countWords(
  column: ColumnName,
  count: ILevelCount | null,
  trans: TranslationBundle
): string {
  if (count === null) {
    return '';
  }
  const total = count.total.toLocaleString('en');
  const linked = count.linked.toLocaleString('en');
  if (column === 'jaxpr') {
    return count.linked === 0
      ? trans._n('%2 equation', '%2 equations', count.total, total)
      : trans._n(
          '%2 of %3 equation linked',
          '%2 of %3 equations linked',
          count.total,
          linked,
          total
        );
  }
  return count.linked === 0
    ? trans._n('%2 line', '%2 lines', count.total, total)
    : trans._n(
        '%2 of %3 line linked',
        '%2 of %3 lines linked',
        count.total,
        linked,
        total
      );
}
