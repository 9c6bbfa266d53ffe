/** Makes the buttons in the toolbars of notebooks and cells. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { CommandToolbarButton, Toolbar } from '@jupyterlab/ui-components';
import { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { TOGGLE_TYPES } from './editor';
import { TOGGLE_PANEL } from './panel';
import { RUN_CELL } from './run-with-magic';

/** The buttons by toolbar and by their names in the settings schema. */
const BUTTONS = [
  ['Notebook', 'jaxpr', TOGGLE_PANEL],
  ['Notebook', 'jaxpr-types', TOGGLE_TYPES],
  ['Cell', 'jaxpr-run', RUN_CELL]
] as const;

export const toolbarButtonsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:toolbar-buttons',
  description: 'Makes the buttons in the toolbars of notebooks and cells.',
  autoStart: true,
  requires: [IToolbarWidgetRegistry],
  activate: (app: JupyterFrontEnd, toolbars: IToolbarWidgetRegistry): void => {
    const { commands } = app;
    for (const [toolbar, name, id] of BUTTONS) {
      toolbars.addFactory(toolbar, name, (within: Widget) => {
        const { toolbar } = within as Partial<{ toolbar: Toolbar }>;
        const noFocusOnClick = toolbar?.noFocusOnClick ?? false;
        const args = { toolbar: true };
        // Like JupyterLab's own buttons, the button has an icon and no label.
        return new LightButton({
          commands,
          id,
          args,
          label: '',
          noFocusOnClick
        });
      });
    }
  }
};

/**
 * A button that does not stay in memory after its toolbar is gone.
 *
 * JupyterLab keeps the nodes of closed notebooks. FAST, the library of `jp-button`, keeps each button of a toolbar: when
 * FAST removes the style sheet of an appearance, the listeners of the style sheet stay.
 */
export class LightButton extends CommandToolbarButton {
  override dispose(): void {
    const toolbar: IFastToolbar | null = this.node.parentElement;
    const slot = this.node.assignedSlot;
    super.dispose();
    this.node.remove();
    // The slot and the toolbar have cached lists of their elements, which would keep this button in memory until the
    // toolbar is on the page again.
    slot?.assignedNodes();
    if (toolbar?.focusableElements) {
      toolbar.focusableElements = toolbar.focusableElements.filter(element =>
        toolbar.contains(element)
      );
    }
  }

  protected override onBeforeDetach(message: Message): void {
    for (const button of this.node.querySelectorAll('jp-button')) {
      button.removeAttribute('appearance');
    }
    super.onBeforeDetach(message);
  }
}

/** The element `jp-toolbar`, with its list of the elements that the arrow keys focus. */
interface IFastToolbar extends Element {
  focusableElements?: Element[];
}
