/** The views of the panel: their names, their order, and the word on each tab. */
import { TranslationBundle } from '@jupyterlab/translation';

export type ViewName =
  'program' | 'flow' | 'cache' | 'time' | 'cost' | 'diff' | 'compare' | 'notes';

export const VIEW_NAMES: readonly ViewName[] = [
  'program',
  'flow',
  'cache',
  'time',
  'cost',
  'diff',
  'compare',
  'notes'
];

/** The views that have a tab in the simple set; any other view has a tab while it is in view. */
export const SIMPLE_VIEWS: ReadonlySet<ViewName> = new Set([
  'program',
  'time',
  'notes'
]);

/** The word on the tab of each view. */
export function viewLabels(trans: TranslationBundle): Record<ViewName, string> {
  return {
    program: trans.__('Program'),
    flow: trans.__('Flow'),
    cache: trans.__('Cache'),
    time: trans.__('Time'),
    cost: trans.__('Cost'),
    diff: trans.__('Diff'),
    compare: trans.__('Compare'),
    notes: trans.__('Notes')
  };
}
