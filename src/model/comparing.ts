/**
 * Programs of a run that are to be run side by side come in; how far that is goes out, and the result into the run.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Snapshot, VariantComparison } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { LongState, LongWork } from './long-work';

/** The comparisons asked for in one model, one at a time for each run. */
export class Comparing {
  constructor(private _model: IJaxprModel) {
    this._work = new LongWork<VariantComparison>(_model);
    this._work.changed.connect(() => this._changed.emit());
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** How far the comparison of a run is. */
  stateOf(snapshot: Snapshot): LongState {
    return this._work.stateOf(snapshot);
  }

  /** Run programs again, timed and side by side; the result is put into the snapshot. */
  async compare(
    snapshot: Snapshot,
    programs: readonly number[]
  ): Promise<void> {
    await this._work.start(snapshot, 0, (requests, options) =>
      requests.compare(snapshot.id, programs, options)
    );
    this._show(snapshot);
  }

  /** The question is answered with yes. */
  async confirm(snapshot: Snapshot): Promise<void> {
    await this._work.confirm(snapshot);
    this._show(snapshot);
  }

  /** End with what was measured until now. */
  stop(snapshot: Snapshot): void {
    this._work.stop(snapshot);
  }

  /** The question is answered with no. */
  dismiss(snapshot: Snapshot): void {
    this._work.dismiss(snapshot);
  }

  private _show(snapshot: Snapshot): void {
    const comparison = this._work.valueOf(snapshot);
    const { snapshot: now } = this._model;
    if (
      comparison !== null &&
      now?.id === snapshot.id &&
      now.comparison !== comparison
    ) {
      this._model.show({ ...now, comparison }, false);
    }
  }

  private _work: LongWork<VariantComparison>;
  private _changed = new Signal<this, void>(this);
}

const known = new WeakMap<IJaxprModel, Comparing>();

/** The comparisons of a model; the same object each time. */
export function comparingOf(model: IJaxprModel): Comparing {
  const found = known.get(model) ?? new Comparing(model);
  known.set(model, found);
  return found;
}
