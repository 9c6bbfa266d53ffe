/** Tests which cells of a notebook run again: the cells that load the extension, and the cell of the run in view. */
import { Notebook, NotebookActions } from '@jupyterlab/notebook';
import { CommandRegistry } from '@lumino/commands';

import { EvaluableText } from '../../protocol/evaluable';
import { isOnly, runAgain } from '../run-as-cell';

const LOAD = '%load_ext jupyter_jaxpr';

describe('a cell that loads the extension', () => {
  it.each([
    LOAD,
    `${LOAD}\nimport jax, jax.numpy as jnp\nfrom jax import lax`,
    `# load it\n\n${LOAD}\n%matplotlib inline\nimport numpy as np`
  ])('may hold imports: %j', source => {
    expect(isOnly(LOAD, source)).toBe(true);
  });

  it.each([
    `${LOAD}\nparams = train()`,
    `%%jaxpr\n${LOAD}\nf(x)`,
    `${LOAD}\nimport jax; jax.config.update('jax_enable_x64', True)`,
    'import jax',
    `print("${LOAD}")`
  ])('holds nothing that would run twice: %j', source => {
    expect(isOnly(LOAD, source)).toBe(false);
  });
});

/** A notebook of code cells, and a kernel that records the code that runs. */
class FakeNotebook {
  constructor(...sources: string[]) {
    this.widgets = sources.map(source => fakeCell(source, source));
    this.commands.addCommand('notebook:run-cell', {
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => {
        const from = Math.min(this.activeCellIndex, this._anchor);
        const to = Math.max(this.activeCellIndex, this._anchor);
        this.ran.push(...this.sources.slice(from, to + 1));
      }
    });
    jest
      .spyOn(NotebookActions, 'insertAbove')
      .mockImplementation(() =>
        this.widgets.splice(this.activeCellIndex, 0, fakeCell('new', ''))
      );
  }

  widgets: ReturnType<typeof fakeCell>[];
  commands = new CommandRegistry();
  ran: string[] = [];

  get activeCellIndex(): number {
    return this._active;
  }

  set activeCellIndex(index: number) {
    this._active = this._anchor = index;
  }

  get activeCell(): ReturnType<typeof fakeCell> {
    return this.widgets[this._active];
  }

  get sources(): string[] {
    return this.widgets.map(each => each.model.sharedModel.getSource());
  }

  deselectAll(): void {
    this._anchor = this._active;
  }

  extendContiguousSelectionTo(index: number): void {
    this._active = index;
  }

  again(cell: string, load: EvaluableText | null, how: 'cell' | 'up to cell') {
    const notebook = this as unknown as Notebook;
    return runAgain(cell, load, how, notebook, this.commands);
  }

  private _active = 0;
  private _anchor = 0;
}

function fakeCell(id: string, source: string) {
  const sharedModel = {
    getSource: () => source,
    setSource: (text: string) => (source = text)
  };
  return { model: { id, type: 'code', sharedModel } };
}

describe('a cell that runs again', () => {
  const load = EvaluableText.ours`%load_ext jupyter_jaxpr`;

  it('runs alone, after the extension is loaded', async () => {
    const notebook = new FakeNotebook('x = 1', 'f(x)', 'g(x)');
    expect(await notebook.again('f(x)', load, 'cell')).toBe(true);
    expect(notebook.ran).toEqual([LOAD, 'f(x)']);
    expect(notebook.sources).toEqual(['x = 1', LOAD, 'f(x)', 'g(x)']);
  });

  it('runs with the cells above, one of which loads the extension', async () => {
    const notebook = new FakeNotebook(`${LOAD}\nimport jax`, 'f(x)', 'g(x)');
    expect(await notebook.again('f(x)', load, 'up to cell')).toBe(true);
    expect(notebook.ran).toEqual([`${LOAD}\nimport jax`, 'f(x)']);
  });

  it('runs with the cells above, after a new one that loads the extension', async () => {
    const notebook = new FakeNotebook('x = 1', 'f(x)', LOAD);
    expect(await notebook.again('f(x)', load, 'up to cell')).toBe(true);
    expect(notebook.ran).toEqual([LOAD, 'x = 1', 'f(x)']);
    expect(notebook.activeCell.model.id).toBe('f(x)');
  });

  it('runs nothing where the notebook no longer has it', async () => {
    const notebook = new FakeNotebook('x = 1');
    expect(await notebook.again('f(x)', load, 'up to cell')).toBe(false);
    expect(notebook.ran).toEqual([]);
    expect(notebook.sources).toEqual(['x = 1']);
  });
});
