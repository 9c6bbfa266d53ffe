/** Wires Live: the switch, and the keys that the user presses in the cells of the notebook in front. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { Cell, ICodeCellModel } from '@jupyterlab/cells';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';
import {
  INotebookTracker,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Extension, Transaction } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';

import { raisedIn, setWrittenMark, writtenMark } from '../editor/written-mark';
// This module is imported at once, because it has the state of the switch; it is small.
import { LAST_LEVELS, LastLevel, liveChoice, liveOf } from '../model/live';
// This module is imported at once, because it follows the keys of the cells; it is small.
import { IWrittenCell, LiveTracing } from '../model/live-tracing';
// This module is imported at once, because the switch needs its texts from the start; it is small.
import { liveWords } from '../model/live-words';
// This module is imported at once, because it has to observe the user's keys from the start; it is small.
import { ISign, UsersSigns } from '../model/last-gesture';
import { EvaluableText } from '../protocol/evaluable';
import { IJaxprModel, IJaxprTracker } from '../tokens';
import { followSettings } from './follow-settings';

/** Turns Live on and off; the choice is kept in the settings. */
export const TOGGLE_LIVE = 'jupyter-jaxpr:toggle-live';

/** Traces the cell in which the caret is, once. */
export const TRACE_NOW = 'jupyter-jaxpr:trace-now';

/** Chooses the level up to which Live makes texts; the choice is stored in the settings. */
const LAST_LEVEL = 'jupyter-jaxpr:last-level-of-live';

export const livePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:live',
  description: 'Traces a cell while the user writes in it, where that is on.',
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
    const { commands } = app;
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    const signs = new UsersSigns(window);
    const following = new Following(tracker, notebooks, signs);

    editors.addExtension({
      name: 'jupyter-jaxpr:live',
      factory: ({ model }) => {
        const { id, type } = model as Partial<{ id: unknown; type: unknown }>;
        return EditorExtensionRegistry.createImmutableExtension(
          type === 'code' && typeof id === 'string'
            ? [writtenMark, following.keysOf(id)]
            : []
        );
      }
    });

    const settings = followSettings(registry, read => {
      liveChoice.set(read?.get('live').composite === true);
      liveChoice.setLastLevel(
        levelOf(read?.get('lastLevelOfLive').composite) ?? 'jaxpr'
      );
    });
    liveChoice.changed.connect(() => {
      if (!liveChoice.isOn) {
        following.stop();
      }
      commands.notifyCommandChanged(TOGGLE_LIVE);
      commands.notifyCommandChanged(LAST_LEVEL);
    });
    const titles: Record<LastLevel, string> = {
      jaxpr: trans.__('Live: Show Only the jaxpr'),
      stablehlo: trans.__('Live: Show Levels up to StableHLO'),
      hlo: trans.__('Live: Show Levels up to HLO (XLA Compiles)')
    };
    commands.addCommand(LAST_LEVEL, {
      label: args => titles[levelOf(args.level) ?? 'jaxpr'],
      isToggled: args => levelOf(args.level) === liveChoice.lastLevel,
      isToggleable: true,
      describedBy: {
        args: {
          type: 'object',
          properties: { level: { type: 'string', enum: [...LAST_LEVELS] } },
          required: ['level']
        }
      },
      execute: async args => {
        const level = levelOf(args.level);
        if (level !== null) {
          liveChoice.setLastLevel(level);
          await (await settings)?.set('lastLevelOfLive', level);
        }
      }
    });
    commands.addCommand(TOGGLE_LIVE, {
      label: trans.__('Live: Trace While You Type'),
      caption: () => liveWords(liveChoice.lastLevel, trans),
      isToggled: () => liveChoice.isOn,
      isToggleable: true,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        liveChoice.set(!liveChoice.isOn);
        await (await settings)?.set('live', liveChoice.isOn);
      }
    });
    commands.addCommand(TRACE_NOW, {
      label: trans.__('Trace the Cell Without Running It'),
      caption: () =>
        liveChoice.lastLevel === 'hlo'
          ? trans.__(
              "Your function's Python runs on tracers, once, and XLA compiles the program. None of your calls is executed."
            )
          : trans.__(
              "Your function's Python runs on tracers, once. Nothing is compiled, and none of your calls is executed."
            ),
      isEnabled: () => notebooks.activeCell?.model.type === 'code',
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => {
        // Another extension can also run this command, but the kernel traces only after a key press or click of the
        // user.
        if (signs.latest !== null) {
          following.traceNow(signs.latest);
        }
      }
    });
    for (const command of [TOGGLE_LIVE, TRACE_NOW]) {
      palette?.addItem({ command, category: trans.__('Jaxpr') });
    }
    for (const level of LAST_LEVELS) {
      palette?.addItem({
        command: LAST_LEVEL,
        args: { level },
        category: trans.__('Jaxpr')
      });
    }
  }
};

function levelOf(value: unknown): LastLevel | null {
  return LAST_LEVELS.find(level => level === value) ?? null;
}

/** Follows the notebook in front, and traces a cell of the notebook while the user writes. */
class Following {
  constructor(
    private _tracker: IJaxprTracker,
    private _notebooks: INotebookTracker,
    private _signs: UsersSigns
  ) {
    _tracker.currentChanged.connect(this._follow, this);
    NotebookActions.executed.connect((_, { cell }) => {
      this._tracing?.ran(cell.model.id);
    });
    this._follow();
  }

  /** The extension of a cell's editor that follows the user's keys and edits. */
  keysOf(cellId: string): Extension {
    return [
      EditorView.domEventHandlers({
        keydown: event => {
          // `isTrusted` is false for an event that a script makes, which does not count as a key press of the user.
          if (event.isTrusted) {
            // Only `isTrusted` is stored: the event would keep the editor of a closed notebook in memory.
            this._keys.set(cellId, { isTrusted: true });
          }
          return false;
        }
      }),
      ViewPlugin.define(view => {
        const views = this._views.get(cellId) ?? new Set();
        this._views.set(cellId, views.add(view));
        return {
          destroy: () => {
            views.delete(view);
            if (views.size === 0 && this._views.get(cellId) === views) {
              this._views.delete(cellId);
            }
          }
        };
      }),
      EditorView.updateListener.of(update => {
        if (update.view.hasFocus) {
          const { doc, selection } = update.state;
          this._lines.set(cellId, doc.lineAt(selection.main.head).number);
        }
        if (
          update.docChanged &&
          liveChoice.isOn &&
          this._keys.has(cellId) &&
          // Only changes by this user count, not those by a collaborator, a reload of the file or an extension.
          ((this._signs.undoes && update.view.hasFocus) ||
            update.transactions.some(
              transaction =>
                transaction.annotation(Transaction.userEvent) !== undefined
            ))
        ) {
          this._tracing?.typed(cellId);
        }
      })
    ];
  }

  /**
   * Trace the cell with the caret once, because the user has just asked for the trace by a key, a menu or the palette.
   */
  traceNow(sign: ISign): void {
    const cell = this._notebooks.activeCell;
    if (cell !== null && this._tracing !== null) {
      this._presses.set(cell.model.id, { isTrusted: sign.isTrusted });
      this._tracing.traceNow(cell.model.id);
    }
  }

  stop(): void {
    this._tracing?.stop();
  }

  private _follow(): void {
    const model = this._tracker.current;
    if (model === this._model) {
      return;
    }
    if (this._model !== null) {
      liveOf(this._model).changed.disconnect(this._mark, this);
    }
    this.stop();
    this._model = model;
    const panel = this._notebooks.currentWidget;
    this._tracing =
      model === null || panel === null
        ? null
        : new LiveTracing(model, id => this._read(panel, id));
    if (model !== null) {
      liveOf(model).changed.connect(this._mark, this);
    }
  }

  /** Read the present state of a cell. */
  private _read(panel: NotebookPanel, id: string): IWrittenCell | null {
    const cell = find(panel, id);
    const sign = this._signOf(id);
    if (cell === null || sign === null) {
      return null;
    }
    const source = cell.model.sharedModel.getSource();
    return {
      id,
      text: isTrusted(cell) ? EvaluableText.written(source, sign) : null,
      line: this._lines.get(id) ?? null
    };
  }

  private _signOf(id: string): ISign | null {
    return this._keys.get(id) ?? this._presses.get(id) ?? null;
  }

  /** Mark the expression that raises, in the cell that was traced. */
  private _mark(): void {
    if (this._model === null) {
      return;
    }
    const { state } = liveOf(this._model);
    const place =
      state.kind === 'answered' && state.answer.state === 'raised'
        ? raisedIn(state.answer.snapshot)
        : null;
    const id =
      place !== null && state.kind === 'answered' ? state.cellId : null;
    for (const marked of new Set([this._marked, id])) {
      for (const view of this._views.get(marked ?? '') ?? []) {
        view.dispatch({
          effects: setWrittenMark.of(marked === id ? place : null)
        });
      }
    }
    this._marked = id;
  }

  private _model: IJaxprModel | null = null;
  private _tracing: LiveTracing | null = null;
  /** The last key that the user pressed in each cell, in this page. */
  private _keys = new Map<string, ISign>();
  /** For each cell, the key press or click by which the user ran the command that traces the cell. */
  private _presses = new Map<string, ISign>();
  private _marked: string | null = null;
  /** The editors of each cell: the editors of the notebook, and the editors of the columns side by side. */
  private _views = new Map<string, Set<EditorView>>();
  /** The line of the caret in each cell, from 1, when the keyboard was last there. */
  private _lines = new Map<string, number>();
}

function find(panel: NotebookPanel, id: string): Cell | null {
  return panel.isDisposed
    ? null
    : (panel.content.widgets.find(({ model }) => model.id === id) ?? null);
}

/**
 * True if the user trusts a cell. JupyterLab trusts all cells of a trusted notebook; in any other notebook, JupyterLab
 * trusts the cells that the user has made or run.
 */
function isTrusted(cell: Cell): boolean {
  return (cell.model as ICodeCellModel).trusted;
}
