/** Wires the command that runs the active cell with `%%jaxpr` on top. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { jaxprIcon } from '../parts/panel-icon';
import { EvaluableText } from '../protocol/evaluable';
import { IJaxprTracker } from '../tokens';

/** Runs the active cell with the magic on top. */
export const RUN_CELL = 'jupyter-jaxpr:run-cell';
const MAGIC = '%%jaxpr';
const LOAD = EvaluableText.ours`%load_ext jupyter_jaxpr`;

export const runningPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:running',
  description: 'Runs a cell with %%jaxpr on top.',
  autoStart: true,
  requires: [IJaxprTracker, INotebookTracker],
  optional: [ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: IJaxprTracker,
    notebooks: INotebookTracker,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    const { commands } = app;
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    const source = (): string => {
      const model = notebooks.activeCell?.model;
      return model?.type === 'code' ? model.sharedModel.getSource() : '';
    };
    commands.addCommand(RUN_CELL, {
      label: trans.__('Run Cell with %1', MAGIC),
      caption: trans.__(
        'Put %1 on top of the selected cell and run the cell',
        MAGIC
      ),
      // The toolbar of a cell has no room for the label, and all kinds of cells have this toolbar.
      icon: ({ toolbar }) => (toolbar ? jaxprIcon : undefined),
      isVisible: ({ toolbar }) =>
        !toolbar || notebooks.activeCell?.model.type === 'code',
      isEnabled: () => source().trim() !== '',
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const notebook = notebooks.currentWidget?.content;
        const cell = notebook?.activeCell;
        if (!notebook || !cell || source().trim() === '') {
          return;
        }
        if (!source().startsWith(MAGIC)) {
          cell.model.sharedModel.updateSource(0, 0, `${MAGIC}\n`);
        }
        if (tracker.current?.status.kind === 'not-loaded') {
          const { runAsCell } = await import('./run-as-cell');
          await runAsCell(LOAD, 'above', notebook, commands);
          notebook.activeCellIndex = notebook.widgets.indexOf(cell);
        }
        notebook.deselectAll();
        await commands.execute('notebook:run-cell');
      }
    });
    palette?.addItem({ command: RUN_CELL, category: trans.__('Jaxpr') });
  }
};
