/** Keeps the reading places of the programs of a notebook, and restores them after a reload. */
import { INotebookTracker } from '@jupyterlab/notebook';
import { IStateDB } from '@jupyterlab/statedb';

import type { ReadingPlace } from '../model/reading-place';
import { IJaxprModel, IJaxprTracker } from '../tokens';

/** A scroll of the wheel is many changes. */
const SAVED_AFTER = 300; // in milliseconds

/** Keep where the programs of each notebook are read, in the workspace. */
export function keepReadingPlaces(
  tracker: IJaxprTracker,
  notebooks: INotebookTracker,
  state: IStateDB
): void {
  const followed = new WeakSet<IJaxprModel>();
  const follow = async (model: IJaxprModel | null): Promise<void> => {
    const path = notebooks.currentWidget?.context.path;
    if (model === null || path === undefined || followed.has(model)) {
      return;
    }
    followed.add(model);
    const { readingPlaceOf } = await import('../model/reading-place');
    const key = `jupyter-jaxpr:place:${path}`;
    const kept = await state.fetch(key);
    if (model.isDisposed) {
      return;
    }
    const place = readingPlaceOf(model);
    place.restore(kept);
    let timer: ReturnType<typeof setTimeout> | null = null;
    place.changed.connect((changed: ReadingPlace) => {
      timer ??= setTimeout(() => {
        timer = null;
        const now = model.isDisposed ? null : changed.kept;
        if (now !== null) {
          void state.save(key, JSON.parse(JSON.stringify(now)));
        }
      }, SAVED_AFTER);
    });
  };
  tracker.currentChanged.connect((_, model) => void follow(model));
  void follow(tracker.current);
}
