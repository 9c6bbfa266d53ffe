/** Sends the user's pointing in the sources to the model: the caret selects, the mouse previews. */
import type { EditorView, ViewUpdate } from '@codemirror/view';
import { IDisposable } from '@lumino/disposable';

import type { IJaxprModel, Selection } from '../tokens';
import type { ProgramListings } from '../workbench/levels/program-listings';
import { ISourceText, placeOf } from './source-text';

/** Follows the caret and the mouse in one pane of sources, and reports their places to the model. */
export class SourcePointing implements IDisposable {
  constructor(
    private _pane: {
      readonly view: EditorView | null;
      readonly text: ISourceText | null;
    },
    private _model: IJaxprModel,
    private _listings: ProgramListings
  ) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    window.cancelAnimationFrame(this._frame);
  }

  /** True if the user made the selection in this pane, so that its places are already in view. */
  isOwn(selection: Selection): boolean {
    return this._own.has(selection);
  }

  forgetOwn(): void {
    this._own = new WeakSet();
  }

  onUpdate(update: ViewUpdate): void {
    if (
      update.selectionSet &&
      update.transactions.some(transaction => transaction.isUserEvent('select'))
    ) {
      const at = this._selectionAt(update.state.selection.main.head);
      // The call is deferred, because the model answers with marks, and an editor must not change during an update.
      queueMicrotask(() => {
        const model = this._model;
        if (model.hover?.kind === 'source') {
          model.setHover(null);
        }
        this._point(at, selection => model.setSelection(selection));
      });
    }
  }

  /** Handles the movement of the mouse, at most once per frame. */
  hoverAt(x: number | null, y: number | null): boolean {
    this._mouse = x === null || y === null ? null : { x, y };
    if (this._frame === 0) {
      this._frame = window.requestAnimationFrame(() => {
        this._frame = 0;
        this._preview();
      });
    }
    return false;
  }

  private _preview(): void {
    const model = this._model;
    const at = this._mouse && this._pane.view?.posAtCoords(this._mouse);
    const place = typeof at === 'number' ? this._selectionAt(at) : null;
    const { links } = this._listings;
    if (place && links.resolve(place).precision !== 'none') {
      this._point(place, hover => model.setHover(hover));
    } else if (model.hover?.kind === 'source') {
      model.setHover(null);
    }
  }

  private _point(
    at: Selection | null,
    tell: (selection: Selection | null) => void
  ): void {
    if (at !== null) {
      this._own.add(at);
    }
    tell(at);
  }

  private _selectionAt(at: number): Selection | null {
    const { view } = this._pane;
    if (!view || !this._pane.text) {
      return null;
    }
    const line = view.state.doc.lineAt(at);
    const place = placeOf(this._pane.text.parts, line.number - 1);
    return (
      place && { kind: 'source' as const, ...place, column: at - line.from }
    );
  }

  /** The selections that the user made in this pane; their places are already in view. */
  private _own = new WeakSet<Selection>();
  private _mouse: { x: number; y: number } | null = null;
  private _frame = 0;
  private _isDisposed = false;
}
