/**
 * The base class of views of a program that mark the user's selection; a view does nothing while it is out of sight.
 */
import { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

import { ScreenState, screenStateOf } from '../../model/screen-state';
import type { Snapshot } from '../../protocol/snapshot';
import type { IJaxprModel, ModelChange } from '../../tokens';
import { dispatchKey } from '../../view-keys';

export abstract class LinkedView extends Widget {
  /** @param _place The attribute that tells the cells of the notebook that this view is on screen. */
  constructor(private _place: 'inView' | 'wideInView' | 'transformsInView') {
    super();
    this.addClass('jp-JaxprProgram');
    this.node.addEventListener('keydown', event =>
      dispatchKey(event, 'view', {
        find: () => this.find(),
        help: () => this.help()
      })
    );
  }

  get model(): IJaxprModel | null {
    return this._model;
  }

  set model(model: IJaxprModel | null) {
    if (model === this._model) {
      return;
    }
    this._leave();
    this._model = model;
    if (model) {
      model.changed.connect(this._onChanged, this);
      this._screenState = screenStateOf(model);
      this.follow(model, this._screenState);
    }
    this.refresh();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      window.cancelAnimationFrame(this._frame);
      this._leave();
      this.clear();
      super.dispose();
    }
  }

  /** The `ScreenState` object, which connects the view with the notebook's cells; null if there is no model. */
  protected get screenState(): ScreenState | null {
    return this._screenState;
  }

  /** Connect to signals that a subclass needs in addition to the model's `changed`. */
  protected follow(_model: IJaxprModel, _screenState: ScreenState): void {
    // Most subclasses need no further signals.
  }

  /** Undo `follow`. */
  protected unfollow(_model: IJaxprModel, _screenState: ScreenState): void {
    // The default `follow` has connected nothing.
  }

  /**
   * Show a program, which may be the program that is shown already. The base calls this method only while the view is
   * in sight.
   */
  protected abstract showProgram(snapshot: Snapshot, program: number): void;

  /** Show nothing, and drop all references to the program. */
  protected abstract clear(): void;

  /**
   * Mark the lines that are linked to the selection; with `reveal`, scroll to them if another view made the selection.
   */
  protected abstract mark(reveal: boolean): void;

  /** Have the editors measure their size again. */
  protected abstract measure(): void;

  /** Open the search. */
  protected abstract find(): void;

  /** Show the window that lists all keyboard shortcuts. */
  protected abstract help(): void;

  /** Marks the linked lines, at most once per frame, because the mouse has moved onto a line or off a line. */
  protected onHover(): void {
    this.markSoon();
  }

  /** Marks the linked lines in the browser's next frame; with `reveal`, also scrolls to them. */
  protected markSoon(reveal = false): void {
    this._reveals ||= reveal;
    if (this._frame === 0) {
      this._frame = window.requestAnimationFrame(() => {
        this._frame = 0;
        // The view scrolls to a place under the mouse, but does not scroll back when the mouse has left the place.
        const reveal = this._reveals || (this._model?.hover ?? null) !== null;
        this._reveals = false;
        this.mark(reveal);
      });
    }
  }

  /** Read the model again if the view is visible. */
  protected refresh(): void {
    const snapshot = this._model?.snapshot ?? null;
    const program = this._model?.program ?? -1;
    const isEmpty = snapshot === null || program < 0;
    this._tellInView(this.isVisible && !isEmpty);
    if (!this.isVisible) {
      return;
    }
    this.toggleClass('jp-mod-stale', this._model?.status.kind === 'stale');
    this.toggleClass('jp-mod-empty', isEmpty);
    this._refreshed = snapshot;
    if (isEmpty) {
      this.clear();
    } else {
      this.showProgram(snapshot, program);
    }
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this.refresh();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.refresh();
    this.measure();
    // Mark a selection that another view made while this view was out of sight.
    this.mark(true);
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._tellInView(false);
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this._tellInView(false);
  }

  protected override onResize(message: Widget.ResizeMessage): void {
    super.onResize(message);
    this.measure();
  }

  private _leave(): void {
    const { _model: model, _screenState: screenState } = this;
    if (model && screenState) {
      model.changed.disconnect(this._onChanged, this);
      this._tellInView(false);
      this.unfollow(model, screenState);
    }
    this._model = null;
    this._screenState = null;
  }

  private _onChanged(_: IJaxprModel, change: ModelChange): void {
    switch (change) {
      case 'hover':
        if (this.isVisible && !this._isReplaced) {
          this.onHover();
        }
        return;
      case 'selection':
        if (this.isVisible && !this._isReplaced) {
          this.mark(true);
        }
        return;
      case 'program':
      case 'snapshots':
      case 'status':
        this.refresh();
        return;
      case 'results':
      case 'failure':
      case 'paused':
        return;
    }
  }

  /**
   * True if the model has a document that this view has not read yet; the model's next signal announces the document.
   */
  private get _isReplaced(): boolean {
    return (this._model?.snapshot ?? null) !== this._refreshed;
  }

  private _tellInView(isInView: boolean): void {
    if (this._screenState) {
      this._screenState[this._place] = isInView;
    }
  }

  private _model: IJaxprModel | null = null;
  private _screenState: ScreenState | null = null;
  /** The document that this view last read from the model while the view was visible. */
  private _refreshed: Snapshot | null = null;
  private _frame = 0;
  /** True if the marking in the browser's next frame also scrolls to the selection. */
  private _reveals = false;
}
