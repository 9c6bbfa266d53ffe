/** The panel's head and views for documents that were read from files, in the main area. */
import { TranslationBundle } from '@jupyterlab/translation';
import { Panel, Widget } from '@lumino/widgets';

import { Comparer, diffsOf } from '../../model/diffs';
import { JaxprModel } from '../../model/model';
import { Snapshot } from '../../protocol/snapshot';
import { IPanelActions } from './above-view';
import { Shell } from './shell';

let made = 0;

export class FileView extends Panel {
  /**
   * @param _actions What the controls do with the model in view.
   * @param _compare Compares two of the documents.
   */
  constructor(
    private _trans: TranslationBundle,
    private _actions: (model: () => JaxprModel | null) => IPanelActions,
    private _compare: Comparer
  ) {
    super();
    made += 1;
    this._number = made;
    this.id = `jupyter-jaxpr-file-${made}`;
    this.addClass('jp-JaxprPanel');
    this.node.setAttribute('role', 'region');
    // Several views of files may be open; their numbered labels let a user of a screen reader tell the views apart.
    this.node.setAttribute(
      'aria-label',
      this._trans.__('Saved document %1', made)
    );
  }

  /** Shows the document of a file in the views of the panel. */
  showDocument(document: Snapshot): void {
    this._fill([document]);
  }

  /** Show the diff between the first program of a document and the first program of another document. */
  showDiff(first: Snapshot, second: Snapshot): void {
    this.node.setAttribute(
      'aria-label',
      this._trans.__('Diff %1 of saved documents', this._number)
    );
    const [before, after] =
      first.created <= second.created ? [first, second] : [second, first];
    // A file and a copy of the file have the same run id; the diff needs two ids.
    const apart =
      before.id === after.id ? { ...after, id: `${after.id} 2` } : after;
    const model = this._fill([before, apart]);
    if (before.focus >= 0 && apart.focus >= 0) {
      diffsOf(model).chosen = {
        before: { snapshot: before.id, program: before.focus },
        after: { snapshot: apart.id, program: apart.focus },
        level: 'jaxpr'
      };
      this._shell?.showView('diff');
    }
  }

  /** Shows the reason why the file cannot be shown. */
  refuse(reason: string): void {
    this._clear();
    const title = document.createElement('h2');
    title.textContent = this._trans.__('This file cannot be shown.');
    const sentence = document.createElement('p');
    sentence.textContent = reason;
    const alert = new Widget();
    alert.addClass('jp-JaxprPanel-empty');
    alert.node.setAttribute('role', 'alert');
    alert.node.append(title, sentence);
    this.addWidget(alert);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._clear();
      super.dispose();
    }
  }

  private _fill(documents: readonly Snapshot[]): JaxprModel {
    this._clear();
    const model = new JaxprModel(this._trans);
    model.isOfFiles = true;
    diffsOf(model).comparer = this._compare;
    documents.forEach(document => model.show(document, true));
    const shell = new Shell(
      this.id,
      this._trans,
      this._actions(() => this._model)
    );
    this._model = model;
    this._shell = shell;
    shell.model = model;
    this.addWidget(shell);
    return model;
  }

  private _clear(): void {
    for (const widget of [...this.widgets]) {
      widget.dispose();
    }
    this._shell = null;
    this._model?.dispose();
    this._model = null;
  }

  private readonly _number: number;
  private _model: JaxprModel | null = null;
  private _shell: Shell | null = null;
}
