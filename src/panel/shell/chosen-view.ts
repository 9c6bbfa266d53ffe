/** Chooses which view the panel shows: the one that the user chose, or the one with a result that a run requested. */
import { readingPlaceOf } from '../../model/reading-place';
import { Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { askedFor, filledViews } from './filled-views';
import { SIMPLE_VIEWS, ViewName } from './view-names';

export class ChosenView {
  /**
   * @param wanted The view that is shown first, if it has anything to show.
   */
  constructor(public wanted: ViewName) {}

  /** True if the panel has only the simple set of tabs. */
  simple = false;

  /**
   * Makes the view that the user has chosen the wanted view. If a run has changed the view before, the next run does
   * not change the view back.
   */
  choose(view: ViewName): void {
    this.wanted = view;
    this._before = null;
  }

  /**
   * Shows the view of the result after a run that compares or times, and the earlier view again after the next run.
   *
   * @returns True if the view changed.
   */
  followRun(model: IJaxprModel): boolean {
    const { snapshot } = model;
    // A document may arrive again with results that the panel requested, so each run is handled only once.
    if (snapshot === null || this._handled.has(snapshot.id)) {
      return false;
    }
    this._handled.add(snapshot.id);
    if (wasRead(model, snapshot)) {
      return false; // after a reload of the page, the view that the user had in front stays in front
    }
    const requested = askedFor(snapshot);
    if (requested !== null && this.wanted !== requested) {
      this._before ??= this.wanted;
      this.wanted = requested;
      return true;
    }
    if (requested === null && this._before !== null) {
      this.choose(this._before);
      return true;
    }
    return false;
  }

  /**
   * The view that was shown before a run changed it, if the user was looking at this run when the page was closed; else
   * null.
   */
  beforeRun(model: IJaxprModel): ViewName | null {
    const { snapshot } = model;
    return snapshot !== null && wasRead(model, snapshot) ? this._before : null;
  }

  /** The views that have a tab. */
  views(model: IJaxprModel | null): readonly ViewName[] {
    const filled = filledViews(model);
    const shown = filled.filter(
      view => !this.simple || SIMPLE_VIEWS.has(view) || view === this.wanted
    );
    return shown.length > 0 ? shown : filled;
  }

  /** The view that is shown; null if no view has anything to show. */
  shown(model: IJaxprModel | null): ViewName | null {
    const views = this.views(model);
    if (views.includes(this.wanted)) {
      return this.wanted;
    }
    // If the run has no program, the Notes view takes the place of the Program view, because the notes say the reason.
    return views.includes('notes') ? 'notes' : (views[0] ?? null);
  }

  /** The view that was shown before a run changed the view. */
  private _before: ViewName | null = null;
  /** The ids of the snapshots that `followRun` has handled. */
  private _handled = new Set<string>();
}

/** True if the user was looking at this run when the page was closed. */
function wasRead(model: IJaxprModel, snapshot: Snapshot): boolean {
  return readingPlaceOf(model).runBefore === snapshot.id;
}
