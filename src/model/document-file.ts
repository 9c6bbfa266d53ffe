/** Reads the text of a `.jaxpr.json` file, which may come from anyone. */
import { TranslationBundle } from '@jupyterlab/translation';

import { isUnreadable, readSnapshot } from '../protocol/document';
import { LIMITS } from '../protocol/limits';
import { Snapshot } from '../protocol/snapshot';
import { size } from '../quantities';
import { whyUnreadable } from './error-words';

/** The suffix of the names of files that hold a document. */
export const DOCUMENT_SUFFIX = '.jaxpr.json';

/** The document, or the sentence that says why the file cannot be shown. */
export function readDocumentFile(
  text: string,
  trans: TranslationBundle
): Snapshot | string {
  const tooLarge = whyTooLarge(text.length, trans);
  if (tooLarge !== null) {
    return tooLarge;
  }
  let value: unknown;
  try {
    // Some editors of Windows write a byte order mark; the Jupyter server leaves it in the text.
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return trans.__(
      'The file holds no JSON. Write the file again with snapshot.save(), or with Save a Copy in the menu of the Jaxpr panel.'
    );
  }
  const read = readSnapshot(value);
  return isUnreadable(read) ? whyUnreadable(read, trans, 'file') : read;
}

/** The reason why a file of this many bytes is not read; null for a file that is read. */
export function whyTooLarge(
  bytes: number,
  trans: TranslationBundle
): string | null {
  return bytes > LIMITS.TEXT
    ? trans.__(
        'The file is larger than %1, the most that a document may have.',
        size(LIMITS.TEXT)
      )
    : null;
}
