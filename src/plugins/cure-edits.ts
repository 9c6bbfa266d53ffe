/** Wires the edits of cures to the cells of the notebook in front. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Cell } from '@jupyterlab/cells';
import {
  CodeEditor,
  IEditorFactoryService,
  IEditorServices
} from '@jupyterlab/codeeditor';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import {
  INotebookTracker,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import type { EditorView } from '@codemirror/view';
import { ISignal, Signal } from '@lumino/signaling';

// Not lazy: the import is a table and an interface, and a view may need them at its first drawing.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import {
  ICellChange,
  ICellEditing,
  ICellEditor,
  ICellEditorOptions,
  ICellNow,
  setEditing
} from '../model/applied-cures';
import { ISelected } from '../model/places-of-edits';
import { EvaluableText } from '../protocol/evaluable';
import { IJaxprTracker } from '../tokens';

export const cellEditingPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:cell-editing',
  description: 'Puts the edits of a cure into the cells of the notebook.',
  autoStart: true,
  requires: [IJaxprTracker, INotebookTracker, IEditorServices],
  activate: (
    _: JupyterFrontEnd,
    tracker: IJaxprTracker,
    notebooks: INotebookTracker,
    editors: IEditorServices
  ): void => {
    const editingByPanel = new WeakMap<NotebookPanel, NotebookEditing>();
    const follow = (): void => {
      const panel = notebooks.currentWidget;
      if (panel !== null && tracker.current !== null) {
        const editing =
          editingByPanel.get(panel) ?? new NotebookEditing(panel, editors);
        editingByPanel.set(panel, editing);
        setEditing(tracker.current, editing);
      }
    };
    tracker.currentChanged.connect(follow);
    follow();
  }
};

/** Edits the cells of a notebook. */
export class NotebookEditing implements ICellEditing {
  constructor(
    private _panel: NotebookPanel,
    private _editors: IEditorServices
  ) {}

  get isEditable(): boolean {
    return !this._panel.isDisposed && !this._panel.context.model.readOnly;
  }

  get changed(): ISignal<unknown, unknown> {
    return this._panel.context.model.contentChanged;
  }

  find(id: string): ICellNow | null {
    const cell = this._find(id);
    return cell === null
      ? null
      : {
          source: cell.model.sharedModel.getSource(),
          isEditable:
            this.isEditable &&
            !cell.readOnly &&
            cell.model.getMetadata('editable') !== false
        };
  }

  change(
    id: string,
    changes: readonly ICellChange[],
    selected: ISelected
  ): void {
    const cell = this._find(id);
    const texts = changes.flatMap(({ text }) => text.inCell ?? []);
    if (cell === null || texts.length !== changes.length) {
      return;
    }
    const { sharedModel } = cell.model;
    // Undo merges changes within half a second into one step; this call makes the edit a step of its own.
    stopCapturing(sharedModel);
    sharedModel.transact(() => {
      for (let i = changes.length - 1; i >= 0; i--) {
        const { start, end } = changes[i];
        sharedModel.updateSource(start, end, texts[i]);
      }
    });
    stopCapturing(sharedModel);
    void this._goTo(cell, selected);
  }

  insertBelow(id: string, source: EvaluableText, selected: ISelected): void {
    const cell = this._find(id);
    const text = source.inCell;
    if (cell === null || text === null || !this.isEditable) {
      return;
    }
    const notebook = this._panel.content;
    const index = notebook.widgets.indexOf(cell) + 1;
    notebook.model?.sharedModel.insertCell(index, {
      cell_type: 'code',
      source: text,
      metadata: { trusted: true }
    });
    const added = notebook.widgets[index];
    if (added) {
      void this._goTo(added, selected);
    }
  }

  open(
    id: string,
    { host, extensions }: ICellEditorOptions
  ): ICellEditor | null {
    const cell = this._find(id);
    if (cell === null || this.find(id)?.isEditable !== true) {
      return null;
    }
    return new SecondEditor(this._editors.factoryService, cell, {
      host,
      extensions,
      config: {
        ...this._panel.content.editorConfig.code,
        lineNumbers: true,
        lineWrap: true,
        tabFocusable: true
      }
    });
  }

  run(id: string): void {
    const cell = this._find(id);
    if (cell === null) {
      return;
    }
    const notebook = this._panel.content;
    notebook.deselectAll();
    notebook.activeCellIndex = notebook.widgets.indexOf(cell);
    const focused = document.activeElement;
    void NotebookActions.run(notebook, this._panel.sessionContext);
    // The notebook takes the keyboard focus when it leaves its edit mode, so the focus is given back.
    if (focused instanceof HTMLElement && document.activeElement !== focused) {
      focused.focus();
    }
  }

  /** Move the keyboard focus into a cell, with a part of its text selected. */
  private async _goTo(cell: Cell, { start, end }: ISelected): Promise<void> {
    const notebook = this._panel.content;
    notebook.deselectAll();
    notebook.activeCellIndex = notebook.widgets.indexOf(cell);
    await notebook.scrollToCell(cell);
    await cell.ready;
    const { editor } = cell;
    if (cell.isDisposed || editor === null || notebook.activeCell !== cell) {
      return; // the user has gone elsewhere meanwhile
    }
    notebook.mode = 'edit';
    const [from, to] = [editor.getPositionAt(start), editor.getPositionAt(end)];
    if (from && to) {
      // The editor scrolls to the place, because any part of a tall cell may be in view.
      editor.revealPosition(from);
      editor.setSelection({ start: from, end: to });
    }
    editor.focus();
  }

  private _find(id: string): Cell | null {
    return (
      (this._panel.isDisposed
        ? undefined
        : this._panel.content.widgets.find(
            ({ model }) => model.id === id && model.type === 'code'
          )) ?? null
    );
  }
}

/** A second editor of a cell. The editor is disposed when the cell is deleted. */
class SecondEditor implements ICellEditor {
  constructor(
    factory: IEditorFactoryService,
    private _cell: Cell,
    options: Omit<CodeEditor.IOptions, 'model'>
  ) {
    this._editor = factory.newInlineEditor({ ...options, model: _cell.model });
    _cell.disposed.connect(this.dispose, this);
  }

  get view(): EditorView | null {
    return this._editor instanceof CodeMirrorEditor
      ? this._editor.editor
      : null;
  }

  get isDisposed(): boolean {
    return this._editor.isDisposed;
  }

  undo(): void {
    this._cell.model.sharedModel.undo();
  }

  redo(): void {
    this._cell.model.sharedModel.redo();
  }

  dispose(): void {
    Signal.clearData(this);
    this._editor.dispose();
  }

  private _editor: CodeEditor.IEditor;
}

/** Ends the current undo step, if the shared model has such steps. */
function stopCapturing(sharedModel: object): void {
  const { undoManager } = sharedModel as {
    undoManager?: { stopCapturing?: () => void } | null;
  };
  undoManager?.stopCapturing?.();
}
