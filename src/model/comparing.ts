/**
 * A model comes in; what is asked of its kernel about programs side by side goes out: nothing, working, a question, why not.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Snapshot, VariantComparison, Working } from '../protocol/snapshot';
import { IJaxprModel, ILongRequest } from '../tokens';

/** How far a comparison is. */
export type ComparingState =
  | { kind: 'idle' }
  | { kind: 'working'; working: Working | null; stopping: boolean }
  /** Nothing was run yet: it would repeat effects. */
  | { kind: 'confirm'; question: string; programs: readonly number[] }
  | { kind: 'failed'; reason: string };

const IDLE: ComparingState = { kind: 'idle' };

/** The comparisons asked for in one model, one at a time. */
export class Comparing {
  constructor(private _model: IJaxprModel) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** How far the comparison of a run is. */
  stateOf(snapshot: Snapshot): ComparingState {
    return this._of === snapshot.id ? this._state : IDLE;
  }

  /** Run programs again, timed and side by side; the result is put into the snapshot. */
  async compare(
    snapshot: Snapshot,
    programs: readonly number[],
    confirmed: boolean
  ): Promise<void> {
    const requests = this._model.requests;
    if (requests === null || this._state.kind === 'working') {
      return;
    }
    this._of = snapshot.id;
    this._set({ kind: 'working', working: null, stopping: false });
    try {
      this._request = requests.compare(snapshot.id, programs, {
        confirmed,
        working: working => {
          if (this._state.kind === 'working') {
            this._set({ ...this._state, working });
          }
        }
      });
      const outcome = await this._request.result;
      if (outcome.kind === 'confirm') {
        this._set({ kind: 'confirm', question: outcome.question, programs });
        return;
      }
      this._set(IDLE);
      const { snapshot: now } = this._model;
      if (now?.id === snapshot.id) {
        this._model.show({ ...now, comparison: outcome.value }, false);
      }
    } catch (error) {
      this._set({
        kind: 'failed',
        reason: error instanceof Error ? error.message : String(error)
      });
    } finally {
      this._request = null;
    }
  }

  /** End with what was measured until now. */
  stop(): void {
    if (this._state.kind === 'working') {
      this._set({ ...this._state, stopping: true });
      this._request?.stop();
    }
  }

  /** The question is answered with no. */
  dismiss(): void {
    this._set(IDLE);
  }

  private _set(state: ComparingState): void {
    this._state = state;
    this._changed.emit();
  }

  private _of = '';
  private _state: ComparingState = IDLE;
  private _request: ILongRequest<VariantComparison> | null = null;
  private _changed = new Signal<this, void>(this);
}

const known = new WeakMap<IJaxprModel, Comparing>();

/** The comparisons of a model; the same object each time. */
export function comparingOf(model: IJaxprModel): Comparing {
  const found = known.get(model) ?? new Comparing(model);
  known.set(model, found);
  return found;
}
