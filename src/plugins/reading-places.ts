/** Saves the reading positions in the programs of each notebook, and restores them after a reload. */
import { INotebookTracker } from '@jupyterlab/notebook';
import { IStateDB } from '@jupyterlab/statedb';

import type { ReadingPlace } from '../model/reading-place';
import { IJaxprModel, IJaxprTracker } from '../tokens';

/** The mouse wheel changes the position many times in a row, so the position is saved only after a pause. */
const SAVED_AFTER = 300; // in milliseconds

/** Returns the id of the run that was in view when the user left the page; null if unknown. */
export type RunBefore = (model: IJaxprModel) => Promise<string | null>;

/**
 * Save the reading positions in the programs of each notebook in JupyterLab's workspace. This function must be called
 * before other code connects to the tracker.
 */
export function keepReadingPlaces(
  tracker: IJaxprTracker,
  notebooks: INotebookTracker,
  state: IStateDB
): RunBefore {
  const restored = new WeakMap<IJaxprModel, Promise<string | null>>();
  const follow = (model: IJaxprModel | null): void => {
    const path = notebooks.currentWidget?.context.path;
    if (model !== null && path !== undefined && !restored.has(model)) {
      restored.set(model, keep(model, path));
    }
  };
  const keep = async (
    model: IJaxprModel,
    path: string
  ): Promise<string | null> => {
    const { readingPlaceOf } = await import('../model/reading-place');
    const key = `jupyter-jaxpr:place:${path}`;
    const kept = await state.fetch(key);
    if (model.isDisposed) {
      return null;
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
    return place.runBefore;
  };
  tracker.currentChanged.connect((_, model) => follow(model));
  follow(tracker.current);
  return model => restored.get(model) ?? Promise.resolve(null);
}
