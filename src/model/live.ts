/** Holds whether Live is on, up to which level it makes texts, and the kernel's last answer on the edited cell. */
import { ISignal, Signal } from '@lumino/signaling';

import type { EvaluableText } from '../protocol/evaluable';
import type { LiveProgram } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';

/** The levels up to which Live can make texts, in order: making a level also makes all earlier levels. */
export const LAST_LEVELS = ['jaxpr', 'stablehlo', 'hlo'] as const;

export type LastLevel = (typeof LAST_LEVELS)[number];

class LiveChoice {
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get isOn(): boolean {
    return this._isOn;
  }

  set(isOn: boolean): void {
    if (isOn !== this._isOn) {
      this._isOn = isOn;
      this._changed.emit();
    }
  }

  /** The level up to which Live makes texts. */
  get lastLevel(): LastLevel {
    return this._lastLevel;
  }

  setLastLevel(lastLevel: LastLevel): void {
    if (lastLevel !== this._lastLevel) {
      this._lastLevel = lastLevel;
      this._changed.emit();
    }
  }

  private _isOn = false;
  private _lastLevel: LastLevel = 'jaxpr';
  private _changed = new Signal<this, void>(this);
}

/** The choice of Live, which all notebooks of the page share; the settings store the choice. */
export const liveChoice = new LiveChoice();

/** The state of Live for the cell that the user writes in. */
export type LiveState =
  | { kind: 'idle' }
  | { kind: 'answered'; cellId: string; answer: LiveProgram }
  /** the notebook is not trusted, so the text of the cell is not sent */
  | { kind: 'distrusted'; cellId: string }
  /** There is no answer; `reason` is a sentence that says what the user can do. */
  | { kind: 'refused'; cellId: string; reason: string };

/** The state of Live for one notebook. */
export class LiveView {
  constructor(private _model: IJaxprModel) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get state(): LiveState {
    return this._state;
  }

  /** True if the program in view is older than the cell's text, because the present text raises an error. */
  get isBehind(): boolean {
    return (
      this._state.kind === 'answered' && this._state.answer.state === 'raised'
    );
  }

  /**
   * A function that traces the cell again with the argument types that the user has typed; null if nothing traces
   * cells.
   */
  retry: ((specs: EvaluableText) => void) | null = null;

  /**
   * Takes the kernel's answer on a cell. An answer with a traced program puts the program in view; other answers change
   * no view.
   */
  show(cellId: string, answer: LiveProgram): void {
    this._state = { kind: 'answered', cellId, answer };
    if (answer.state === 'traced' && answer.snapshot !== null) {
      this._model.showWritten(answer.snapshot);
    }
    this._changed.emit();
  }

  refuse(cellId: string, reason: string): void {
    this._state = { kind: 'refused', cellId, reason };
    this._changed.emit();
  }

  distrust(cellId: string): void {
    this._state = { kind: 'distrusted', cellId };
    this._changed.emit();
  }

  /** Forgets the answer on the cell, because the cell has run or Live was turned off. */
  clear(): void {
    if (this._state.kind !== 'idle') {
      this._state = { kind: 'idle' };
      this._changed.emit();
    }
  }

  private _state: LiveState = { kind: 'idle' };
  private _changed = new Signal<this, void>(this);
}

const VIEWS = new WeakMap<IJaxprModel, LiveView>();

/** Return the Live state of a model's notebook; all views of the notebook get the same object. */
export function liveOf(model: IJaxprModel): LiveView {
  let view = VIEWS.get(model);
  if (view === undefined) {
    view = new LiveView(model);
    VIEWS.set(model, view);
  }
  return view;
}
