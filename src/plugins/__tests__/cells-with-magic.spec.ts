/** Tests which cell of the user the panel offers to run while there is no program. */
import type { INotebookTracker } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';

import type { ICellsWithMagic } from '../../parts/states/empty';
import { cellsWithMagic } from '../cells-with-magic';

/** A notebook in front, with code cells and an active cell. */
class FakeNotebooks {
  constructor(...sources: string[]) {
    this.currentWidget.content.widgets = sources.map((source, index) => ({
      model: {
        id: `${index}`,
        type: source.startsWith('# ') ? 'markdown' : 'code',
        sharedModel: { getSource: () => source }
      }
    }));
    this.commands.addCommand('notebook:run-cell', {
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => this.ran.push(this.currentWidget.content.activeCellIndex)
    });
  }

  commands = new CommandRegistry();
  ran: number[] = [];
  currentChanged = new Signal<this, void>(this);
  activeCellChanged = new Signal<this, void>(this);
  currentWidget = fakePanel();

  cells(): ICellsWithMagic {
    const notebooks = this as unknown as INotebookTracker;
    return cellsWithMagic(notebooks, this.commands);
  }

  nearestTo(active: number): string | null {
    this.currentWidget.content.activeCellIndex = active;
    return this.cells().find()?.id ?? null;
  }
}

function fakePanel() {
  return {
    content: {
      widgets: [] as object[],
      activeCellIndex: 0,
      deselectAll: () => undefined,
      model: { contentChanged: new Signal<object, void>({}) }
    }
  };
}

it('is the nearest cell with the magic, and the cell below of two that are as near', () => {
  const notebooks = new FakeNotebooks(
    'import jax',
    '%%jaxpr\nf(x)',
    'x = 1',
    '\n%%jaxpr --eager\n\ng(x)'
  );
  expect([0, 1, 2, 3].map(active => notebooks.nearestTo(active))).toEqual([
    '1',
    '1',
    '3',
    '3'
  ]);
});

it.each([
  '# a text\n%%jaxpr\nf(x)',
  '%%jaxpr',
  '%%jaxpr --eager\n\n',
  '%%jaxprs\nf(x)',
  '%%jaxpr?\nf(x)',
  'x = 1\n%%jaxpr\nf(x)'
])('is no cell that runs nothing with the magic: %j', source => {
  expect(new FakeNotebooks(source).nearestTo(0)).toBeNull();
});

it('runs, and becomes the active cell', async () => {
  const notebooks = new FakeNotebooks('import jax', '%%jaxpr\nf(x)');
  const cells = notebooks.cells();
  await cells.run(cells.find()!);
  expect(notebooks.ran).toEqual([1]);
});

it('is looked for again when a cell, the active cell or the notebook changes', () => {
  const notebooks = new FakeNotebooks('%%jaxpr\nf(x)');
  const heard: string[] = [];
  let change = 'none';
  const end = notebooks.cells().follow(() => heard.push(change));
  const changes = (): void => {
    change = 'text';
    notebooks.currentWidget.content.model.contentChanged.emit();
    change = 'active cell';
    notebooks.activeCellChanged.emit();
  };
  changes();
  const closed = notebooks.currentWidget;
  notebooks.currentWidget = fakePanel();
  change = 'notebook';
  notebooks.currentChanged.emit();
  change = 'text of the closed notebook';
  closed.content.model.contentChanged.emit();
  changes();
  expect(heard).toEqual([
    'text',
    'active cell',
    'notebook',
    'text',
    'active cell'
  ]);
  end();
  changes();
  notebooks.currentChanged.emit();
  expect(heard).toHaveLength(5);
});
