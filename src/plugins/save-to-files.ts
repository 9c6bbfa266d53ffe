/** Wires the actions that save: a run as an HTML file or as a document beside the notebook, and a selection as SVG. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  ICommandPalette,
  Notification,
  showErrorMessage
} from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { canCopy, documentText, fileName } from '../parts/saved-run';
import { IJaxprTracker } from '../tokens';

export const SAVE_PAGE = 'jupyter-jaxpr:save-page';
export const SAVE_COPY = 'jupyter-jaxpr:save-copy';
export const SAVE_EXCERPT = 'jupyter-jaxpr:save-excerpt';

export const savingPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:saving',
  description:
    'Saves a run as a file that needs nothing else, and linked excerpts as SVG.',
  autoStart: true,
  requires: [IJaxprTracker],
  optional: [INotebookTracker, ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: IJaxprTracker,
    notebooks: INotebookTracker | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    app.commands.addCommand(SAVE_PAGE, {
      label: trans.__('Save as HTML'),
      caption: trans.__(
        'Download the run as one HTML file: the programs beside the cell, with links and search'
      ),
      // The command needs a kernel, because only the kernel has the texts that the document leaves out.
      isEnabled: () =>
        (tracker.current?.program ?? -1) >= 0 &&
        tracker.current?.requests !== null,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const { requests, snapshot, program } = tracker.current ?? {};
        if (!requests || !snapshot || program === undefined || program < 0) {
          return;
        }
        try {
          const page = await requests.ask('export', {
            snapshot: snapshot.id,
            program
          });
          download(page, `${fileName(snapshot.programs[program].name)}.html`);
        } catch (error) {
          void showErrorMessage(
            trans.__('The run was not saved'),
            error instanceof Error ? error.message : String(error)
          );
        }
      }
    });
    app.commands.addCommand(SAVE_COPY, {
      label: trans.__('Save a Copy'),
      caption: trans.__(
        'Write the run to a file beside the notebook. A double click on the file opens the run, without a kernel'
      ),
      isEnabled: () =>
        notebooks !== null &&
        notebooks.currentWidget !== null &&
        (tracker.current?.program ?? -1) >= 0 &&
        canCopy(tracker.current),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const model = tracker.current;
        const path = notebooks?.currentWidget?.context.path;
        if (!model?.snapshot || path === undefined || !canCopy(model)) {
          return;
        }
        try {
          const name = model.snapshot.programs[model.program].name;
          const text = await documentText(model);
          const { contents } = app.serviceManager;
          const saved = await writeBeside(path, fileName(name), text, contents);
          Notification.success(trans.__('The run was saved as %1.', saved), {
            autoClose: 5000
          });
        } catch (error) {
          void showErrorMessage(
            trans.__('The run was not saved'),
            error instanceof Error ? error.message : String(error)
          );
        }
      }
    });
    app.commands.addCommand(SAVE_EXCERPT, {
      label: trans.__('Save the Selection and Its Links as SVG'),
      caption: trans.__(
        'Download a picture of the selection: its lines in the source and on every level, with their links'
      ),
      isEnabled: () =>
        (tracker.current?.program ?? -1) >= 0 &&
        tracker.current?.selection !== null,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const model = tracker.current;
        const { saveExcerpt } = await import(
          /* webpackChunkName: "panel_excerpt" */ '../excerpt'
        );
        if (model !== null && !(await saveExcerpt(model, trans))) {
          void showErrorMessage(
            trans.__('The picture was not saved'),
            trans.__(
              'The selection has no links. Click an equation, or an expression in the cell, and save the picture again.'
            )
          );
        }
      }
    });
    const category = trans.__('Jaxpr');
    palette?.addItem({ command: SAVE_PAGE, category });
    palette?.addItem({ command: SAVE_COPY, category });
    palette?.addItem({ command: SAVE_EXCERPT, category });
  }
};

function download(page: string, name: string): void {
  const url = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  URL.revokeObjectURL(url);
}

/** Write a document into the folder of a notebook, without overwriting another file; returns the path. */
async function writeBeside(
  notebook: string,
  name: string,
  text: string,
  contents: JupyterFrontEnd['serviceManager']['contents']
): Promise<string> {
  const folder = notebook.slice(0, notebook.lastIndexOf('/') + 1);
  const { content } = await contents.get(folder.replace(/\/$/, ''), {
    type: 'directory',
    content: true
  });
  const taken = new Set(
    (content as readonly { name: string }[]).map(file =>
      file.name.toLowerCase()
    )
  );
  let file = `${name}.jaxpr.json`;
  // For many file systems, names that differ only in case are the same name.
  for (let number = 2; taken.has(file.toLowerCase()); number++) {
    file = `${name}-${number}.jaxpr.json`;
  }
  const path = `${folder}${file}`;
  await contents.save(path, { type: 'file', format: 'text', content: text });
  return path;
}
