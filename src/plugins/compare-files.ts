/** Adds the command that shows the diff of two `.jaxpr.json` files in a tab of the main area. */
import { ILabShell, JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget, showErrorMessage } from '@jupyterlab/apputils';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import {
  ITranslator,
  TranslationBundle,
  nullTranslator
} from '@jupyterlab/translation';
import { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { jaxprIcon } from '../parts/panel-icon';
import type { FileView } from '../panel/shell/file-view';

export const COMPARE_FILES = 'jupyter-jaxpr:compare-files';

/** The parts of JupyterLab that the command needs. */
export interface ICompareCommandOptions {
  app: JupyterFrontEnd;
  browser: IDefaultFileBrowser;
  labShell: ILabShell;
  /** The name of the file type; its entries in the file browser have the command in their context menu. */
  fileType: string;
  translator: ITranslator | null;
}

/**
 * Adds the command, and its entry in the context menu of the file browser.
 * @param makeView - Makes an empty view for a diff.
 */
export function addCompareCommand(
  { app, browser, labShell, fileType, translator }: ICompareCommandOptions,
  makeView: () => Promise<FileView>,
  trans: TranslationBundle
): void {
  /** The paths of the documents that are selected in the file browser. */
  const chosen = (): string[] =>
    [...browser.selectedItems()].map(({ path }) => path).filter(isDocument);
  const isPossible = (args: ReadonlyPartialJSONObject): boolean =>
    typeof args['path'] === 'string' || [1, 2].includes(chosen().length);
  app.commands.addCommand(COMPARE_FILES, {
    label: args =>
      args['path'] === undefined && chosen().length === 2
        ? trans.__('Compare Jaxpr Documents')
        : trans.__('Compare With…'),
    icon: args => (args['path'] === undefined ? jaxprIcon : undefined),
    isEnabled: isPossible,
    isVisible: isPossible,
    describedBy: {
      args: {
        type: 'object',
        properties: {
          path: {
            type: 'string',
            description: trans.__(
              'The path of a document to compare with another document. Without a path, the command compares the documents that are selected in the file browser.'
            )
          }
        }
      }
    },
    execute: async ({ path }) => {
      const { comparedFiles } = await import(
        /* webpackChunkName: "document_file" */ './read-compared-files'
      );
      const paths = typeof path === 'string' ? [path] : chosen();
      try {
        const files = await comparedFiles(
          paths,
          browser.model.manager,
          translator ?? nullTranslator,
          trans
        );
        if (files === null) {
          return; // no second file was chosen
        }
        const view = await makeView();
        view.showDiff(files[0].document, files[1].document);
        const widget = new MainAreaWidget({ content: view });
        widget.title.label = trans.__(
          'Diff of %1 and %2',
          files[0].name,
          files[1].name
        );
        widget.title.caption = widget.title.label;
        widget.title.icon = jaxprIcon;
        widget.title.closable = true;
        labShell.add(widget, 'main', { type: 'Jaxpr' });
        labShell.activateById(widget.id);
      } catch (error) {
        void showErrorMessage(
          trans.__('The documents cannot be compared'),
          error instanceof Error ? error.message : String(error)
        );
      }
    }
  });
  app.contextMenu.addItem({
    command: COMPARE_FILES,
    selector: `.jp-DirListing-item[data-file-type="${fileType}"]`,
    rank: 3
  });
}

function isDocument(path: string): boolean {
  return path.endsWith('.jaxpr.json');
}
