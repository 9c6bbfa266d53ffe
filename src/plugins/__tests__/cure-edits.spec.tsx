/**
 * Puts a cure into a cell of a notebook: the offered cures, the changes of the shared model, the effect of one undo.
 */
import { ISharedCell, YNotebook } from '@jupyter/ydoc';
import type { IEditorServices } from '@jupyterlab/codeeditor';
import { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import * as React from 'react';

import { setEditing } from '../../model/applied-cures';
import { JaxprModel } from '../../model/model';
import { FakeChannel } from '../../model/__tests__/fake-channel';
import { Cures } from '../../parts/cures';
import { byRole, click, render, words } from '../../parts/__tests__/render';
import { snapshot } from '../../protocol/__tests__/documents';
import { Cure, Snapshot } from '../../protocol/snapshot';
import { NotebookEditing } from '../cure-edits';

const trans = nullTranslator.load('jupyter_jaxpr');

const RAN = [
  '%%jaxpr',
  '@jax.jit',
  'def f(x):',
  '    if x > 0:  # é',
  '        return x',
  '    return -x',
  'f(1.0)'
].join('\n');

const WHERE: Cure = {
  name: 'jax.numpy.where',
  code: 'return jnp.where(x > 0, x, -x)',
  text: 'Both sides are computed.',
  level: 'applies',
  edits: [{ frame: 0, text: 'return jnp.where(x > 0, x, -x)' }]
};
const STATIC: Cure = {
  name: 'in_axes',
  code: '@jax.jit(static_argnames=NAME)',
  text: 'Set NAME.',
  level: 'choice',
  edits: [{ frame: 1, text: 'jax.jit(static_argnames=NAME)' }]
};

/** A run of the cell `RAN`. Its frames are the `if` statement, the decorator, and line 4 without known columns. */
function run(changes: Partial<Snapshot> = {}): Snapshot {
  const base = snapshot();
  return snapshot({
    cell: { ...base.cell!, source: RAN },
    frames: [
      [0, 4, 4, 4, 6, 13],
      [0, 4, 2, 1, 2, 8],
      [0, 4, 4, -1, 4, -1]
    ],
    ...changes
  });
}

/** A notebook with the cell, in a panel with the members that `NotebookEditing` uses. */
class FakePanel {
  constructor(source = RAN) {
    this.shared.insertCell(0, {
      id: 'cell-7',
      cell_type: 'code',
      source,
      metadata: {}
    });
    this.shared.changed.connect(() => this.contentChanged.emit());
    this.shared.getCell(0).changed.connect(() => this.contentChanged.emit());
  }

  shared = new YNotebook({ disableDocumentWideUndoRedo: true });
  contentChanged = new Signal<this, void>(this);
  isDisposed = false;
  readOnly = false;
  selected: unknown[] = [];

  get context(): unknown {
    return {
      model: { readOnly: this.readOnly, contentChanged: this.contentChanged }
    };
  }

  private _widgets = new Map<string, unknown>();

  private _widget(cell: ISharedCell): unknown {
    const known = this._widgets.get(cell.getId()) ?? {
      model: {
        id: cell.getId(),
        type: cell.cell_type,
        sharedModel: cell,
        getMetadata: (name: string) => cell.getMetadata(name)
      },
      readOnly: cell.getMetadata('editable') === false,
      ready: Promise.resolve(),
      isDisposed: false,
      editor: {
        getPositionAt: (offset: number) => offset,
        setSelection: (at: unknown) => this.selected.push(at),
        revealPosition: () => undefined,
        focus: () => undefined
      }
    };
    this._widgets.set(cell.getId(), known);
    return known;
  }

  get content(): unknown {
    const widgets = this.shared.cells.map(cell => this._widget(cell));
    const content = {
      widgets,
      activeCellIndex: 0,
      get activeCell() {
        return widgets[content.activeCellIndex];
      },
      model: { sharedModel: this.shared },
      deselectAll: () => undefined,
      scrollToCell: () => Promise.resolve()
    };
    return content;
  }

  get sources(): string[] {
    return this.shared.cells.map(cell => cell.getSource());
  }
}

function drawn(
  cures: readonly Cure[],
  options: { panel?: FakePanel; document?: Snapshot; saved?: boolean } = {}
): {
  node: HTMLElement;
  panel: FakePanel;
  kernel: FakeChannel;
  redraw: () => void;
} {
  const panel = options.panel ?? new FakePanel();
  const document = options.document ?? run();
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  if (options.saved) {
    model.show(document, true);
  } else {
    model.setChannel(kernel);
    kernel.greets();
    kernel.sends(document);
  }
  setEditing(
    model,
    new NotebookEditing(
      panel as unknown as NotebookPanel,
      {} as unknown as IEditorServices
    )
  );
  const element = (): JSX.Element => (
    <Cures cures={cures} model={model} snapshot={document} trans={trans} />
  );
  const { node, redraw } = render(element());
  return { node, panel, kernel, redraw: () => redraw(element()) };
}

const buttons = (node: HTMLElement): string[] =>
  byRole(node, 'button').map(words);
const status = (node: HTMLElement): string =>
  words(node.querySelector('[role=status]'));
const settled = (): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, 0));

const AFTER = RAN.replace(
  'if x > 0:  # é\n        return x\n    return -x',
  'return jnp.where(x > 0, x, -x)'
);

// Hides the warnings of yjs about the way in which JupyterLab's shared model makes a cell.
beforeEach(() => jest.spyOn(console, 'warn').mockReturnValue(undefined));

afterEach(() => {
  document.body.replaceChildren();
});

describe('a cure that applies', () => {
  it('says where, and draws what goes and what comes', () => {
    const { node } = drawn([WHERE]);
    expect(words(node.querySelector('dt'))).toBe(
      'jax.numpy.where Applies without changes'
    );
    expect(words(node.querySelector('dd > p'))).toBe('Cell [7], line 4');
    const [diff] = byRole(node, 'group');
    expect(diff.getAttribute('aria-label')).toBe(
      'How the cure changes the cell'
    );
    expect([...diff.children].map(line => line.textContent)).toEqual([
      '4−removed: if x > 0:  # é',
      '5−removed:     return x',
      '6−removed: return -x',
      '4+added: return jnp.where(x > 0, x, -x)'
    ]);
    expect(buttons(node)).toEqual([
      'Apply to the cell',
      'Insert as a new cell'
    ]);
    expect(status(node)).toBe('');
  });

  it('is one edit of the cell, and one undo takes the edit back', async () => {
    const { node, panel } = drawn([WHERE]);
    const cell = panel.shared.getCell(0);
    cell.updateSource(RAN.length, RAN.length, ' ');
    cell.updateSource(RAN.length, RAN.length + 1, '');
    click(byRole(node, 'button', 'Apply to the cell')[0]);
    await settled();
    expect(panel.sources).toEqual([AFTER]);
    const at = AFTER.indexOf('return jnp') + WHERE.edits![0].text.length;
    expect(panel.selected).toEqual([{ start: at, end: at }]);
    expect(status(node)).toBe(
      'The cure was applied. Press Shift+Enter to run the cell again. Ctrl+Z undoes the change.'
    );
    expect(buttons(node)).toEqual(['Insert as a new cell']);
    cell.undo();
    expect(panel.sources).toEqual([RAN]);
  });

  it('can be applied again after Undo', async () => {
    const { node, panel, redraw } = drawn([WHERE]);
    click(byRole(node, 'button', 'Apply to the cell')[0]);
    panel.shared.getCell(0).undo();
    await settled();
    redraw();
    expect(buttons(node)).toEqual([
      'Apply to the cell',
      'Insert as a new cell'
    ]);
    expect(status(node)).toBe('');
  });

  it('makes several edits in one step', () => {
    const { node, panel } = drawn([
      { ...WHERE, edits: [...WHERE.edits!, { frame: 1, text: 'jax.jit()' }] }
    ]);
    expect(words(node.querySelector('dd > p'))).toBe('Cell [7], lines 2, 4');
    click(byRole(node, 'button', 'Apply to the cell')[0]);
    expect(panel.sources).toEqual([AFTER.replace('@jax.jit', '@jax.jit()')]);
    panel.shared.getCell(0).undo();
    expect(panel.sources).toEqual([RAN]);
  });

  it('is the whole edited text in a new cell below', async () => {
    const panel = new FakePanel();
    panel.shared.insertCell(1, { cell_type: 'code', source: 'last' });
    const { node } = drawn([WHERE], { panel });
    click(byRole(node, 'button', 'Insert as a new cell')[0]);
    await settled();
    expect(panel.sources).toEqual([RAN, AFTER, 'last']);
    expect(panel.shared.getCell(1).cell_type).toBe('code');
    expect(status(node)).toBe(
      'A new cell has the edited text. Press Shift+Enter to run the cell.'
    );
  });

  it('selects the first name to replace where it leaves a choice', async () => {
    const { node, panel } = drawn([STATIC]);
    click(byRole(node, 'button', 'Apply to the cell')[0]);
    await settled();
    const text = RAN.replace('@jax.jit', '@jax.jit(static_argnames=NAME)');
    expect(panel.sources).toEqual([text]);
    const at = text.indexOf('NAME');
    expect(panel.selected).toEqual([{ start: at, end: at + 4 }]);
    expect(status(node)).toBe(
      'The cure was applied. Replace the names in capitals, then press Shift+Enter to run the cell again. Ctrl+Z undoes the change.'
    );
  });
});

describe('a cure that cannot be applied', () => {
  it('says that the cell changed since the run, as soon as it did', async () => {
    const { node, panel, redraw } = drawn([WHERE]);
    const [apply] = byRole(node, 'button', 'Apply to the cell');
    panel.shared.getCell(0).updateSource(0, 0, '# new\n');
    await settled();
    redraw();
    expect(buttons(node)).toEqual(['Insert as a new cell']);
    expect(status(node)).toBe(
      'The cell was edited after this run. Run the cell again.'
    );
    click(apply); // a button that was drawn before the cell changed does nothing
    expect(panel.sources).toEqual([`# new\n${RAN}`]);
  });

  it('never changes a cell that is not editable', () => {
    const panel = new FakePanel();
    panel.shared.getCell(0).setMetadata('editable', false);
    const { node } = drawn([WHERE], { panel });
    expect(buttons(node)).toEqual(['Insert as a new cell']);
    expect(status(node)).toBe('The cell is read-only.');
  });

  it('changes nothing in a notebook that is read-only', () => {
    const panel = new FakePanel();
    panel.readOnly = true;
    const { node } = drawn([WHERE], { panel });
    expect(buttons(node)).toEqual([]);
    expect(status(node)).toBe('The cell is read-only.');
  });

  it('says that the cell is gone', () => {
    const panel = new FakePanel();
    panel.shared.deleteCell(0);
    const { node } = drawn([WHERE], { panel });
    expect(buttons(node)).toEqual([]);
    expect(status(node)).toBe('The notebook no longer has this cell.');
  });

  it('offers nothing of a saved copy', () => {
    const { node } = drawn([WHERE], { saved: true });
    expect(buttons(node)).toEqual([]);
    expect(status(node)).toBe(
      'This run comes from a saved copy or from an earlier kernel. Run the cell again to apply the cure.'
    );
    expect(byRole(node, 'group')).toHaveLength(1);
  });

  it('offers nothing after the kernel restarted', () => {
    const { node, panel, kernel, redraw } = drawn([WHERE]);
    const [apply] = byRole(node, 'button', 'Apply to the cell');
    kernel.turns({ kind: 'lost', loss: 'restarting' });
    click(apply);
    expect(panel.sources).toEqual([RAN]);
    redraw();
    expect(buttons(node)).toEqual([]);
  });

  it('names the file and the line where the code is in no cell', () => {
    const base = run();
    const { node } = drawn([WHERE], {
      document: run({
        files: [{ ...base.files[0], path: '/home/me/model.py', kind: 'user' }]
      })
    });
    expect(buttons(node)).toEqual([]);
    expect(words(node.querySelector('dd > p'))).toBe('model.py, line 4');
    expect(words(node.querySelector('pre'))).toBe(WHERE.code);
    expect(status(node)).toBe(
      'The code is in a file. Edit line 4 of /home/me/model.py.'
    );
  });

  it('says that the place is not known where IPython rewrote the line', () => {
    const { node } = drawn([
      { ...WHERE, edits: [{ frame: 2, text: 'return x' }] }
    ]);
    expect(buttons(node)).toEqual([]);
    expect(status(node)).toBe(
      'The panel does not know the place of the cure in the cell. Edit the cell by hand.'
    );
  });

  it('has no buttons where it is advice', () => {
    const { node } = drawn([{ ...WHERE, level: 'advice' }]);
    expect(buttons(node)).toEqual([]);
    expect(node.querySelector('[role=status]')).toBeNull();
  });
});
