/** Words that the cell of a run was removed from the notebook. */
import { TranslationBundle } from '@jupyterlab/translation';

export const missingCellWords = (trans: TranslationBundle): string =>
  trans.__('The notebook no longer has this cell.');
