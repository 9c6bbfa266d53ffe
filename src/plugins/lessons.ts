/** Wires the lessons: a card of the launcher and an entry of the Help menu copy them and open the first one. */
import {
  ILabShell,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, showErrorMessage } from '@jupyterlab/apputils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import { ILauncher } from '@jupyterlab/launcher';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { jaxprIcon } from '../parts/panel-icon';

export const OPEN_LESSONS = 'jupyter-jaxpr:open-lessons';

const TOGGLE_PANEL = 'jupyter-jaxpr:toggle-panel';

export const lessonsPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:lessons',
  description: 'Copies the lessons to a folder and opens the first one.',
  autoStart: true,
  // Notebook 7 has no launcher, and a file browser only beside its list of files.
  optional: [
    ILauncher,
    IDefaultFileBrowser,
    ILabShell,
    ICommandPalette,
    ITranslator
  ],
  activate: (
    app: JupyterFrontEnd,
    launcher: ILauncher | null,
    browser: IDefaultFileBrowser | null,
    labShell: ILabShell | null,
    palette: ICommandPalette | null,
    translator: ITranslator | null
  ): void => {
    const { commands } = app;
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    commands.addCommand(OPEN_LESSONS, {
      label: trans.__('JAX Lessons'),
      caption: trans.__(
        'Copy the lessons on jit into the folder %1 and open the first lesson',
        'jaxpr-lessons'
      ),
      // Only the launcher's card has an icon; no other entry of the Help menu has one.
      icon: ({ cwd }) => (cwd === undefined ? undefined : jaxprIcon),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            cwd: {
              type: 'string',
              description: trans.__(
                'The folder that receives the copies of the lessons'
              )
            }
          }
        }
      },
      execute: async ({ cwd }) => {
        const folder =
          typeof cwd === 'string' ? cwd : (browser?.model.path ?? '');
        let first: string;
        try {
          const [{ LESSONS }, { copyLessons }] = await Promise.all([
            import(/* webpackChunkName: "lessons" */ './lesson-files'),
            import(/* webpackChunkName: "lessons" */ './copied-lessons')
          ]);
          const { contents } = app.serviceManager;
          first = await copyLessons(folder, LESSONS, contents);
        } catch (error) {
          void showErrorMessage(
            trans.__('The lessons were not copied'),
            trans.__(
              'The lessons could not be written into the folder %1 (%2). Go to another folder in the file browser and try again.',
              `${folder}/jaxpr-lessons`,
              error instanceof Error ? error.message : String(error)
            )
          );
          return null;
        }
        // Open the notebook last, so that it gets the keyboard focus.
        if (
          labShell !== null &&
          commands.hasCommand(TOGGLE_PANEL) &&
          !commands.isToggled(TOGGLE_PANEL)
        ) {
          await commands.execute(TOGGLE_PANEL);
        }
        // The launcher replaces itself by the widget that the command of its card returns.
        return commands.execute('docmanager:open', { path: first });
      }
    });
    launcher?.add({
      command: OPEN_LESSONS,
      category: trans.__('Other'),
      rank: 10
    });
    palette?.addItem({ command: OPEN_LESSONS, category: trans.__('Jaxpr') });
  }
};
