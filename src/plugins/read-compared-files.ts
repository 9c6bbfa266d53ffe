/** Reads the two files that are compared; if only one is given, a dialog asks for the second file. */
import { FileDialog } from '@jupyterlab/filebrowser';
import { ITranslator, TranslationBundle } from '@jupyterlab/translation';

import {
  DOCUMENT_SUFFIX,
  readDocumentFile,
  whyTooLarge
} from '../model/document-file';
import { Snapshot } from '../protocol/snapshot';

type Manager = FileDialog.IFileOptions['manager'];

/** A document, and the name of its file. */
export interface INamedDocument {
  name: string;
  document: Snapshot;
}

/**
 * The two documents; null where the user chose no second one.
 *
 * @throws Error A file cannot be read; the message is a sentence.
 */
export async function comparedFiles(
  paths: readonly string[],
  manager: Manager,
  translator: ITranslator,
  trans: TranslationBundle
): Promise<[INamedDocument, INamedDocument] | null> {
  const [first] = paths;
  const second =
    paths[1] ?? (await chosenFile(first, manager, translator, trans));
  if (second === null) {
    return null;
  }
  return [
    await readFile(first, manager, trans),
    await readFile(second, manager, trans)
  ];
}

async function chosenFile(
  openPath: string,
  manager: Manager,
  translator: ITranslator,
  trans: TranslationBundle
): Promise<string | null> {
  const { value } = await FileDialog.getOpenFiles({
    manager,
    translator,
    title: trans.__('Compare With'),
    filter: ({ type, path }) =>
      type === 'directory' ||
      (path.endsWith(DOCUMENT_SUFFIX) && path !== openPath)
        ? {}
        : null
  });
  return (
    value?.find(({ path }) => path.endsWith(DOCUMENT_SUFFIX))?.path ?? null
  );
}

async function readFile(
  path: string,
  { services }: Manager,
  trans: TranslationBundle
): Promise<INamedDocument> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const refuse = (reason: string): Error =>
    new Error(trans.__('%1: %2', name, reason));
  const { size } = await services.contents.get(path, { content: false });
  const tooLarge = whyTooLarge(size ?? 0, trans);
  if (tooLarge !== null) {
    throw refuse(tooLarge);
  }
  const { content } = await services.contents.get(path, {
    type: 'file',
    format: 'text',
    content: true
  });
  const document = readDocumentFile(String(content), trans);
  if (typeof document === 'string') {
    throw refuse(document);
  }
  return { name, document };
}
