/**
 * Joins labels and names to a list, for a placeholder of a sentence or for a line of its own.
 *
 * This is the only function that joins translated texts which are no sentences; the user's language decides the
 * separator of a list.
 */
import { TranslationBundle } from '@jupyterlab/translation';

/** Joins entries: `1 convert, 2 broadcasts` */
export function listOf(
  entries: readonly string[],
  trans: TranslationBundle
): string {
  const [first = '', ...otherEntries] = entries;
  return otherEntries.reduce(
    (before, entry) => trans.__('%1, %2', before, entry),
    first
  );
}
