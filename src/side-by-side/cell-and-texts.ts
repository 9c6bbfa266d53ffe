/**
 * The column of the sources: the cell that ran, as an editor of the notebook's cell, and below it the other texts.
 */
import { IDisposable } from '@lumino/disposable';
import { EditorView } from '@codemirror/view';

import { editingOf } from '../model/applied-cures';
import type { Snapshot } from '../protocol/snapshot';
import { element } from '../parts/dom';
import type { ILevelCount } from '../workbench/levels/level-pane-options';
import { SourceCell } from './cell-editor';
import { ISourcePaneOptions, SourcePane } from './other-sources-editor';

export type ICellAndTextsOptions = Omit<ISourcePaneOptions, 'withoutCell'>;

export class CellAndTexts implements IDisposable {
  constructor(private _options: ICellAndTextsOptions) {
    const { model, snapshot, program, trans, host } = _options;
    const { name } = snapshot.programs[program];
    const label = trans.__('Source of %1', name);
    this._cell = SourceCell.of(model, snapshot, label, host);
    this.node = element('div', 'jp-JaxprWide-source');
    this.node.classList.toggle('jp-mod-cell', this._cell !== null);
    this._texts = this._makeTexts();
    this.node.append(this._cell?.node ?? '', this._texts.node);
    editingOf(model)?.changed.connect(this._onEdited, this);
  }

  /** The element of the column; it fills its parent. */
  readonly node: HTMLElement;
  readonly notice = null;

  get view(): EditorView | null {
    return this._cell?.view ?? this._texts.view;
  }

  get title(): string {
    return this._texts.title;
  }

  get count(): ILevelCount | null {
    return this._texts.count;
  }

  get isDisposed(): boolean {
    return this._texts.isDisposed;
  }

  dispose(): void {
    editingOf(this._options.model)?.changed.disconnect(this._onEdited, this);
    this._cell?.dispose();
    this._texts.dispose();
    this.node.remove();
  }

  /**
   * Show another program that comes from the same cell; the cell's editor stays, with its caret.
   * @returns False if the other program comes from another cell: then the column does not change.
   */
  turnTo(snapshot: Snapshot, program: number): boolean {
    if (this._cell?.isOf(this._options.model, snapshot) !== true) {
      return false;
    }
    this._options = { ...this._options, snapshot, program };
    const { trans } = this._options;
    const { name } = snapshot.programs[program];
    this._cell.label = trans.__('Source of %1', name);
    this._texts.dispose();
    this._texts = this._makeTexts();
    this.node.append(this._texts.node);
    this._texts.refresh();
    return true;
  }

  refresh(): void {
    this._texts.refresh();
  }

  /**
   * Marks the places that are linked to the selection; with `reveal`, scrolls to them if another view made the
   * selection.
   */
  mark(reveal: boolean): void {
    this._texts.mark(reveal);
    const { hover, selection } = this._options.model;
    const pointed = hover ?? selection;
    const [first] = this._texts.placesInCell;
    if (reveal && first && pointed && !this._texts.isOwn(pointed)) {
      this._cell?.reveal(first, this.node);
    }
  }

  /** Scrolls to the selection at the next `mark`, even if the user made the selection in this column. */
  forgetOwn(): void {
    this._texts.forgetOwn();
  }

  focus(): void {
    this.view?.focus();
  }

  /** Takes the keyboard focus, at the first place that is linked to the selection. */
  enter(): boolean {
    const { _cell: cell } = this;
    const [first] = this._texts.placesInCell;
    if (!cell?.view || (!first && this._texts.hasLinked)) {
      return this._texts.enter();
    }
    cell.enter(first ?? null);
    return true;
  }

  /** Shows the text that ran, once the cell was deleted. */
  private _onEdited(): void {
    queueMicrotask(() => {
      if (this._cell?.isDisposed === true && !this.isDisposed) {
        this._cell = null;
        this.node.classList.remove('jp-mod-cell');
        this._texts.dispose();
        this._texts = this._makeTexts();
        this.node.replaceChildren(this._texts.node);
        this._texts.refresh();
        this.mark(false);
      }
    });
  }

  private _makeTexts(): SourcePane {
    return new SourcePane({
      ...this._options,
      withoutCell: this._cell !== null
    });
  }

  private _cell: SourceCell | null;
  private _texts: SourcePane;
}
