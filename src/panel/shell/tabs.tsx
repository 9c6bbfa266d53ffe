/** The row of tabs, with a menu for those that do not fit. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Icon } from '../../parts/icons';
import { useRoving } from '../../parts/arrow-key-focus';
import { useFitting } from './fitting-tabs';
import { openTabsMenu } from './tabs-menu';
import { ViewName, viewLabels } from './view-names';

/** The id of the element of a tab; `viewId` gives the id of the view that the tab opens. */
export function tabId(panel: string, view: ViewName): string {
  return `${panel}-tab-${view}`;
}

export function viewId(panel: string, view: ViewName): string {
  return `${panel}-view-${view}`;
}

/** The main facts of the view at whose tab the user points; null for none. */
type Hint = { view: ViewName; about: string; lines: readonly string[] } | null;

/** Requests the main facts of a view when the user points at its tab, or moves the keyboard focus to its tab. */
function useHeadline(
  about: string,
  headline: (view: ViewName) => Promise<readonly string[]>
): {
  hint: Hint;
  point: (view: ViewName) => void;
  leave: () => void;
} {
  const [hint, setHint] = React.useState<Hint>(null);
  const pointed = React.useRef<ViewName | null>(null);
  const point = (view: ViewName): void => {
    pointed.current = view;
    void headline(view).then(lines => {
      if (pointed.current === view) {
        setHint({ view, about, lines });
      }
    });
  };
  const leave = (): void => {
    pointed.current = null;
    setHint(null);
  };
  // Facts of an earlier run or of another program are not shown.
  return { hint: hint?.about === about ? hint : null, point, leave };
}

export function Tabs(props: {
  /** The id of the panel's node. */
  panel: string;
  views: readonly ViewName[];
  chosen: ViewName;
  /** The number of notes, which stands beside the word on the Notes tab. */
  notes: number;
  /** The number of compiles of this run, which stands beside the word on the Cache tab. */
  compiles: number;
  choose: (view: ViewName) => void;
  /** A text that identifies the run and the program in view. */
  about: string;
  /** Gives the main facts of a view, as lines. */
  headline: (view: ViewName) => Promise<readonly string[]>;
  trans: TranslationBundle;
}): JSX.Element {
  const { panel, views, chosen, notes, compiles, choose, trans } = props;
  const { hint, point, leave } = useHeadline(props.about, props.headline);
  const labels = viewLabels(trans);
  /** Names for a screen reader, for tabs whose name is longer than their word. */
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
    const badge = badges[view];
    return badge !== undefined && badge.count > 0 ? badge : null;
  };
  const nameOf = (view: ViewName): string =>
    badge(view)?.label ?? names[view] ?? labels[view];

  // A view that the user chooses in the menu gets a tab in the row and keeps it, so that later choices move no tab.
  const [kept, setKept] = React.useState(chosen);
  const fits = useFitting(
    views.length,
    views.indexOf(kept),
    views.map(nameOf).join()
  );
  const { places } = fits;
  if (kept !== chosen && !places.includes(views.indexOf(chosen))) {
    setKept(chosen);
  }
  const { row, stop } = useRoving(places.indexOf(views.indexOf(chosen)));
  const apart = views.filter((_, place) => !places.includes(place));
  const more = trans.__('More views: %1', apart.map(nameOf).join(', '));
  /**
   * The view whose tab gets the keyboard focus as soon as the tab is in the row; null if no tab waits for the focus.
   */
  const toFocus = React.useRef<ViewName | null>(null);
  React.useEffect(() => {
    const tab = document.getElementById(tabId(panel, chosen));
    if (toFocus.current === chosen && tab !== null) {
      tab.focus();
      if (document.activeElement === tab) {
        toFocus.current = null;
      }
    }
  });
  return (
    <div className="jp-JaxprPanel-tabs" {...row}>
      <div
        ref={fits.row}
        className="jp-JaxprPanel-tabRow"
        role="tablist"
        aria-label={trans.__('Views')}
      >
        {views.map((view, place) => (
          <button
            key={view}
            {...(places.includes(place) ? stop(places.indexOf(place)) : {})}
            id={tabId(panel, view)}
            className={places.includes(place) ? undefined : 'jp-mod-apart'}
            role="tab"
            aria-selected={view === chosen}
            aria-controls={viewId(panel, view)}
            aria-label={nameOf(view)}
            title={[
              names[view] ?? labels[view],
              ...(hint?.view === view ? hint.lines : [])
            ].join('\n')}
            onPointerEnter={() => point(view)}
            onFocus={() => point(view)}
            onPointerLeave={leave}
            onBlur={leave}
            onClick={() => choose(view)}
          >
            <span className="jp-JaxprPanel-tabWord" data-word={labels[view]}>
              {labels[view]}
            </span>
            {badge(view) !== null && (
              <sup className={`jp-mod-${view}`}>{badge(view)?.count}</sup>
            )}
          </button>
        ))}
      </div>
      <button
        ref={fits.menu}
        {...(apart.length > 0 ? stop(places.length) : {})}
        className={
          apart.length > 0
            ? 'jp-JaxprPanel-moreTabs'
            : 'jp-JaxprPanel-moreTabs jp-mod-apart'
        }
        aria-haspopup="menu"
        aria-label={more}
        title={more}
        onClick={event =>
          openTabsMenu({
            button: event.currentTarget,
            views: apart.map(view => ({ view, label: nameOf(view) })),
            choose: view => {
              toFocus.current = view;
              choose(view);
            }
          })
        }
      >
        <Icon name="caret" />
        {/* If the Notes tab is in the row, this number is invisible but takes its width: which tabs fit depends on the
            width of this button. */}
        {notes > 0 && (
          <sup
            className="jp-mod-notes"
            aria-hidden="true"
            style={
              apart.includes('notes') ? undefined : { visibility: 'hidden' }
            }
          >
            {notes}
          </sup>
        )}
      </button>
    </div>
  );
}
