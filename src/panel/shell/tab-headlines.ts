/**
 * Gives the main facts of a view before the view is open, for the tooltip of the view's tab.
 *
 * A view with a large module makes its facts itself, so the module is loaded when the user points at the tab.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { IJaxprModel } from '../../tokens';
import { headlineOf as headlineOfNotes } from '../notes/headline';
import type { ViewName } from './view-names';

type Headline = (
  model: IJaxprModel,
  trans: TranslationBundle
) => readonly string[];

/**
 * The views that add their main facts to the tooltip of their tab. The Program view and the Diff view add none: the
 * first is in front already, and a line below the program states the differences.
 */
const HEADLINES: Partial<Record<ViewName, () => Promise<Headline>>> = {
  flow: async () =>
    (await import(/* webpackChunkName: "panel_flow" */ '../flow')).headlineOf,
  cache: async () =>
    (await import(/* webpackChunkName: "panel_cache" */ '../cache')).headlineOf,
  time: async () =>
    (await import(/* webpackChunkName: "panel_time" */ '../time')).headlineOf,
  cost: async () =>
    (await import(/* webpackChunkName: "panel_cost" */ '../cost')).headlineOf,
  compare: async () =>
    (await import(/* webpackChunkName: "panel_compare" */ '../compare'))
      .headlineOf,
  notes: () => Promise.resolve(headlineOfNotes)
};

/** A tooltip has at most this many lines; a last line counts the others. */
const MOST_LINES = 8;

/** The lines of a tab's tooltip; none if the view has nothing to say or cannot be loaded. */
export async function tabHeadline(
  view: ViewName,
  model: IJaxprModel,
  trans: TranslationBundle
): Promise<readonly string[]> {
  let lines: readonly string[] = [];
  try {
    const headline = await HEADLINES[view]?.();
    lines = headline?.(model, trans) ?? [];
  } catch (reason) {
    // The view itself shows this failure when the user opens the view.
    console.error(`jupyter-jaxpr panel: the tooltip of ${view} failed`, reason);
  }
  const more = lines.length - MOST_LINES;
  return more <= 0
    ? lines
    : [
        ...lines.slice(0, MOST_LINES),
        trans._n('%1 more line in the view', '%1 more lines in the view', more)
      ];
}
