import { JupyterFrontEndPlugin } from '@jupyterlab/application';

/** The list of plugins of this extension. */
const plugins: JupyterFrontEndPlugin<unknown>[] = [];

export default plugins;
