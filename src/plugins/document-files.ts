/** Wires `.jaxpr.json` files: a double click shows the saved document. */
import {
  ILabShell,
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { WidgetTracker, showErrorMessage } from '@jupyterlab/apputils';
import {
  ABCWidgetFactory,
  DocumentRegistry,
  DocumentWidget
} from '@jupyterlab/docregistry';
import { IDefaultFileBrowser } from '@jupyterlab/filebrowser';
import {
  ITranslator,
  TranslationBundle,
  nullTranslator
} from '@jupyterlab/translation';
import { PanelLayout, Widget } from '@lumino/widgets';

import { jaxprIcon } from '../parts/panel-icon';
import type { FileView } from '../panel/shell/file-view';
import { COMPARE_FILES, addCompareCommand } from './compare-files';

const FILE_TYPE = 'jaxpr-document';
const FACTORY = 'Jaxpr';

/** Makes the view of a file; the code of the view is loaded when the first file is opened. */
type MakeView = (path: (() => string) | null) => Promise<FileView>;

/** Opens a .jaxpr.json file: the factory passes the text of the file to `readDocumentFile` and does not parse it. */
class Factory extends ABCWidgetFactory<DocumentWidget> {
  constructor(
    options: DocumentRegistry.IWidgetFactoryOptions,
    private _makeView: MakeView,
    private _trans: TranslationBundle
  ) {
    super(options);
  }

  protected createNewWidget(context: DocumentRegistry.Context): DocumentWidget {
    const content = new FilePlace();
    const widget = new DocumentWidget({ content, context });
    widget.addClass('jp-JaxprFile');
    widget.toolbar.hide();
    widget.title.icon = jaxprIcon;
    const show = async (): Promise<void> => {
      await context.ready;
      const { readDocumentFile } = await import('../model/document-file');
      const view = await content.fill(() => this._makeView(() => context.path));
      if (view === null) {
        return; // the view was closed meanwhile
      }
      const read = readDocumentFile(context.model.toString(), this._trans);
      if (typeof read === 'string') {
        view.refuse(read);
      } else {
        view.showDocument(read);
      }
    };
    const showAgain = (): void =>
      void show().catch(reason => {
        console.error('jupyter-jaxpr document: not shown', reason);
        if (!widget.isDisposed) {
          void showErrorMessage(
            this._trans.__('The document cannot be shown'),
            this._trans.__(
              'JupyterLab could not load the view. Reload the page and open the file again.'
            )
          );
        }
      });
    showAgain();
    void context.ready.then(() => {
      if (!widget.isDisposed) {
        context.model.contentChanged.connect(showAgain);
      }
    });
    return widget;
  }
}

/** The content of a tab, which is empty until the view of the file is loaded. */
class FilePlace extends Widget {
  constructor() {
    super();
    this.addClass('jp-JaxprFile-place');
    this.layout = new PanelLayout();
    this.node.tabIndex = -1;
  }

  /** Makes the view, once, and shows it; returns null if the tab was closed meanwhile. */
  async fill(make: () => Promise<FileView>): Promise<FileView | null> {
    this._view ??= make();
    let view: FileView;
    try {
      view = await this._view;
    } catch (reason) {
      this._view = null; // the next reload of the file tries again
      throw reason;
    }
    if (this.isDisposed) {
      view.dispose();
      return null;
    }
    if (view.parent === null) {
      (this.layout as PanelLayout).addWidget(view);
    }
    return view;
  }

  private _view: Promise<FileView> | null = null;
}

export const documentFilesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-jaxpr:document-files',
  description:
    'Opens saved documents (.jaxpr.json), and two of them as a diff.',
  autoStart: true,
  optional: [IDefaultFileBrowser, ILabShell, ILayoutRestorer, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    fileBrowser: IDefaultFileBrowser | null,
    labShell: ILabShell | null,
    restorer: ILayoutRestorer | null,
    translator: ITranslator | null
  ): void => {
    const { commands, docRegistry, serviceManager } = app;
    // Notebook 7 shows one widget a page, so a diff has no place there.
    const browser = labShell === null ? null : fileBrowser;
    const trans = (translator ?? nullTranslator).load('jupyter_jaxpr');
    const makeView: MakeView = async path => {
      const { makeFileView } = await import(
        /* webpackChunkName: "document_file" */ './made-file-view'
      );
      return makeFileView(
        path,
        commands,
        browser === null ? null : COMPARE_FILES,
        serviceManager.serverSettings,
        trans
      );
    };

    docRegistry.addFileType({
      name: FILE_TYPE,
      displayName: trans.__('Jaxpr Document'),
      extensions: ['.jaxpr.json'],
      mimeTypes: ['application/vnd.jupyter-jaxpr.v1+json'],
      contentType: 'file',
      fileFormat: 'text',
      icon: jaxprIcon
    });
    const factory = new Factory(
      {
        name: FACTORY,
        label: trans.__('Jaxpr'),
        fileTypes: [FILE_TYPE],
        defaultFor: [FILE_TYPE],
        readOnly: true
      },
      makeView,
      trans
    );
    docRegistry.addWidgetFactory(factory);
    const opened = new WidgetTracker<DocumentWidget>({
      namespace: 'jupyter-jaxpr-files'
    });
    factory.widgetCreated.connect((_, widget) => {
      widget.context.pathChanged.connect(() => void opened.save(widget));
      void opened.add(widget);
    });
    void restorer?.restore(opened, {
      command: 'docmanager:open',
      args: ({ context }) => ({ path: context.path, factory: FACTORY }),
      name: ({ context }) => context.path
    });

    if (browser === null || labShell === null) {
      return;
    }
    addCompareCommand(
      { app, browser, labShell, fileType: FILE_TYPE, translator },
      () => makeView(null),
      trans
    );
  }
};
