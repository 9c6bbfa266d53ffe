/**
 * Restores the scroll position of a view, for each program, and after a reload.
 *
 * The Program view is no part of this: its texts keep their own places.
 */
import { IDisposable } from '@lumino/disposable';

import { readingPlaceOf } from '../../model/reading-place';
import { IJaxprModel } from '../../tokens';
import { ViewName } from './views';

/** What a person does who scrolls: what was kept comes too late then. */
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
    // What the view draws comes in parts, and is as high as it was after the last of them.
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

  /** Scroll to where the program in view was read before; to the top where it was not. */
  follow(model: IJaxprModel | null): void {
    this._model = model;
    const key = model?.snapshot ? `${model.snapshot.id} ${model.program}` : '';
    if (key === this._key) {
      return;
    }
    this._key = key;
    this.restore();
  }

  /** Scroll to the kept place. */
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
    // A view that is not drawn yet is at its top.
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
  /** How far the view is to be scrolled; null once it is. */
  private _wanted: number | null = null;
  private _drawn: MutationObserver;
  private _listening = new AbortController();
}
