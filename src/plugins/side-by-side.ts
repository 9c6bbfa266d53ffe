/** Opens the levels side by side in the main area, and opens them again when JupyterLab restores its layout. */
import {
  ILabShell,
  ILayoutRestorer,
  JupyterFrontEnd
} from '@jupyterlab/application';
import { MainAreaWidget, WidgetTracker } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { IStateDB } from '@jupyterlab/statedb';
import { TranslationBundle } from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';

import type { JaxprPanel } from '../panel/shell/panel';
import { IJaxprTracker } from '../tokens';
import type { WideView } from '../side-by-side/side-by-side-view';
import { followCurrent } from './follow-current';
import { hidePanel } from './hide-panel';

/** Opens the levels side by side. */
export const OPEN_WIDE = 'jupyter-jaxpr:open-levels';

/** The key under which JupyterLab's state keeps the arrangement of the wide view. */
const WIDE_MEMORY = 'jupyter-jaxpr:levels';

/** Add the command that opens the levels side by side. */
export function addWide(
  app: JupyterFrontEnd,
  labShell: ILabShell,
  panel: JaxprPanel,
  tracker: IJaxprTracker,
  {
    menu,
    state,
    languages,
    restorer
  }: {
    /** The menu of the program's actions. */
    menu: Menu;
    /** JupyterLab's storage, which keeps the arrangement of the columns; null if the application has none. */
    state: IStateDB | null;
    languages: IEditorLanguageRegistry | null;
    restorer: ILayoutRestorer | null;
  },
  trans: TranslationBundle
): void {
  const { commands } = app;
  /** Open the wide view, or bring the open one to the front. */
  const openWide = async (
    isRestored: boolean
  ): Promise<MainAreaWidget<WideView>> => {
    const openWidget = wide.currentWidget;
    if (openWidget !== null) {
      labShell.activateById(openWidget.id);
      return openWidget;
    }
    const { wideWidget } = await import(
      /* webpackChunkName: "panel_wide" */ '../side-by-side'
    );
    const widget = wideWidget({
      trans,
      python: async () =>
        (await import('./python-colours')).pythonColours(languages),
      actions: {
        copy: () => void commands.execute('jupyter-jaxpr:copy-program'),
        more: (x, y) => menu.open(x, y)
      },
      memory: {
        load: async () => state?.fetch(WIDE_MEMORY),
        keep: arrangement =>
          void state?.save(WIDE_MEMORY, JSON.parse(JSON.stringify(arrangement)))
      }
    });
    followCurrent(widget, tracker);
    // The panel is hidden, so that the columns have all the room and the program is shown only once.
    if (!isRestored && panel.isVisible) {
      hidePanel(app.shell, panel);
      widget.disposed.connect(() => {
        if (!panel.isDisposed) {
          labShell.activateById(panel.id);
        }
      });
    }
    labShell.add(widget, 'main', { type: 'Jaxpr' });
    await wide.add(widget);
    labShell.activateById(widget.id);
    return widget;
  };
  const wide = new WidgetTracker<MainAreaWidget<WideView>>({
    namespace: 'jupyter-jaxpr-levels'
  });
  commands.addCommand(OPEN_WIDE, {
    label: trans.__('Open Levels Side by Side'),
    caption: trans.__(
      'Show source, jaxpr, StableHLO and HLO of the program as linked columns in the main area'
    ),
    isEnabled: () => (tracker.current?.program ?? -1) >= 0,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          isRestored: {
            type: 'boolean',
            description: trans.__(
              'If true, the command opens the columns again after a reload of the page, and the panel stays open or closed as before.'
            )
          }
        }
      }
    },
    execute: args => openWide(args['isRestored'] === true)
  });
  void restorer?.restore(wide, {
    command: OPEN_WIDE,
    args: () => ({ isRestored: true }),
    name: () => 'levels'
  });
}
