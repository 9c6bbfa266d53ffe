/**
 * Presents the panel: the panel is larger, shows one tab and nothing around the view, and follows the keys of a remote
 * control.
 */
import { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import { TranslationBundle } from '@jupyterlab/translation';

import { screenStateOf } from '../model/screen-state';
import { steppingOf } from '../model/stepping';
import type { JaxprPanel } from '../panel/shell/panel';
import { IJaxprTracker } from '../tokens';
import { RemoteControl } from './presentation-keys';

export const PRESENT = 'jupyter-jaxpr:present';

/** Adds the command that starts and ends a presentation of the panel. */
export function addPresenting(
  app: JupyterFrontEnd,
  shell: ILabShell,
  panel: JaxprPanel,
  tracker: IJaxprTracker,
  trans: TranslationBundle
): void {
  const { commands } = app;
  /** The state of JupyterLab before the presentation, which is restored at its end. */
  let before: { presentationMode: boolean; leftCollapsed: boolean } | null =
    null;

  /** Moves one step forward or back if steps are in view, else one program. */
  const go = (by: 1 | -1): void => {
    const model = tracker.current;
    const walk =
      model !== null && screenStateOf(model).flowInView
        ? steppingOf(model).walk
        : null;
    if (walk !== null) {
      walk(by);
    } else {
      void commands.execute(
        by > 0 ? 'jupyter-jaxpr:next-program' : 'jupyter-jaxpr:previous-program'
      );
    }
  };
  const end = (): void => {
    if (before !== null) {
      keys.stop();
      shell.presentationMode = before.presentationMode;
      if (!before.leftCollapsed) {
        shell.expandLeft();
      }
      before = null;
      panel.presented = false;
      commands.notifyCommandChanged(PRESENT);
    }
  };
  const keys = new RemoteControl({
    next: () => go(1),
    previous: () => go(-1),
    end
  });
  const start = (): void => {
    const { presentationMode, leftCollapsed } = shell;
    before = { presentationMode, leftCollapsed };
    panel.keepFocus = true;
    shell.activateById(panel.id);
    // The left side area is closed, unless the user has moved the panel into it.
    if (![...shell.widgets('left')].includes(panel)) {
      shell.collapseLeft();
    }
    shell.presentationMode = true;
    panel.presented = true;
    keys.start();
    commands.notifyCommandChanged(PRESENT);
  };
  // When the panel is hidden, the presentation ends. While a theme loads, JupyterLab hides the whole application: then
  // the presentation goes on.
  panel.visibilityChanged.connect(() => {
    if (!panel.isVisible && app.shell.isVisible) {
      end();
    }
  }, panel);
  commands.addCommand(PRESENT, {
    label: trans.__('Present the Panel'),
    caption: trans.__(
      'Enlarge the panel and the notebook, and show only one view of the panel. Page Up and Page Down go through programs or steps; Escape ends the presentation'
    ),
    isToggleable: true,
    isToggled: () => before !== null,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: () => (before === null ? start() : end())
  });
}
