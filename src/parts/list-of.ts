/**
 * Joins labels and names to a list for a placeholder in a sentence, or for a line of its own.
 *
 * No other function joins translated texts. The separator of the list depends on the user's language.
 */
import { TranslationBundle } from '@jupyterlab/translation';

/** Joins entries, such as `1 convert, 2 broadcasts`. */
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
