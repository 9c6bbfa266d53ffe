/** Closes the side of the window that the panel is on. */
import { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';

import type { JaxprPanel } from '../panel/shell/panel';

/** Close the side that the panel is on; JupyterLab's shell and Notebook 7's have the same methods for it. */
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
