/** Wires what is saved: the commands that download a run as an HTML file, and what is chosen in it as SVG. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { IJaxprTracker } from '../tokens';

export const SAVE_PAGE = 'jupyter-jaxpr:save-page';
export const SAVE_EXCERPT = 'jupyter-jaxpr:save-excerpt';

export const savingPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:saving',
  description:
    'Saves a run as an HTML file that needs nothing else, and linked excerpts as SVG.',
  autoStart: true,
  requires: [IJaxprTracker],
  optional: [ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    tracker: IJaxprTracker,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    app.commands.addCommand(SAVE_PAGE, {
      label: trans.__('Save as HTML'),
      caption: trans.__(
        'Download the run as one HTML file: the programs beside the cell, with links and search'
      ),
      // The kernel writes the file: it has the texts that the document leaves out.
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
    app.commands.addCommand(SAVE_EXCERPT, {
      label: trans.__('Save the Linked Excerpt as SVG'),
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
            trans.__('Nothing was saved'),
            trans.__(
              'The selection has no links. Click an equation, or an expression in the cell, and save again.'
            )
          );
        }
      }
    });
    const category = trans.__('Jaxpr');
    palette?.addItem({ command: SAVE_PAGE, category });
    palette?.addItem({ command: SAVE_EXCERPT, category });
  }
};

/** Letters that every file system takes. */
function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 100) || 'program';
}

function download(page: string, name: string): void {
  const url = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  URL.revokeObjectURL(url);
}
