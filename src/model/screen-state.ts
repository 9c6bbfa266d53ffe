/**
 * Connects the views of a program with the cells of its notebook: which view is on screen, and where the user wants to
 * go.
 *
 * Marks in cells are drawn only while a program is on screen. The keyboard goes from an equation to its cell and back.
 * The panel and the cell editors do not know each other; each side gets the `ScreenState` object of the shared model.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { IJaxprModel } from '../tokens';
import type { ILinkedSpan } from './links';

/** A cell that was edited after the run, or deleted, so that links to it are missing. */
export interface IUnlinked {
  executionCount: number | null;
  reason: 'edited' | 'missing';
  /** True for the cell that ran; false for a cell that defined a function which the run called. */
  isOwn: boolean;
}

export class ScreenState {
  /** True while a program view of this model is on screen. */
  get inView(): boolean {
    return this._inView;
  }

  set inView(inView: boolean) {
    if (inView !== this._inView) {
      this._inView = inView;
      this._viewChanged.emit();
    }
  }

  /** True while the Flow view of this model is on screen. */
  get flowInView(): boolean {
    return this._flowInView;
  }

  set flowInView(inView: boolean) {
    if (inView !== this._flowInView) {
      this._flowInView = inView;
      this._viewChanged.emit();
    }
  }

  /** True while the Cost view of this model is on screen. */
  get costInView(): boolean {
    return this._costInView;
  }

  set costInView(inView: boolean) {
    if (inView !== this._costInView) {
      this._costInView = inView;
      this._viewChanged.emit();
    }
  }

  /** True while the wide view, the levels of this model's program side by side, is on screen. */
  get wideInView(): boolean {
    return this._wideInView;
  }

  set wideInView(inView: boolean) {
    if (inView !== this._wideInView) {
      this._wideInView = inView;
      this._viewChanged.emit();
    }
  }

  /** True while the view of this model's program beside its derived programs is on screen. */
  get transformsInView(): boolean {
    return this._transformsInView;
  }

  set transformsInView(inView: boolean) {
    if (inView !== this._transformsInView) {
      this._transformsInView = inView;
      this._viewChanged.emit();
    }
  }

  /** True while the Diff view of this model is on screen. */
  get diffInView(): boolean {
    return this._diffInView;
  }

  set diffInView(inView: boolean) {
    if (inView !== this._diffInView) {
      this._diffInView = inView;
      this._viewChanged.emit();
    }
  }

  /** True while any view whose lines are linked to lines of cells is on screen. */
  get linksInView(): boolean {
    return (
      this._inView ||
      this._flowInView ||
      this._costInView ||
      this._diffInView ||
      this._wideInView ||
      this._transformsInView
    );
  }

  /** Records whether a view that marks nothing in cells, such as the Time view, is on screen. */
  see(view: object, isSeen: boolean): void {
    if (isSeen) {
      this._seen.add(view);
    } else {
      this._seen.delete(view);
    }
  }

  /** True while any view of this model is on screen; the view then follows the caret from cell to cell. */
  get isInView(): boolean {
    return this.linksInView || this._ledgerInView || this._seen.size > 0;
  }

  get viewChanged(): ISignal<this, void> {
    return this._viewChanged;
  }

  /** True while the Cache view of this model is on screen. */
  get ledgerInView(): boolean {
    return this._ledgerInView;
  }

  set ledgerInView(inView: boolean) {
    if (inView !== this._ledgerInView) {
      this._ledgerInView = inView;
      this._viewChanged.emit();
    }
  }

  /**
   * True while the user guesses which calls were hits; then no view and no cell shows the counts of hits and compiles.
   */
  get outcomesHidden(): boolean {
    return this._outcomesHidden;
  }

  set outcomesHidden(hidden: boolean) {
    if (hidden !== this._outcomesHidden) {
      this._outcomesHidden = hidden;
      this._viewChanged.emit();
    }
  }

  /** The line of a cell that belongs to the chosen row of the Cache view; null if no row is chosen. */
  get pointedAt(): ILinkedSpan | null {
    return this._pointedAt;
  }

  set pointedAt(span: ILinkedSpan | null) {
    this._pointedAt = span;
    this._pointed.emit();
  }

  get pointed(): ISignal<this, void> {
    return this._pointed;
  }

  /** Emits a span of a cell when the user goes from the program to the cell. */
  get cellWanted(): ISignal<this, ILinkedSpan> {
    return this._cellWanted;
  }

  /** Emits when the user returns from a cell to the program. */
  get programWanted(): ISignal<this, void> {
    return this._programWanted;
  }

  /**
   * Moves the focus to a span of a cell. @param from The view to which the user will return; by default the program in
   * the panel.
   */
  goToCell(span: ILinkedSpan, from: object | null = null): void {
    this._cameFrom = from;
    this._cellWanted.emit(span);
  }

  /** The view from which the user went to a cell; null for the program in the panel. */
  get cameFrom(): object | null {
    return this._cameFrom;
  }

  goToProgram(): void {
    this._programWanted.emit();
  }

  /** The cells to which the program is linked and whose text differs from the text that ran. */
  get unlinked(): readonly IUnlinked[] {
    return this._unlinked;
  }

  set unlinked(unlinked: readonly IUnlinked[]) {
    if (JSON.stringify(unlinked) !== JSON.stringify(this._unlinked)) {
      this._unlinked = unlinked;
      this._unlinkedChanged.emit();
    }
  }

  get unlinkedChanged(): ISignal<this, void> {
    return this._unlinkedChanged;
  }

  private _seen = new Set<object>();
  private _inView = false;
  private _flowInView = false;
  private _costInView = false;
  private _diffInView = false;
  private _wideInView = false;
  private _transformsInView = false;
  private _cameFrom: object | null = null;
  private _ledgerInView = false;
  private _outcomesHidden = false;
  private _pointedAt: ILinkedSpan | null = null;
  private _pointed = new Signal<this, void>(this);
  private _unlinked: readonly IUnlinked[] = [];
  private _viewChanged = new Signal<this, void>(this);
  private _cellWanted = new Signal<this, ILinkedSpan>(this);
  private _programWanted = new Signal<this, void>(this);
  private _unlinkedChanged = new Signal<this, void>(this);
}

const SCREEN_STATES = new WeakMap<IJaxprModel, ScreenState>();

/** The screen state of a model: one object, which the panel and the cells share. */
export function screenStateOf(model: IJaxprModel): ScreenState {
  let screenState = SCREEN_STATES.get(model);
  if (!screenState) {
    screenState = new ScreenState();
    SCREEN_STATES.set(model, screenState);
  }
  return screenState;
}
