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
  const own = notebook.widgets.findIndex(
    ({ model }) =>
      model.type === 'code' && isOnly(text, model.sharedModel.getSource())
  );
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

/**
 * Whether a cell holds a line, and beside it nothing that does more when it runs again: a person may load the extension
 * and import JAX in one cell.
 */
export function isOnly(line: string, source: string): boolean {
  const written = source
    .split('\n')
    .map(each => each.trim())
    .filter(each => each !== '' && !each.startsWith('#'));
  return (
    source.trim() === line ||
    (written.includes(line) &&
      written.every(
        each =>
          each === line ||
          /^(import|from)\s[\w.,* ]+$/.test(each) ||
          /^%(load_ext|config|matplotlib)\s/.test(each)
      ))
  );
}
