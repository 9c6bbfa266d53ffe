/** Runs code of this extension as a cell of the notebook. */
import { Notebook, NotebookActions } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';

import { EvaluableText } from '../protocol/evaluable';

/**
 * Run a code of this extension as a cell: the one that a person has in the notebook, or a new one.
 *
 * @param where Where a new cell stands: above or below the cell in which the person is.
 */
export async function runAsCell(
  source: EvaluableText,
  where: 'above' | 'below',
  notebook: Notebook,
  commands: CommandRegistry
): Promise<void> {
  const text = source.inCell;
  if (text === null) {
    return;
  }
  // A person may load the extension and import JAX in one cell.
  const own = notebook.widgets.findIndex(({ model }) => {
    const written = model.sharedModel.getSource().trim();
    return (
      model.type === 'code' &&
      (written === text || written.split('\n').includes(text))
    );
  });
  if (own >= 0) {
    notebook.activeCellIndex = own;
  } else {
    if (where === 'above') {
      NotebookActions.insertAbove(notebook);
    } else {
      NotebookActions.insertBelow(notebook);
    }
    notebook.activeCell?.model.sharedModel.setSource(text);
  }
  notebook.deselectAll();
  await commands.execute('notebook:run-cell');
}
