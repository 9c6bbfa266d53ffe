/** The source that ran, beside the panel: the widget cannot mark the notebook's own cell. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ScreenState } from '../model/screen-state';
import type { Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { element } from '../parts/dom';
import { CellAndTexts } from '../side-by-side/cell-and-texts';
import { LinkedView } from '../workbench/listing/linked-view';
import { showHelp } from '../workbench/reading/help-overlay';
import { pythonColours } from './python-colours';

export class SourceColumn extends LinkedView {
  constructor(private _trans: TranslationBundle) {
    super('wideInView');
    this.addClass('jp-JaxprWidget-source');
    this.addClass('jp-JaxprWide');
    this._title = element('div', 'jp-JaxprWidget-sourceTitle');
    this.node.append(this._title);
  }

  protected override follow(_: IJaxprModel, screenState: ScreenState): void {
    screenState.cellWanted.connect(this._enter, this);
  }

  protected override unfollow(_: IJaxprModel, screenState: ScreenState): void {
    screenState.cellWanted.disconnect(this._enter, this);
  }

  protected override showProgram(snapshot: Snapshot, program: number): void {
    const { model } = this;
    const shown = this._shown;
    if (shown?.snapshot === snapshot && shown.program === program) {
      return;
    }
    this.clear();
    if (model === null) {
      return;
    }
    this._shown = { snapshot, program };
    this._pane = new CellAndTexts({
      trans: this._trans,
      model,
      snapshot,
      program,
      python: pythonColours,
      host: {
        changed: () => {
          this._title.textContent = this._pane?.title ?? '';
        },
        entered: () => this.screenState?.goToProgram(),
        left: () => this.screenState?.goToProgram(),
        stepped: () => undefined
      }
    });
    this.node.append(this._pane.node);
    this._pane.refresh();
    this._pane.mark(true);
  }

  protected override clear(): void {
    this._pane?.dispose();
    this._pane = null;
    this._shown = null;
  }

  protected override mark(reveal: boolean): void {
    this._pane?.mark(reveal);
  }

  protected override measure(): void {
    this._pane?.view?.requestMeasure();
  }

  protected override find(): void {
    // The column of the source has no search; only the texts of the program have one.
  }

  protected override help(): void {
    showHelp(this._trans);
  }

  private _enter(): void {
    this._pane?.enter();
  }

  private _title: HTMLElement;
  private _pane: CellAndTexts | null = null;
  private _shown: { snapshot: Snapshot; program: number } | null = null;
}
