/**
 * The parts of the host application that the views use; the only file of the views that imports JupyterLab.
 *
 * A host other than JupyterLab provides a file with the same names. All else reaches a view by its arguments: words
 * (`trans`), the model with its requests, and the actions of the panel (`IPanelActions`), which are left out where a
 * host has none.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

/** JupyterLab's clipboard, and the frame of a view in the main area. */
export { Clipboard, MainAreaWidget } from '@jupyterlab/apputils';
/** A widget that React draws, and an icon in the colours of the theme. */
export { LabIcon, ReactWidget } from '@jupyterlab/ui-components';
/** The element that menus, windows and hints are put into, so that they lie above everything on the page. */
export function aboveAll(): HTMLElement {
  return document.body;
}
/** The label of the button that opens a view in a larger area. */
export function openWords(trans: TranslationBundle): string {
  return trans.__('Open in main area');
}
/** The registry of renderers, with which the Time view draws plots. */
export type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
