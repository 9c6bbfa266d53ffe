/**
 * Restores the scroll position of a view, for each program, and after a reload. The Program view keeps the positions of
 * its texts itself.
 */
import { IDisposable } from '@lumino/disposable';

import { readingPlaceOf } from '../../model/reading-place';
import { IJaxprModel } from '../../tokens';
import { ViewName } from './view-names';

/** The events of a user who scrolls: after them the kept position is not restored any more. */
const BY_HAND = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;

export class ViewScroll implements IDisposable {
  constructor(
    private _node: HTMLElement,
    private _view: ViewName
  ) {
    const { signal } = this._listening;
    _node.addEventListener('scroll', () => this._keep(), { signal });
    for (const name of BY_HAND) {
      _node.addEventListener(name, () => (this._wanted = null), {
        signal,
        passive: true
      });
    }
    // A view draws its content in several parts, and has its full height only after the last.
    this._drawn = new MutationObserver(() => this._goOn());
    this._drawn.observe(_node, { childList: true, subtree: true });
  }

  get isDisposed(): boolean {
    return this._listening.signal.aborted;
  }

  dispose(): void {
    this._listening.abort();
    this._drawn.disconnect();
    this._model = null;
  }

  /** Scrolls to the position where the user read the program in view before; to the top for a new program. */
  follow(model: IJaxprModel | null): void {
    this._model = model;
    const key = model?.snapshot ? `${model.snapshot.id} ${model.program}` : '';
    if (key === this._key) {
      return;
    }
    this._key = key;
    this.restore();
  }

  /** Scrolls the view to the position at which the user left it for this run. */
  restore(): void {
    const { _model: model } = this;
    if (!model?.snapshot) {
      return;
    }
    const { snapshot, program } = model;
    this._wanted =
      readingPlaceOf(model).textPlace(
        snapshot.id,
        program,
        `view ${this._view}`
      )?.above ?? 0;
    this._goOn();
  }

  private _goOn(): void {
    const { _node: node, _wanted: wanted } = this;
    if (wanted === null) {
      return;
    }
    node.scrollTop = wanted;
    if (Math.abs(node.scrollTop - wanted) <= 1 && node.childElementCount > 0) {
      this._wanted = null;
    }
  }

  private _keep(): void {
    const { _model: model, _node: node } = this;
    // A view that is not drawn yet is at its top, and that is no position to keep.
    if (this._wanted !== null || !model?.snapshot || node.clientHeight === 0) {
      return;
    }
    const { snapshot, program } = model;
    readingPlaceOf(model).keepText(snapshot.id, program, `view ${this._view}`, {
      line: 0,
      above: Math.round(node.scrollTop),
      closed: []
    });
  }

  private _model: IJaxprModel | null = null;
  private _key = '';
  /** The scroll position to restore; null after the view has scrolled to the position. */
  private _wanted: number | null = null;
  private _drawn: MutationObserver;
  private _listening = new AbortController();
}
