/**
 * Holds the recording of a construct that the user asked for, and the user's place in the recording.
 *
 * Recordings are in the document. What the stepper shows is here and not in a view: cards mark the branch that the step
 * took, and a view that is closed and opened again is where it was.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Recording, Snapshot } from '../protocol/snapshot';
import type { IEquationRef, IJaxprModel } from '../tokens';
import { Asking, AskingState, askingOf } from './question-state';

/** Where the user is: in which visit, and at which of its points, both from 0. */
export interface IPlace {
  visit: number;
  offset: number;
}

/** Text at the end of a line, and what it says under the pointer. */
interface ILineText {
  text: string;
  title: string;
}

/** The step that the cell shows. */
export interface IShownStep {
  snapshot: Snapshot;
  /** Index of the program. */
  program: number;
  /** What the step computes. */
  equations: readonly IEquationRef[];
  /** Index into frames of the def that the equations are of; -1 when unknown. */
  frame: number;
  /** Values that go into the step. */
  before: ILineText;
  /** Values that come out of the step. */
  after: ILineText;
}

const START: IPlace = { visit: 0, offset: 0 };

export class Stepping {
  constructor(model: IJaxprModel) {
    this._work = askingOf(model, 'steps');
    this._work.changed.connect(() => this._changed.emit());
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The step that the cell shows; null while none is in view. */
  get shown(): IShownStep | null {
    return this._shown;
  }

  set shown(shown: IShownStep | null) {
    if (shown !== this._shown) {
      this._shown = shown;
      this._shownChanged.emit();
    }
  }

  get shownChanged(): ISignal<this, void> {
    return this._shownChanged;
  }

  /** Goes a step on or back in the recording that the user walked last; null where none is drawn. */
  walk: ((by: 1 | -1) => void) | null = null;

  /** What the stepper does for the construct of this index. */
  stepperOf(snapshot: Snapshot, control: number): AskingState {
    return this._work.stateOf(snapshot, control);
  }

  /** The recording of a construct; null where there is none. */
  recordingOf(snapshot: Snapshot, control: number): Recording | null {
    return snapshot.recordings?.find(one => one.control === control) ?? null;
  }

  /** The fewest and the most steps of the executions of a loop; null where one did not end, or none was recorded. */
  stepsRecorded(snapshot: Snapshot, control: number): [number, number] | null {
    const recording = this.recordingOf(snapshot, control);
    const visits = recording?.visits ?? [];
    if (
      visits.length === 0 ||
      visits.length !== recording?.visits_total ||
      visits.some(({ finished }) => !finished)
    ) {
      return null;
    }
    const steps = visits.map(({ trips }) => trips);
    return [Math.min(...steps), Math.max(...steps)];
  }

  placeOf(snapshot: Snapshot, control: number): IPlace {
    const recording = this.recordingOf(snapshot, control);
    const place = this._places.get(key(snapshot, control));
    return recording !== null && place !== undefined ? place : START;
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

  /** Go to a step of the recording; does nothing where there is none. */
  moveTo(snapshot: Snapshot, control: number, place: IPlace): void {
    const recording = this.recordingOf(snapshot, control);
    if (recording !== null) {
      this._places.set(key(snapshot, control), place);
      this._changed.emit();
    }
  }

  /** Run the construct again and record it; does nothing where no kernel can answer or it is running already. */
  async record(snapshot: Snapshot, control: number): Promise<void> {
    const params = { snapshot: snapshot.id, control };
    await this._work.start(snapshot, control, params);
    this._begin(snapshot, control);
  }

  /** The user said yes to repeated effects. */
  async confirm(snapshot: Snapshot, control: number): Promise<void> {
    await this._work.confirm(snapshot, control);
    this._begin(snapshot, control);
  }

  /** Stop; what was recorded until then is kept. */
  stop(snapshot: Snapshot, control: number): void {
    this._work.stop(snapshot, control);
  }

  /** The user has said no, or has read what failed. */
  dismiss(snapshot: Snapshot, control: number): void {
    this._work.dismiss(snapshot, control);
  }

  /** A new recording begins at its start. */
  private _begin(snapshot: Snapshot, control: number): void {
    if (this._work.stateOf(snapshot, control).kind === 'idle') {
      this._places.delete(key(snapshot, control));
      this._changed.emit();
    }
  }

  private _work: Asking<'steps'>;
  /** By run and construct: the document of a run may come anew, with the same recording. */
  private _places = new Map<string, IPlace>();
  private _shown: IShownStep | null = null;
  private _shownChanged = new Signal<this, void>(this);
  private _changed = new Signal<this, void>(this);
}

function key(snapshot: Snapshot, control: number): string {
  return `${snapshot.id}\n${control}`;
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
