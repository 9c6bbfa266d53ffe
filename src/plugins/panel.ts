/** Wires the panel: its place in the shell, its commands, and when it opens. */
import {
  ILabShell,
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Clipboard, ICommandPalette } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStateDB } from '@jupyterlab/statedb';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { Menu } from '@lumino/widgets';

// eslint-disable-next-line jupyter/prefer-lazy-imports
import { lackKeys } from '../view-keys';
import { missingCellWords } from '../parts/missing-cell';
import { jaxprIcon } from '../parts/panel-icon';
// The module is light and needed at once, to restore the layout; the views are fetched when the panel is shown.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { JaxprPanel } from '../panel/shell/panel';
import { EvaluableText } from '../protocol/evaluable';
import type { Snapshot } from '../protocol/snapshot';
import { IJaxprTracker } from '../tokens';
import { cellsWithMagic } from './cells-with-magic';
import { openBeside, openDiff } from './main-area';
// A name.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { TOGGLE_TYPES } from './editor';
import { COPY_LINK, addEquationUrls } from './equation-urls';
import { widenAtFirst } from './first-width';
import { addGoing } from './go-to-place';
import { hidePanel } from './hide-panel';
import { OPEN_LESSONS } from './lessons';
// The module is light: it adds a command.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { PRESENT, addPresenting } from './presenting';
// A name.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { TOGGLE_LIVE } from './live';
// The module is light, and the settings are needed at the start.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { preferences } from './panel-settings';
import { VIEW_MEMORY, keptView } from './kept-view';
import { keepReadingPlaces } from './reading-places';
import { cellOfCopy, showSavedCopies } from './first-saved-program';
// The module holds only names.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { SAVE_COPY, SAVE_EXCERPT, SAVE_PAGE } from './save-to-files';
import { LOAD_IN_EVERY_KERNEL } from './startup';
import { OPEN_TRANSFORMS } from './transforms';
import { OPEN_WIDE, addWide } from './side-by-side';

/** Shows and hides the panel. */
export const TOGGLE_PANEL = 'jupyter-jaxpr:toggle-panel';

namespace CommandIDs {
  export const togglePanel = TOGGLE_PANEL;
  export const copyProgram = 'jupyter-jaxpr:copy-program';
  export const copyMarkdown = 'jupyter-jaxpr:copy-markdown';
  export const togglePin = 'jupyter-jaxpr:toggle-pin';
  export const togglePause = 'jupyter-jaxpr:toggle-pause';
}

const LOAD = EvaluableText.ours`%load_ext jupyter_jaxpr`;

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

/** The id of the plugin is the id of the settings schema, as JupyterLab's settings require. */
export const panelPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:plugin',
  description: 'The panel that shows the program JAX made of a cell.',
  autoStart: true,
  requires: [IJaxprTracker, INotebookTracker],
  optional: [
    ILayoutRestorer,
    ICommandPalette,
    ITranslator,
    ILabShell,
    IRenderMimeRegistry,
    IStateDB,
    IEditorLanguageRegistry,
    ISettingRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: IJaxprTracker,
    notebooks: INotebookTracker,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
    labShell: ILabShell | null,
    rendermime: IRenderMimeRegistry | null,
    state: IStateDB | null,
    languages: IEditorLanguageRegistry | null,
    settings: ISettingRegistry | null
  ): void => {
    const { commands, shell } = app;
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');

    const menu = new Menu({ commands });
    const preferred = preferences(settings, panelPlugin.id);
    const panel: JaxprPanel = new JaxprPanel(tracker, trans, {
      copy: () => void commands.execute(CommandIDs.copyProgram),
      more: (x, y) => menu.open(x, y),
      presenter:
        labShell === null
          ? undefined
          : {
              isPresenting: (): boolean => panel.presented,
              toggle: () => void commands.execute(PRESENT)
            },
      live: () => void commands.execute(TOGGLE_LIVE),
      rendermime: rendermime ?? undefined,
      hides: () => preferred.hides(),
      kernel: act =>
        void commands.execute(
          act === 'choose'
            ? 'notebook:change-kernel'
            : 'notebook:reconnect-to-kernel'
        ),
      lessons: () => void commands.execute(OPEN_LESSONS),
      // Notebook 7 shows one document per window, so there is no place beside the document.
      beside:
        labShell === null
          ? undefined
          : comparison => void openBeside(comparison, labShell, trans),
      diff:
        labShell === null
          ? undefined
          : (model, choice) => void openDiff(model, choice, labShell, trans),
      wide:
        labShell === null ? undefined : () => void commands.execute(OPEN_WIDE),
      transforms:
        labShell === null
          ? undefined
          : () => void commands.execute(OPEN_TRANSFORMS),
      run: (source, where) => {
        const notebook = notebooks.currentWidget?.content;
        if (notebook) {
          void import('./run-as-cell').then(({ runAsCell }) =>
            runAsCell(source, where, notebook, commands)
          );
        }
      },
      cells: cellsWithMagic(notebooks, commands),
      again: async (model, how) => {
        const notebook = notebooks.currentWidget?.content;
        const { snapshot, status, fromSaved } = model;
        if (!notebook || snapshot === null) {
          return;
        }
        const { runAgain } = await import('./run-as-cell');
        const isLoaded =
          status.kind === 'stale'
            ? status.again === 'run'
            : status.kind !== 'not-loaded';
        const cell = fromSaved
          ? cellOfCopy(notebook, snapshot)
          : (snapshot.cell?.id ?? null);
        if (
          cell === null ||
          !(await runAgain(
            cell,
            isLoaded ? null : LOAD,
            how,
            notebook,
            commands
          ))
        ) {
          panel.notice = missingCellWords(trans);
        }
      },
      insert: source => {
        const notebook = notebooks.currentWidget?.content;
        const text = source.inCell;
        if (notebook && text !== null) {
          NotebookActions.insertBelow(notebook);
          notebook.activeCell?.model.sharedModel.setSource(text);
          notebook.mode = 'edit';
        }
      }
    });
    const runBefore =
      state === null ? null : keepReadingPlaces(tracker, notebooks, state);
    showSavedCopies(panel, tracker, notebooks, runBefore);
    panel.firstView = preferred.firstView;
    preferred.follow(() => {
      panel.simple = preferred.isSimple();
      document.body.classList.toggle(
        'jp-mod-jaxprNoOutput',
        !preferred.showsOutput()
      );
    });
    shell.add(panel, 'right', { rank: 700, type: 'Jaxpr' });
    restorer?.add(panel, JaxprPanel.ID);
    if (labShell !== null && state !== null) {
      widenAtFirst(app, panel, state);
    }
    if (state !== null) {
      panel.firstView = keptView(state, preferred.firstView);
      panel.viewChosen = view => void state.save(VIEW_MEMORY, view);
    }

    tracker.panelRequested.connect((_, requester) => {
      if (
        requester === 'user' ||
        (!panel.isVisible && preferred.opensOnRun())
      ) {
        panel.keepFocus = requester === 'run';
        shell.activateById(panel.id);
      }
    }, panel);

    /** Copy a text of the program in view to the clipboard. */
    const copy = async (
      text: (snapshot: Snapshot, program: number) => Promise<string>
    ): Promise<void> => {
      const model = tracker.current;
      if (model?.snapshot && model.program >= 0) {
        Clipboard.copyToSystem(await text(model.snapshot, model.program));
        panel.notice = trans.__('The program was copied.');
      }
    };
    const hasProgram = (): boolean => (tracker.current?.program ?? -1) >= 0;

    commands.addCommand(CommandIDs.togglePanel, {
      label: trans.__('Jaxpr'),
      caption: trans.__('Show or hide the programs that JAX made of a cell'),
      icon: jaxprIcon,
      isToggleable: true,
      isToggled: () => panel.isVisible,
      describedBy: NO_ARGUMENTS,
      execute: () => {
        if (panel.isVisible) {
          hidePanel(shell, panel);
        } else {
          shell.activateById(panel.id);
        }
      }
    });
    panel.visibilityChanged.connect(
      () => commands.notifyCommandChanged(CommandIDs.togglePanel),
      panel
    );
    commands.addCommand(CommandIDs.copyProgram, {
      label: trans.__('Copy Jaxpr'),
      isEnabled: hasProgram,
      describedBy: NO_ARGUMENTS,
      execute: () =>
        copy(async (snapshot, program) => {
          const { programText } = await import('../parts/program-as-text');
          return programText(snapshot, program);
        })
    });
    commands.addCommand(CommandIDs.copyMarkdown, {
      label: trans.__('Copy as Markdown'),
      isEnabled: hasProgram,
      describedBy: NO_ARGUMENTS,
      execute: () =>
        copy(async (snapshot, program) => {
          const { programMarkdown } =
            await import('../parts/program-as-markdown');
          return programMarkdown(snapshot, program, trans);
        })
    });
    commands.addCommand(CommandIDs.togglePin, {
      label: trans.__('Pin Program'),
      isToggleable: true,
      isToggled: () => tracker.current?.pinned ?? false,
      isEnabled: hasProgram,
      describedBy: NO_ARGUMENTS,
      execute: () => tracker.current?.setPinned(!tracker.current.pinned)
    });
    commands.addCommand(CommandIDs.togglePause, {
      label: trans.__('Pause Updates'),
      isToggleable: true,
      isToggled: () => tracker.current?.paused ?? false,
      isEnabled: () => tracker.current !== null,
      describedBy: NO_ARGUMENTS,
      execute: () => tracker.current?.setPaused(!tracker.current.paused)
    });

    if (labShell === null) {
      lackKeys('presenting', 'divider', 'sourceCell'); // Notebook 7 has no main area for the levels side by side
    } else {
      addPresenting(app, labShell, panel, tracker, trans);
      addWide(
        app,
        labShell,
        panel,
        tracker,
        { menu, state, languages, restorer },
        trans
      );
      menu.addItem({ command: OPEN_WIDE });
      menu.addItem({ command: OPEN_TRANSFORMS });
      menu.addItem({ type: 'separator' });
    }
    menu.addItem({ command: CommandIDs.copyProgram });
    menu.addItem({ command: CommandIDs.copyMarkdown });
    menu.addItem({ command: COPY_LINK });
    menu.addItem({ command: SAVE_PAGE });
    menu.addItem({ command: SAVE_COPY });
    menu.addItem({ command: SAVE_EXCERPT });
    menu.addItem({ type: 'separator' });
    menu.addItem({ command: CommandIDs.togglePin });
    menu.addItem({ command: CommandIDs.togglePause });
    menu.addItem({ type: 'separator' });
    menu.addItem({ command: TOGGLE_TYPES });
    if (labShell !== null) {
      menu.addItem({ command: PRESENT });
    }
    menu.addItem({ command: LOAD_IN_EVERY_KERNEL });

    const category = trans.__('Jaxpr');
    addEquationUrls(app, panel, tracker, notebooks, trans);
    const going = addGoing(app, panel, tracker, trans);
    const otherCommands = [OPEN_WIDE, COPY_LINK, PRESENT, ...going];
    for (const command of [...Object.values(CommandIDs), ...otherCommands]) {
      if (commands.hasCommand(command)) {
        palette?.addItem({ command, category });
      }
    }
  }
};
