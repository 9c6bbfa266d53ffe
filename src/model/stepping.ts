/**
 * A construct that the user asks to be run step by step comes in; its recording goes out, and where the user is in it.
 *
 * Recordings that came with a document are found here too. What the stepper shows is here and not in a view: cards mark
 * the branch that the step took, and a view that is closed and opened again is where it was.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Recording, Snapshot, Working } from '../protocol/snapshot';
import type { IJaxprModel, ILongRequest } from '../tokens';

/** What the stepper does for one construct. */
export type Stepper =
  | { kind: 'idle' }
  | {
      kind: 'working';
      /** When it was asked for, in milliseconds since 1970. */
      since: number;
      working: Working | null;
      stopping: boolean;
    }
  /** It would repeat effects: a question. */
  | { kind: 'confirm'; question: string }
  /** A sentence, with what to do. */
  | { kind: 'failed'; reason: string };

/** Where the user is: in which visit, and at which of its points, both from 0. */
export interface IPlace {
  visit: number;
  offset: number;
}

interface IEntry {
  stepper: Stepper;
  recording: Recording | null;
  request: ILongRequest<Recording> | null;
  place: IPlace;
}

const START: IPlace = { visit: 0, offset: 0 };

export class Stepping {
  constructor(private _model: IJaxprModel) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** What the stepper does for the construct of this index. */
  stepperOf(snapshot: Snapshot, control: number): Stepper {
    return this._entries.get(key(snapshot, control))?.stepper ?? IDLE;
  }

  /** The recording of a construct: the one that was asked for, or the one that came with the document. */
  recordingOf(snapshot: Snapshot, control: number): Recording | null {
    return (
      this._entries.get(key(snapshot, control))?.recording ??
      snapshot.recordings?.find(one => one.control === control) ??
      null
    );
  }

  placeOf(snapshot: Snapshot, control: number): IPlace {
    return this._entries.get(key(snapshot, control))?.place ?? START;
  }

  /** The branch that the step in view took, by its label; null where there is none. */
  branchTaken(snapshot: Snapshot, control: number): string | null {
    const recording = this.recordingOf(snapshot, control);
    const { visit, offset } = this.placeOf(snapshot, control);
    const point = (recording?.visits[visit]?.first_point ?? 0) + offset;
    return recording?.branch_taken[point] || null;
  }

  /** How often each branch was taken in the steps that were kept, by its label. */
  branchCounts(
    snapshot: Snapshot,
    control: number
  ): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const recording = this.recordingOf(snapshot, control);
    for (const label of recording?.branch_taken ?? []) {
      if (label !== '') {
        counts.set(label, (counts.get(label) ?? 0) + 1);
      }
    }
    return counts;
  }

  moveTo(snapshot: Snapshot, control: number, place: IPlace): void {
    this._change(snapshot, control, { place });
  }

  /**
   * Run the construct again and record it; does nothing where no kernel can answer or it is running already.
   *
   * @param confirmed The user said yes to repeated effects.
   */
  async record(
    snapshot: Snapshot,
    control: number,
    confirmed: boolean
  ): Promise<void> {
    const { requests } = this._model;
    if (
      requests === null ||
      this.stepperOf(snapshot, control).kind === 'working'
    ) {
      return;
    }
    const request = requests.steps(snapshot.id, control, {
      confirmed,
      working: working => this._tell(snapshot, control, { working })
    });
    this._change(snapshot, control, {
      request,
      stepper: {
        kind: 'working',
        since: Date.now(),
        working: null,
        stopping: false
      }
    });
    try {
      const outcome = await request.result;
      if (outcome.kind === 'confirm') {
        this._end(snapshot, control, {
          stepper: { kind: 'confirm', question: outcome.question }
        });
      } else {
        this._end(snapshot, control, {
          stepper: IDLE,
          recording: outcome.value,
          place: START
        });
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this._end(snapshot, control, { stepper: { kind: 'failed', reason } });
    }
  }

  /** Stop; what was recorded until then is kept. */
  stop(snapshot: Snapshot, control: number): void {
    this._tell(snapshot, control, { stopping: true });
    this._entries.get(key(snapshot, control))?.request?.stop();
  }

  /** The user has said no, or has read what failed. */
  dismiss(snapshot: Snapshot, control: number): void {
    if (this.stepperOf(snapshot, control).kind !== 'working') {
      this._change(snapshot, control, { stepper: IDLE });
    }
  }

  private _tell(
    snapshot: Snapshot,
    control: number,
    changes: { working: Working } | { stopping: boolean }
  ): void {
    const stepper = this.stepperOf(snapshot, control);
    if (stepper.kind === 'working') {
      this._change(snapshot, control, { stepper: { ...stepper, ...changes } });
    }
  }

  private _end(
    snapshot: Snapshot,
    control: number,
    changes: Partial<IEntry>
  ): void {
    if (!this._model.isDisposed) {
      this._change(snapshot, control, { ...changes, request: null });
    }
  }

  private _change(
    snapshot: Snapshot,
    control: number,
    changes: Partial<IEntry>
  ): void {
    const at = key(snapshot, control);
    const before = this._entries.get(at) ?? {
      stepper: IDLE,
      recording: null,
      request: null,
      place: START
    };
    this._entries.set(at, { ...before, ...changes });
    this._forget();
    this._changed.emit();
  }

  /** Let go of what belongs to runs that can no longer be chosen. */
  private _forget(): void {
    const runs = new Set(this._model.runs.map(({ snapshot }) => snapshot.id));
    for (const at of this._entries.keys()) {
      if (!runs.has(at.slice(at.indexOf(' ') + 1))) {
        this._entries.delete(at);
      }
    }
  }

  private _entries = new Map<string, IEntry>();
  private _changed = new Signal<this, void>(this);
}

const IDLE: Stepper = { kind: 'idle' };

function key(snapshot: Snapshot, control: number): string {
  return `${control} ${snapshot.id}`;
}

const STEPPINGS = new WeakMap<IJaxprModel, Stepping>();

/** The stepping of a model; the same object for all views of it. */
export function steppingOf(model: IJaxprModel): Stepping {
  let stepping = STEPPINGS.get(model);
  if (!stepping) {
    stepping = new Stepping(model);
    STEPPINGS.set(model, stepping);
  }
  return stepping;
}
