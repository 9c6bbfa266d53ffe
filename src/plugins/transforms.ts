/** Wires the transforms: the command that opens a program beside what JAX derives from it, in the main area. */
import {
  ILabShell,
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ICommandPalette,
  MainAreaWidget,
  WidgetTracker
} from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';

import type { TransformView } from '../transform/transform-view';
import { IJaxprTracker } from '../tokens';
import { followCurrent } from './follow-current';

export const OPEN_TRANSFORMS = 'jupyter-jaxpr:open-transforms';

export const transformsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:transforms',
  description:
    'Shows a program beside its grad, vmap, jvp and linearize in the main area.',
  autoStart: true,
  requires: [IJaxprTracker],
  optional: [ILabShell, ILayoutRestorer, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: IJaxprTracker,
    labShell: ILabShell | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    if (labShell === null) {
      return; // Notebook 7 shows one document per window, so there is no place beside the document
    }
    const { commands } = app;
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    const menu = new Menu({ commands });
    for (const command of ['copy-program', 'copy-markdown']) {
      menu.addItem({ command: `jupyter-jaxpr:${command}` });
    }
    const opened = new WidgetTracker<MainAreaWidget<TransformView>>({
      namespace: 'jupyter-jaxpr-transforms'
    });
    commands.addCommand(OPEN_TRANSFORMS, {
      label: trans.__('Open Transforms Beside the Program'),
      caption: trans.__(
        'Show the program beside its grad, vmap, jvp and linearize, linked by source lines'
      ),
      isEnabled: () => (tracker.current?.program ?? -1) >= 0,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const openWidget = opened.currentWidget;
        if (openWidget !== null) {
          labShell.activateById(openWidget.id);
          return openWidget;
        }
        const { transformWidget } = await import(
          /* webpackChunkName: "panel_transform" */ '../transform'
        );
        const widget = transformWidget({
          trans,
          actions: {
            copy: () => void commands.execute('jupyter-jaxpr:copy-program'),
            more: (x, y) => menu.open(x, y)
          }
        });
        followCurrent(widget, tracker);
        labShell.add(widget, 'main', { mode: 'split-right', type: 'Jaxpr' });
        await opened.add(widget);
        labShell.activateById(widget.id);
        return widget;
      }
    });
    palette?.addItem({
      command: OPEN_TRANSFORMS,
      category: trans.__('Jaxpr')
    });
    void restorer?.restore(opened, {
      command: OPEN_TRANSFORMS,
      name: () => 'transforms'
    });
  }
};
