/**
 * Holds the measured times and sweeps of a model's programs, and the state of the measurements.
 *
 * The results are in the document; this object has the progress, and the text that the user typed for a sweep.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { EvaluableText } from '../protocol/evaluable';
import { ProgramTiming, Snapshot, Sweep } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { Asking, askingOf } from './request-state';

/** A field of the form that requests a sweep. */
export type SweepField = 'sweep' | 'call' | 'functions';

/** The fields in which the user has typed; the other fields are filled in from the run in view. */
export type SweepDraft = Readonly<Partial<Record<SweepField, EvaluableText>>>;

export class Timings {
  constructor(model: IJaxprModel) {
    this.time = askingOf(model, 'time');
    this.sweep = askingOf(model, 'sweep');
    const emit = (): void => this._changed.emit();
    this.time.changed.connect(emit);
    this.sweep.changed.connect(emit);
  }

  /** The requests that time a call again: one part for each program of a run. */
  readonly time: Asking<'time'>;
  /** The requests for sweeps: one for each run. */
  readonly sweep: Asking<'sweep'>;

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The times of a program; null if the program was not timed. */
  timingOf(snapshot: Snapshot, program: number): ProgramTiming | null {
    return snapshot.timings?.find(timing => timing.program === program) ?? null;
  }

  /** The sweep of a run; null if the run has none. */
  sweepOf(snapshot: Snapshot): Sweep | null {
    return snapshot.sweep ?? null;
  }

  /** The text that the user last typed for a function of this name, in this or an earlier run. */
  draftOf(name: string): SweepDraft {
    return this._drafts.get(name) ?? {};
  }

  /** Stores the text that the user has typed into a field of the form. */
  type(name: string, field: SweepField, text: EvaluableText): void {
    this._drafts.set(name, { ...this.draftOf(name), [field]: text });
    this._changed.emit();
  }

  private _drafts = new Map<string, SweepDraft>();
  private _changed = new Signal<this, void>(this);
}

const timingsByModel = new WeakMap<IJaxprModel, Timings>();

/** The timings of a model; all views of the model get the same object. */
export function timingsOf(model: IJaxprModel): Timings {
  const timings = timingsByModel.get(model) ?? new Timings(model);
  timingsByModel.set(model, timings);
  return timings;
}
