/** Runs code of this extension as a cell of the notebook, and runs the cell of a run again. */
import { Notebook, NotebookActions } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';

import { EvaluableText } from '../protocol/evaluable';

/**
 * Runs code of this extension as a cell: in the first cell that already has the code (see `isOnly`), or in a new cell.
 * @param where The place of a new cell: above or below the user's present cell.
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
 * True if a cell has the line, and all its other lines may safely run again, such as imports: a user may load the
 * extension and import JAX in one cell.
 */
export function isOnly(line: string, source: string): boolean {
  const written = source
    .split('\n')
    .map(writtenLine => writtenLine.trim())
    .filter(writtenLine => writtenLine !== '' && !writtenLine.startsWith('#'));
  return (
    source.trim() === line ||
    (written.includes(line) &&
      written.every(
        writtenLine =>
          writtenLine === line ||
          /^(import|from)\s[\w.,* ]+$/.test(writtenLine) ||
          /^%(load_ext|config|matplotlib)\s/.test(writtenLine)
      ))
  );
}

/**
 * Runs the cell of a run again, after loading the extension if needed.
 * @param cell The id of the cell.
 * @param load The code that loads the extension; null if it is loaded.
 * @param how Decides whether the cells above run first.
 * @returns False if the notebook no longer has the cell; then nothing runs.
 */
export async function runAgain(
  cell: string,
  load: EvaluableText | null,
  how: 'cell' | 'up to cell',
  notebook: Notebook,
  commands: CommandRegistry
): Promise<boolean> {
  const place = (): number =>
    notebook.widgets.findIndex(({ model }) => model.id === cell);
  if (place() < 0) {
    return false;
  }
  notebook.deselectAll();
  if (how === 'up to cell') {
    const line = load?.inCell ?? null;
    notebook.activeCellIndex = 0;
    if (line !== null && !hasLine(line, notebook, place())) {
      NotebookActions.insertAbove(notebook);
      notebook.activeCell?.model.sharedModel.setSource(line);
      notebook.activeCellIndex = 0;
    }
    // The cells up to the cell of the run are selected and run together, so that a cell that raises stops the later
    // ones.
    notebook.extendContiguousSelectionTo(place());
  } else {
    notebook.activeCellIndex = place();
    if (load !== null) {
      await runAsCell(load, 'above', notebook, commands);
      notebook.activeCellIndex = place();
      notebook.deselectAll();
    }
  }
  await commands.execute('notebook:run-cell');
  notebook.deselectAll();
  return true;
}

/** True if a code cell above a place contains a line. */
function hasLine(line: string, notebook: Notebook, before: number): boolean {
  return notebook.widgets.slice(0, before).some(
    ({ model }) =>
      model.type === 'code' &&
      model.sharedModel
        .getSource()
        .split('\n')
        .some(written => written.trim() === line)
  );
}
