import { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { editorPlugin } from './plugins/editor';
import { outputPlugin } from './plugins/output';
import { panelPlugin } from './plugins/panel';
import { trackerPlugin } from './plugins/tracker';

/** The list of plugins of this extension. */
const plugins: JupyterFrontEndPlugin<unknown>[] = [
  trackerPlugin,
  panelPlugin,
  outputPlugin,
  editorPlugin
];

export default plugins;
