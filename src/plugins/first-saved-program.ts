/** Shows a saved program of the notebook in front, until the kernel runs a cell. */
import { CodeCellModel, ICellModel } from '@jupyterlab/cells';
import {
  INotebookTracker,
  Notebook,
  NotebookPanel
} from '@jupyterlab/notebook';

import { MIME_TYPE } from '../output/mime-renderer';
import type { JaxprPanel } from '../panel/shell/panel';
import type { Snapshot } from '../protocol/snapshot';
import { IJaxprModel, IJaxprTracker } from '../tokens';
import type { RunBefore } from './reading-places';

/** The largest number of outputs that are read: a notebook may have many outputs that cannot be shown. */
const LOOKED_AT = 8;

/**
 * Follow the panel and the notebook in front. While the panel is visible, search each notebook once for a saved copy,
 * unless its kernel has sent a run: for the run that was in view when the user left the page, else for the first one.
 */
export function showSavedCopies(
  panel: Pick<JaxprPanel, 'isVisible' | 'visibilityChanged'>,
  tracker: IJaxprTracker,
  notebooks: INotebookTracker,
  runBefore: RunBefore | null
): void {
  const looked = new WeakSet<IJaxprModel>();
  let followed: IJaxprModel | null = null;

  const look = async (): Promise<void> => {
    const model = tracker.current;
    const notebook = notebooks.currentWidget;
    const isWanted = (): boolean =>
      panel.isVisible &&
      model !== null &&
      model === tracker.current &&
      notebook === notebooks.currentWidget &&
      !looked.has(model) &&
      lacksRuns(model);
    if (notebook === null || model === null || !isWanted()) {
      return;
    }
    try {
      await notebook.context.ready;
      if (model.status.kind === 'no-kernel' && (await willHaveRuns(notebook))) {
        return;
      }
    } catch {
      return; // the notebook's file cannot be read; JupyterLab shows the error
    }
    const cells = notebook.content.model?.cells;
    if (!isWanted() || cells === undefined) {
      return;
    }
    looked.add(model);
    const before = (await runBefore?.(model)) ?? null;
    const saved =
      (before === null ? null : await firstSaved(cells, before)) ??
      (await firstSaved(cells, null));
    if (saved !== null && !model.isDisposed && lacksRuns(model)) {
      model.standIn(saved);
    }
  };
  const follow = (): void => {
    followed?.changed.disconnect(look);
    followed = tracker.current;
    followed?.changed.connect(look);
    void look();
  };
  panel.visibilityChanged.connect(look);
  tracker.currentChanged.connect(follow);
  follow();
}

/** The id of the cell below which a document was saved; null where the notebook has none. */
export function cellOfCopy(
  notebook: Pick<Notebook, 'model'>,
  { id }: Snapshot
): string | null {
  // The document states the id of a cell, too, but a saved document may state any id, so the outputs are searched.
  for (const cell of notebook.model?.cells ?? []) {
    for (const value of savedIn(cell)) {
      if ((value as { id?: unknown } | null)?.id === id) {
        return cell.id;
      }
    }
  }
  return null;
}

function lacksRuns({ snapshot, status }: IJaxprModel): boolean {
  return snapshot === null && ['not-loaded', 'no-kernel'].includes(status.kind);
}

/**
 * True if the server has a kernel for the notebook, although this page is not connected to the kernel yet, as after a
 * reload; the kernel may have runs.
 */
async function willHaveRuns({
  sessionContext
}: NotebookPanel): Promise<boolean> {
  const { path, sessionManager } = sessionContext;
  await sessionManager.ready;
  return [...sessionManager.running()].some(session => session.path === path);
}

/**
 * The first document with a program that was saved with these cells.
 * @param id The id of the wanted document; null for any.
 */
async function firstSaved(
  cells: Iterable<ICellModel>,
  id: string | null
): Promise<Snapshot | null> {
  let left = LOOKED_AT;
  for (const cell of cells) {
    for (const value of savedIn(cell)) {
      if (id !== null && (value as { id?: unknown } | null)?.id !== id) {
        continue;
      }
      if (left-- === 0) {
        return null;
      }
      const { isUnreadable, readSnapshot } =
        await import('../protocol/document');
      const read = readSnapshot(value);
      if (!isUnreadable(read) && read.focus >= 0) {
        return read;
      }
    }
  }
  return null;
}

/** The values in a cell's outputs that have the MIME type of a document; they are not checked yet. */
function* savedIn(cell: ICellModel): Iterable<unknown> {
  if (cell.type !== 'code') {
    return;
  }
  const { outputs } = cell as CodeCellModel;
  for (let i = 0; i < outputs.length; i++) {
    const value = outputs.get(i).data[MIME_TYPE];
    if (value !== undefined) {
      yield value;
    }
  }
}
