/**
 * Between the program in the panel and the cells of its notebook: whether the program is in view, and where the user
 * wants to go.
 *
 * Marks in cells are kept only while a program is in view, and the keyboard goes from an equation to its cell and
 * back. Neither side knows the other; each finds this by the model they share.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { IJaxprModel } from '../tokens';
import type { ILinkedSpan } from './links';

/** A cell that was edited after the run, or is not here: why some or all of its links are not shown. */
export interface IUnlinked {
  executionCount: number | null;
  reason: 'edited' | 'missing';
  /** It is the cell that ran, not one that the run took a function from. */
  isOwn: boolean;
}

export class Attention {
  /** Whether a program view of this model is on screen. */
  get inView(): boolean {
    return this._inView;
  }

  set inView(inView: boolean) {
    if (inView !== this._inView) {
      this._inView = inView;
      this._viewChanged.emit();
    }
  }

  /** Whether the Flow view of this model is on screen. */
  get flowInView(): boolean {
    return this._flowInView;
  }

  set flowInView(inView: boolean) {
    if (inView !== this._flowInView) {
      this._flowInView = inView;
      this._viewChanged.emit();
    }
  }

  /** Whether the Cost view of this model is on screen. */
  get costInView(): boolean {
    return this._costInView;
  }

  set costInView(inView: boolean) {
    if (inView !== this._costInView) {
      this._costInView = inView;
      this._viewChanged.emit();
    }
  }

  /** Whether the levels of this model's program are on screen side by side. */
  get wideInView(): boolean {
    return this._wideInView;
  }

  set wideInView(inView: boolean) {
    if (inView !== this._wideInView) {
      this._wideInView = inView;
      this._viewChanged.emit();
    }
  }

  /** Whether the transforms of this model's program are on screen beside it. */
  get transformsInView(): boolean {
    return this._transformsInView;
  }

  set transformsInView(inView: boolean) {
    if (inView !== this._transformsInView) {
      this._transformsInView = inView;
      this._viewChanged.emit();
    }
  }

  /** Whether the Diff view of this model is on screen. */
  get diffInView(): boolean {
    return this._diffInView;
  }

  set diffInView(inView: boolean) {
    if (inView !== this._diffInView) {
      this._diffInView = inView;
      this._viewChanged.emit();
    }
  }

  /** Whether any view is on screen whose lines are linked to those of cells. */
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

  get viewChanged(): ISignal<this, void> {
    return this._viewChanged;
  }

  /** Whether the Cache view of this model is on screen. */
  get ledgerInView(): boolean {
    return this._ledgerInView;
  }

  set ledgerInView(inView: boolean) {
    if (inView !== this._ledgerInView) {
      this._ledgerInView = inView;
      this._viewChanged.emit();
    }
  }

  /** Whether hits and compiles are to be guessed, and so to be seen nowhere. */
  get outcomesHidden(): boolean {
    return this._outcomesHidden;
  }

  set outcomesHidden(hidden: boolean) {
    if (hidden !== this._outcomesHidden) {
      this._outcomesHidden = hidden;
      this._viewChanged.emit();
    }
  }

  /** The line that the chosen row of the Cache view is about; null where there is none. */
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

  /** The user goes from the program to this span of a cell. */
  get cellWanted(): ISignal<this, ILinkedSpan> {
    return this._cellWanted;
  }

  /** The user goes back to the program. */
  get programWanted(): ISignal<this, void> {
    return this._programWanted;
  }

  /**
   * Go to a span of a cell.
   *
   * @param from The view that the user comes from, and returns to; left out, the program in the panel.
   */
  goToCell(span: ILinkedSpan, from: object | null = null): void {
    this._cameFrom = from;
    this._cellWanted.emit(span);
  }

  /** The view that the user went to a cell from; null for the program in the panel. */
  get cameFrom(): object | null {
    return this._cameFrom;
  }

  goToProgram(): void {
    this._programWanted.emit();
  }

  /** Cells that the program is linked to and whose text is not the one that ran. */
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

const ATTENTIONS = new WeakMap<IJaxprModel, Attention>();

/** The attention of a model; the same object for both sides. */
export function attentionOf(model: IJaxprModel): Attention {
  let attention = ATTENTIONS.get(model);
  if (!attention) {
    attention = new Attention();
    ATTENTIONS.set(model, attention);
  }
  return attention;
}
