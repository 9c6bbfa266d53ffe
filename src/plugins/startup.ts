/** Wires the file that loads the extension in every new kernel: shown first, then written or removed. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  Dialog,
  ICommandPalette,
  showDialog,
  showErrorMessage
} from '@jupyterlab/apputils';
import {
  ITranslator,
  TranslationBundle,
  nullTranslator
} from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { StartupState } from '../protocol/snapshot';
import { IJaxprModel, IJaxprTracker } from '../tokens';

export const LOAD_IN_EVERY_KERNEL = 'jupyter-jaxpr:load-in-every-kernel';

export const startupPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:startup',
  description: 'Has every new kernel of an IPython profile load the extension.',
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
    app.commands.addCommand(LOAD_IN_EVERY_KERNEL, {
      label: trans.__('Load jupyter_jaxpr in Every New Kernel…'),
      caption: trans.__(
        'Show the startup file that loads jupyter_jaxpr in every new kernel of the IPython profile; you can then write or remove the file'
      ),
      // The file is in the IPython profile of the kernel, so only a kernel can show it.
      isEnabled: () => (tracker.current?.requests ?? null) !== null,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: async () => {
        const model = tracker.current;
        if (model === null) {
          return;
        }
        try {
          await offer(model, trans);
        } catch (error) {
          await showErrorMessage(
            trans.__('The startup file was not changed'),
            error instanceof Error ? error.message : String(error)
          );
        }
      }
    });
    palette?.addItem({
      command: LOAD_IN_EVERY_KERNEL,
      category: trans.__('Jaxpr')
    });
  }
};

/**
 * Show the file, and write or remove the file if the user agrees.
 *
 * @throws Error with a sentence of the kernel.
 */
async function offer(
  { requests, snapshot }: IJaxprModel,
  trans: TranslationBundle
): Promise<void> {
  if (requests === null || snapshot === null) {
    return;
  }
  const { id } = snapshot;
  const state = await requests.ask('startup', { snapshot: id, action: 'look' });
  const { button } = await showDialog({
    title: state.written
      ? trans.__('Every new kernel already loads jupyter_jaxpr')
      : trans.__('Load jupyter_jaxpr in every new kernel'),
    body: new Widget({ node: fileNode(state, trans) }),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      state.written
        ? Dialog.warnButton({ label: trans.__('Remove the file') })
        : Dialog.okButton({ label: trans.__('Write the file') })
    ]
  });
  if (button.accept) {
    const action = state.written ? 'remove' : 'write';
    await requests.ask('startup', { snapshot: id, action });
  }
}

/** Makes the content of the dialog: the path of the startup file, and its text. */
function fileNode(
  { file, text, written }: StartupState,
  trans: TranslationBundle
): HTMLElement {
  const node = document.createElement('div');
  node.className = 'jp-JaxprStartup';
  const lead = document.createElement('p');
  lead.textContent = written
    ? trans.__('IPython runs this startup file each time a kernel starts:')
    : trans.__('IPython will run this startup file each time a kernel starts:');
  const where = document.createElement('code');
  where.textContent = file;
  const lines = document.createElement('pre');
  lines.textContent = text;
  // The lines may be longer than the dialog is wide; then the keyboard scrolls the lines.
  lines.tabIndex = 0;
  node.append(lead, where, lines);
  return node;
}
