import { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { cellEditingPlugin } from './plugins/cure-edits';
import { documentFilesPlugin } from './plugins/document-files';
import { editorPlugin } from './plugins/editor';
import { lessonsPlugin } from './plugins/lessons';
import { livePlugin } from './plugins/live';
import { outputPlugin } from './plugins/output';
import { panelPlugin } from './plugins/panel';
import { runningPlugin } from './plugins/run-with-magic';
import { savingPlugin } from './plugins/save-to-files';
import { startupPlugin } from './plugins/startup';
import { toolbarButtonsPlugin } from './plugins/toolbar-buttons';
import { trackerPlugin } from './plugins/tracker';
import { transformsPlugin } from './plugins/transforms';

/** The list of plugins of this extension. */
const plugins: JupyterFrontEndPlugin<unknown>[] = [
  trackerPlugin,
  panelPlugin,
  outputPlugin,
  editorPlugin,
  cellEditingPlugin,
  runningPlugin,
  savingPlugin,
  documentFilesPlugin,
  startupPlugin,
  lessonsPlugin,
  livePlugin,
  transformsPlugin,
  toolbarButtonsPlugin
];

export default plugins;
