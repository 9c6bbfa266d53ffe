/**
 * Gives the recordings of constructs, and stores the step of each recording that the user looks at.
 *
 * Recordings are in the document. The step is stored for the model rather than in a view, because cards mark the branch
 * that the step took, and because a view that is closed and opened again continues at the step.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Recording, Snapshot } from '../protocol/snapshot';
import type { IEquationRef, IJaxprModel } from '../tokens';
import { Asking, AskingState, askingOf } from './request-state';

/** A step of a recording: the index of the visit and of the point in it, both from 0. */
export interface IPlace {
  visit: number;
  offset: number;
}

/** A text at the end of a line, and the tooltip of the text. */
interface ILineText {
  text: string;
  title: string;
}

/** The step that the cell shows. */
export interface IShownStep {
  snapshot: Snapshot;
  /** The index into the snapshot's programs. */
  program: number;
  /** The equations that compute the step. */
  equations: readonly IEquationRef[];
  /** The index of the frame of the `def` to which the equations belong; -1 if unknown. */
  frame: number;
  /** The text of the values before the step. */
  before: ILineText;
  /** The text of the values after the step. */
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

  /** The step that the cell shows; null if no step is in view. */
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

  /** Moves one step on or back in the recording that the user used last; null if no recording is shown. */
  walk: ((by: 1 | -1) => void) | null = null;

  /** The state of the request to record a construct, given the index of its card. */
  stepperOf(snapshot: Snapshot, control: number): AskingState {
    return this._work.stateOf(snapshot, control);
  }

  /** The recording of a construct; null where there is none. */
  recordingOf(snapshot: Snapshot, control: number): Recording | null {
    return (
      snapshot.recordings?.find(recording => recording.control === control) ??
      null
    );
  }

  /** True if a construct has a recording, or if its steps were requested and the request has not ended. */
  isInUse(snapshot: Snapshot, control: number): boolean {
    return (
      this.recordingOf(snapshot, control) !== null ||
      this.stepperOf(snapshot, control).kind !== 'idle'
    );
  }

  /** [fewest, most] steps in the visits of a loop; null if a visit did not end, or if a visit was not recorded. */
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

  /** The label of the branch that the step in view took; null if it took none. */
  branchTaken(snapshot: Snapshot, control: number): string | null {
    const recording = this.recordingOf(snapshot, control);
    const { visit, offset } = this.placeOf(snapshot, control);
    const point = (recording?.visits[visit]?.first_point ?? 0) + offset;
    return recording?.branch_taken[point] || null;
  }

  /** For each branch (by label), how many recorded steps took it. */
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

  /** Moves to a step of the recording; does nothing if the construct has no recording. */
  moveTo(snapshot: Snapshot, control: number, place: IPlace): void {
    const recording = this.recordingOf(snapshot, control);
    if (recording !== null) {
      this._places.set(key(snapshot, control), place);
      this._changed.emit();
    }
  }

  /**
   * Requests a recording of the construct's steps. A program with effects is run only after `confirm`. Does nothing if
   * no kernel can answer or if the recording is in progress.
   */
  async record(snapshot: Snapshot, control: number): Promise<void> {
    const params = { snapshot: snapshot.id, control };
    await this._work.start(snapshot, control, params);
    this._begin(snapshot, control);
  }

  /** Records the construct, because the user has agreed to repeat the effects. */
  async confirm(snapshot: Snapshot, control: number): Promise<void> {
    await this._work.confirm(snapshot, control);
    this._begin(snapshot, control);
  }

  /** Stop the recording; the steps that are recorded so far are kept. */
  stop(snapshot: Snapshot, control: number): void {
    this._work.stop(snapshot, control);
  }

  /** Forgets a question that the user has declined, or a failure whose message the user has closed. */
  dismiss(snapshot: Snapshot, control: number): void {
    this._work.dismiss(snapshot, control);
  }

  /** Moves to the first step of a new recording. */
  private _begin(snapshot: Snapshot, control: number): void {
    if (this._work.stateOf(snapshot, control).kind === 'idle') {
      this._places.delete(key(snapshot, control));
      this._changed.emit();
    }
  }

  private _work: Asking<'steps'>;
  /**
   * The step in view of each recording. The keys are run and construct rather than the document object, because the
   * kernel may send the document with the same recording again.
   */
  private _places = new Map<string, IPlace>();
  private _shown: IShownStep | null = null;
  private _shownChanged = new Signal<this, void>(this);
  private _changed = new Signal<this, void>(this);
}

function key(snapshot: Snapshot, control: number): string {
  return `${snapshot.id}\n${control}`;
}

const STEPPINGS = new WeakMap<IJaxprModel, Stepping>();

/** The stepping of a model; all views of the model get the same object. */
export function steppingOf(model: IJaxprModel): Stepping {
  let stepping = STEPPINGS.get(model);
  if (!stepping) {
    stepping = new Stepping(model);
    STEPPINGS.set(model, stepping);
  }
  return stepping;
}
