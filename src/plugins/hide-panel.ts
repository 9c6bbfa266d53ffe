/** Closes the side of the window that the panel is on. */
import { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';

import type { JaxprPanel } from '../panel/shell/panel';

/** Close the side area that holds the panel; the shells of JupyterLab and Notebook 7 have the same methods for this. */
export function hidePanel(
  shell: JupyterFrontEnd.IShell,
  panel: JaxprPanel
): void {
  const sides: Partial<Pick<ILabShell, 'collapseLeft' | 'collapseRight'>> =
    shell as object;
  if ([...shell.widgets('left')].includes(panel)) {
    sides.collapseLeft?.();
  } else {
    sides.collapseRight?.();
  }
}
