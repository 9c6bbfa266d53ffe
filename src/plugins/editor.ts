/** Wires the links between the program in the panel and the cells of the notebook in front. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { Cell } from '@jupyterlab/cells';
import { CodeEditor } from '@jupyterlab/codeeditor';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';
import {
  CellList,
  INotebookTracker,
  NotebookPanel
} from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

// The module is light, and every editor of a cell needs it from the start.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { CellLinks } from '../editor/cell-links';
import type { ICells } from '../editor/ran-cells';
import { ScreenState, screenStateOf } from '../model/screen-state';
import { typesChoice } from '../model/types-choice';
import { typesIcon } from '../parts/panel-icon';
import { IJaxprTracker } from '../tokens';
// The module is only a table, and the key is bound at the start.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { keysOf } from '../view-keys';
import { followSettings } from './follow-settings';

namespace CommandIDs {
  export const returnToProgram = 'jupyter-jaxpr:return-to-program';
}

/** Shows and hides the types beside the code; the choice is kept in the settings. */
export const TOGGLE_TYPES = 'jupyter-jaxpr:toggle-types';

export const editorPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:editor',
  description:
    'Marks in the cells what the program in the panel came from, and the other way round.',
  autoStart: true,
  requires: [IJaxprTracker, INotebookTracker, IEditorExtensionRegistry],
  optional: [ITranslator, ISettingRegistry, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: IJaxprTracker,
    notebooks: INotebookTracker,
    editors: IEditorExtensionRegistry,
    translator: ITranslator | null,
    registry: ISettingRegistry | null,
    palette: ICommandPalette | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    const links = new CellLinks(trans);
    editors.addExtension({
      name: 'jupyter-jaxpr:cell-links',
      factory: ({ model }) => {
        const id = cellId(model);
        return EditorExtensionRegistry.createImmutableExtension(
          id === null ? [] : links.extension(id)
        );
      }
    });

    const hideOutcomes = (): void => {
      const model = tracker.current;
      notebooks.currentWidget?.content.node.classList.toggle(
        'jp-mod-jaxprPredicts',
        model !== null && screenStateOf(model).outcomesHidden
      );
    };
    let followed: ScreenState | null = null;
    let counted: CellList | null = null;
    const follow = (): void => {
      const panel = notebooks.currentWidget;
      const model = tracker.current;
      links.follow(model, panel && new NotebookCells(panel, app.shell));
      counted?.changed.disconnect(links.cellsChanged, links);
      counted = panel?.model?.cells ?? null;
      counted?.changed.connect(links.cellsChanged, links);
      followed?.viewChanged.disconnect(hideOutcomes);
      followed = model && screenStateOf(model);
      followed?.viewChanged.connect(hideOutcomes);
      hideOutcomes();
    };
    tracker.currentChanged.connect(follow, links);
    links.viewWanted.connect((_, view) => {
      void app.commands.execute(`jupyter-jaxpr:show-${view}`);
    });
    follow();

    const settings = followSettings(registry, read => {
      typesChoice.set(
        read?.get('typesInCells').composite !== false,
        read?.get('typesPlace').composite === 'name'
      );
      app.commands.notifyCommandChanged(TOGGLE_TYPES);
    });
    app.commands.addCommand(TOGGLE_TYPES, {
      label: trans.__('Types beside the Code'),
      caption: trans.__(
        'Show the types that the names in the cell had while JAX traced'
      ),
      icon: typesIcon,
      isToggled: () => typesChoice.shown,
      isToggleable: true,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        typesChoice.set(!typesChoice.shown, typesChoice.afterNames);
        app.commands.notifyCommandChanged(TOGGLE_TYPES);
        await (await settings)?.set('typesInCells', typesChoice.shown);
      }
    });
    palette?.addItem({ command: TOGGLE_TYPES, category: trans.__('Jaxpr') });

    app.commands.addCommand(CommandIDs.returnToProgram, {
      label: trans.__('Return to the Program'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => links.goToProgram()
    });
    // The selector matches only a cell to which the focus came from the program. It matches an element inside the
    // notebook, so this binding of Escape has precedence over the notebook's own.
    app.commands.addKeyBinding({
      command: CommandIDs.returnToProgram,
      keys: keysOf('cell', 'returnToProgram'),
      selector: '.jp-Notebook .cm-editor.jp-mod-jaxprReturns'
    });
  }
};

/** The id of the cell that an editor's model belongs to; null for editors of other things. */
function cellId(model: CodeEditor.IModel): string | null {
  const { id, type } = model as Partial<{ id: unknown; type: unknown }>;
  return type === 'code' && typeof id === 'string' ? id : null;
}

/** The cells of a notebook, by their ids. */
class NotebookCells implements ICells {
  constructor(
    private _panel: NotebookPanel,
    private _shell: JupyterFrontEnd.IShell
  ) {}

  source(id: string): string | null {
    return this._find(id)?.model.sharedModel.getSource() ?? null;
  }

  find(source: string): string | null {
    const [cell, ...otherCells] = this._panel.isDisposed
      ? []
      : this._panel.content.widgets.filter(
          ({ model }) =>
            model.type === 'code' &&
            model.sharedModel.getSource().trimEnd() === source.trimEnd()
        );
    return cell && otherCells.length === 0 ? cell.model.id : null;
  }

  async goTo(id: string, line: number, column: number): Promise<void> {
    const notebook = this._panel.content;
    const index = notebook.widgets.findIndex(cell => cell.model.id === id);
    if (index < 0) {
      return;
    }
    // Show the notebook's tab first, because the columns side by side may lie over the notebook.
    this._shell.activateById(this._panel.id);
    notebook.activeCellIndex = index;
    const cell = notebook.widgets[index];
    await notebook.scrollToCell(cell);
    notebook.mode = 'edit';
    cell.editor?.setCursorPosition({ line: line - 1, column });
    cell.editor?.focus();
  }

  private _find(id: string): Cell | undefined {
    return this._panel.isDisposed
      ? undefined
      : this._panel.content.widgets.find(cell => cell.model.id === id);
  }
}
