/** Finds the user's cell with the magic, which the panel offers to run while there is no program. */
import type { INotebookTracker, Notebook } from '@jupyterlab/notebook';
import type { CommandRegistry } from '@lumino/commands';

import type { ICellWithMagic, ICellsWithMagic } from '../parts/states/empty';

const MAGIC = /^\s*%%jaxpr(?:[^\S\n][^\n]*)?\n\s*\S/;

/** The cells with the magic of the notebook in front. */
export function cellsWithMagic(
  notebooks: INotebookTracker,
  commands: CommandRegistry
): ICellsWithMagic {
  return {
    find: () => {
      const notebook = notebooks.currentWidget?.content;
      return notebook ? nearestWithMagic(notebook) : null;
    },
    follow: changed => {
      let model = notebooks.currentWidget?.content.model ?? null;
      const turn = (): void => {
        model?.contentChanged.disconnect(changed);
        model = notebooks.currentWidget?.content.model ?? null;
        model?.contentChanged.connect(changed);
        changed();
      };
      model?.contentChanged.connect(changed);
      notebooks.currentChanged.connect(turn);
      notebooks.activeCellChanged.connect(changed);
      return () => {
        model?.contentChanged.disconnect(changed);
        notebooks.currentChanged.disconnect(turn);
        notebooks.activeCellChanged.disconnect(changed);
      };
    },
    run: async cell => {
      const notebook = notebooks.currentWidget?.content;
      if (notebook) {
        const { runAgain } = await import('./run-as-cell');
        await runAgain(cell.id, null, 'cell', notebook, commands);
      }
    }
  };
}

/** The code cell that begins with the magic and has code below it; of several, the nearest to the active cell. */
export function nearestWithMagic(
  notebook: Pick<Notebook, 'widgets' | 'activeCellIndex'>
): ICellWithMagic | null {
  let nearest: ICellWithMagic | null = null;
  let least = Infinity;
  notebook.widgets.forEach(({ model }, index) => {
    const distance = Math.abs(index - notebook.activeCellIndex);
    if (model.type !== 'code' || distance > least) {
      return;
    }
    const source = model.sharedModel.getSource();
    // Of two cells at the same distance from the active cell, the later one replaces the earlier one, because the user
    // reads downwards.
    if (MAGIC.test(source)) {
      nearest = { id: model.id, source };
      least = distance;
    }
  });
  return nearest;
}
