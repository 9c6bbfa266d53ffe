/**
 * Holds the costs of a model's programs, the peak rates of the machine, and whether heat is shown.
 *
 * Costs are in the document. A program that was too large to be costed with it is counted on request.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Machine, ProgramCost, Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { Asking, AskingState, askingOf } from './question-state';
import { heatChoice } from './heat-choice';

export class Costs {
  constructor(private _model: IJaxprModel) {
    this.machine = askingOf(_model, 'machine');
    this._counting = askingOf(_model, 'cost');
    for (const asking of [this.machine, this._counting]) {
      asking.changed.connect(() => this._changed.emit());
    }
    // The choice is the page's, and lives as long as that.
    heatChoice.changed.connect(this._onHeat, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The measuring of the machine: one for each run. */
  readonly machine: Asking<'machine'>;

  /** Whether the cost of lines and equations is drawn beside them. */
  get heat(): boolean {
    return heatChoice.shown;
  }

  set heat(shown: boolean) {
    heatChoice.shown = shown;
  }

  /** What a program costs; null where that was not counted. */
  costOf(snapshot: Snapshot, program: number): ProgramCost | null {
    return snapshot.costs?.find(cost => cost.program === program) ?? null;
  }

  /** How far the counting of a program is. */
  countingOf(snapshot: Snapshot, program: number): AskingState {
    return this._counting.stateOf(snapshot, program);
  }

  /** Have a program counted; does nothing where it is, or where no kernel can answer. */
  async count(snapshot: Snapshot, program: number): Promise<void> {
    if (this._isOpen(snapshot, program)) {
      const params = { snapshot: snapshot.id, program };
      await this._counting.start(snapshot, program, params);
    }
  }

  /**
   * What the machine of a run can do: as it was measured for this run or for another one of the same kernel, or as it
   * came with the document; null where it was not measured.
   */
  machineOf(snapshot: Snapshot): Machine | null {
    const own = snapshot.machine ?? null;
    if (own !== null || this._isSaved(snapshot)) {
      return own;
    }
    for (const { snapshot: other, fromSaved } of this._model.runs) {
      const machine = other.machine ?? null;
      if (
        machine !== null &&
        !fromSaved &&
        other.environment.device === snapshot.environment.device
      ) {
        return machine;
      }
    }
    return null;
  }

  /**
   * Whether the kernel has more to say: all of it, the steps of a loop that was recorded since, or XLA's numbers, which
   * take long where a program is large.
   */
  private _isOpen(snapshot: Snapshot, program: number): boolean {
    const cost = this.costOf(snapshot, program);
    if (cost === null) {
      return true;
    }
    const { control_flow: cards = [], recordings = [] } = snapshot;
    const isRecorded = recordings.some(
      ({ control }) =>
        cards[control].program === program &&
        cards[control].primitive === 'while' &&
        cards[control].trips === null &&
        !(cost.recordings ?? []).includes(control)
    );
    if (isRecorded) {
      return true;
    }
    const hlo = snapshot.programs[program]?.levels.find(
      level => level.name === 'hlo'
    );
    return (
      cost.xla_asked === false &&
      (hlo?.state === 'held' || hlo?.state === 'on_request')
    );
  }

  private _isSaved(snapshot: Snapshot): boolean {
    return this._model.runs.some(
      run => run.snapshot === snapshot && run.fromSaved
    );
  }

  private _onHeat(): void {
    if (this._model.isDisposed) {
      heatChoice.changed.disconnect(this._onHeat, this);
    } else {
      this._changed.emit();
    }
  }

  private _counting: Asking<'cost'>;
  private _changed = new Signal<this, void>(this);
}

const COSTS = new WeakMap<IJaxprModel, Costs>();

/** The costs of a model; the same object for all views of it, and for the editors. */
export function costsOf(model: IJaxprModel): Costs {
  let costs = COSTS.get(model);
  if (!costs) {
    costs = new Costs(model);
    COSTS.set(model, costs);
  }
  return costs;
}
