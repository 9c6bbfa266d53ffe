/** Wires the saved output: how a snapshot below a cell is shown. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { rendererFactory } from '../output/mime-renderer';
import { IJaxprTracker } from '../tokens';

export const outputPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:output',
  description: 'Shows a snapshot that was saved with a notebook.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [IJaxprTracker, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    rendermime: IRenderMimeRegistry,
    tracker: IJaxprTracker | null,
    translator: ITranslator | null
  ): void => {
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    rendermime.addFactory(
      rendererFactory(
        trans,
        tracker === null ? null : snapshot => tracker.open(snapshot)
      )
    );
  }
};
