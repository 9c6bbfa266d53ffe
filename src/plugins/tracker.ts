/** Wires the open notebooks to the models of their kernels. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

// The module is light and needed at once: it listens for notebooks, and fetches the rest when a notebook opens.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import { JaxprTracker } from '../model/tracker';
import { IJaxprTracker } from '../tokens';
import { tellingOfValues } from './values-in-saved-copies';

export const trackerPlugin: JupyterFrontEndPlugin<IJaxprTracker> = {
  id: 'jupyter-jaxpr:tracker',
  description: 'Follows the kernels of the open notebooks.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ITranslator, ISettingRegistry],
  provides: IJaxprTracker,
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    translator: ITranslator | null,
    registry: ISettingRegistry | null
  ): IJaxprTracker => {
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    const connected = tellingOfValues(registry);
    return new JaxprTracker(notebooks, async () => {
      const [{ JaxprModel }, { Channel }] = await Promise.all([
        import('../model/model'),
        import('../kernel/channel')
      ]);
      return {
        model: accepts => new JaxprModel(trans, accepts),
        channel: kernel => connected(new Channel(kernel))
      };
    });
  }
};
