/**
 * The views that exist come in; a row of tabs goes out.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Icon, IconName } from '../../parts/icons';
import { useRoving } from '../../parts/roving';
import { ViewName, viewLabels } from './views';

/** The ids that tie a tab to its panel for assistive technology. */
export function tabId(panel: string, view: ViewName): string {
  return `${panel}-tab-${view}`;
}

export function viewId(panel: string, view: ViewName): string {
  return `${panel}-view-${view}`;
}

export function Tabs(props: {
  /** Id of the panel's node. */
  panel: string;
  views: readonly ViewName[];
  chosen: ViewName;
  /** How many notes there are; shown beside the word. */
  notes: number;
  /** How many compiles of this run; shown beside the word. */
  compiles: number;
  choose: (view: ViewName) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { panel, views, chosen, notes, compiles, choose, trans } = props;
  const { row, stop } = useRoving(views.indexOf(chosen));
  const labels = viewLabels(trans);
  /** Where the name for a screen reader is longer than the word. */
  const names: Partial<Record<ViewName, string>> = {
    flow: trans.__('Control flow')
  };
  const badges: Partial<Record<ViewName, { count: number; label: string }>> = {
    cache: {
      count: compiles,
      label: trans._n('Cache, %1 compile', 'Cache, %1 compiles', compiles)
    },
    notes: {
      count: notes,
      label: trans._n('Notes, %1 note', 'Notes, %1 notes', notes)
    }
  };
  const badge = (view: ViewName): { count: number; label: string } | null => {
    const found = badges[view];
    return found !== undefined && found.count > 0 ? found : null;
  };
  return (
    <div
      className="jp-JaxprPanel-tabs"
      role="tablist"
      aria-label={trans.__('Views')}
      {...row}
    >
      {views.map((view, place) => (
        <button
          key={view}
          {...stop(place)}
          id={tabId(panel, view)}
          role="tab"
          aria-selected={view === chosen}
          aria-controls={viewId(panel, view)}
          aria-label={badge(view)?.label ?? names[view] ?? labels[view]}
          title={names[view] ?? labels[view]}
          onClick={() => choose(view)}
        >
          <Icon name={view satisfies IconName} />
          <span className="jp-JaxprPanel-tabWord">{labels[view]}</span>
          {badge(view) !== null && (
            <sup className={`jp-mod-${view}`}>{badge(view)?.count}</sup>
          )}
        </button>
      ))}
    </div>
  );
}
