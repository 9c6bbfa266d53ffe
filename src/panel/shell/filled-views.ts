/** Decides which views of the panel have something to show. */
import { diffsOf } from '../../model/diffs';
import { usersPrograms } from '../../model/users-programs';
import { panelContent } from '../../parts/panel-content';
import type { Snapshot } from '../../protocol/snapshot';
import type { IJaxprModel } from '../../tokens';
import { VIEW_NAMES, ViewName } from './view-names';

/** The view that the options of the magic request; null if they request none. */
export function askedFor(snapshot: Snapshot): ViewName | null {
  if (snapshot.sweep) {
    return 'time';
  }
  if (snapshot.comparison) {
    return 'compare';
  }
  return (snapshot.timings?.length ?? 0) > 0 ? 'time' : null;
}

/** The views that have content for the snapshot. */
export function filledViews(model: IJaxprModel | null): readonly ViewName[] {
  const snapshot = model?.snapshot ?? null;
  const shown = panelContent(model);
  if (shown !== 'program' && shown !== 'message') {
    return [];
  }
  const filled: Record<ViewName, boolean> = {
    program: shown === 'program',
    flow: shown === 'program',
    // While Live shows the program of a text that has not run, the Cache tab stays, so that the other tabs keep their
    // places.
    cache: (snapshot?.ledger ?? null) !== null || model?.isWritten === true,
    time: shown === 'program' || (snapshot?.sweep ?? null) !== null,
    cost: shown === 'program',
    diff:
      shown === 'program' &&
      model !== null &&
      diffsOf(model).programs().length > 1,
    compare:
      (snapshot?.comparison ?? null) !== null ||
      (snapshot !== null && usersPrograms(snapshot).length > 1),
    notes: shown === 'program' || (snapshot?.notes.length ?? 0) > 0
  };
  return VIEW_NAMES.filter(view => filled[view]);
}
