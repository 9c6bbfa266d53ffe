/**
 * Gives the costs of a model's programs, the peak rates of the machine, and whether views show the cost as heat.
 *
 * Costs are in the document. For a program that was too large, the document has no costs until the user requests them.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Machine, ProgramCost, Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { Asking, AskingState, askingOf } from './request-state';
import { heatChoice } from './heat-choice';

export class Costs {
  constructor(private _model: IJaxprModel) {
    this.machine = askingOf(_model, 'machine');
    this._counting = askingOf(_model, 'cost');
    for (const asking of [this.machine, this._counting]) {
      asking.changed.connect(() => this._changed.emit());
    }
    if (!_model.isDisposed) {
      heatChoice.changed.connect(this._onHeat, this);
    }
  }

  /**
   * Stops listening to the choice of heat, because the model is disposed. Otherwise `heatChoice`, which lives as long
   * as the page, would keep the model in memory.
   */
  release(): void {
    heatChoice.changed.disconnect(this._onHeat, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The state of the measurement of the machine's peak rates, one for each run. */
  readonly machine: Asking<'machine'>;

  /** True if lines and equations show their cost as heat. */
  get heat(): boolean {
    return heatChoice.shown;
  }

  set heat(shown: boolean) {
    heatChoice.shown = shown;
  }

  /** The cost of a program; null if it was not counted. */
  costOf(snapshot: Snapshot, program: number): ProgramCost | null {
    return snapshot.costs?.find(cost => cost.program === program) ?? null;
  }

  /** The state of the request for the cost of a program. */
  countingOf(snapshot: Snapshot, program: number): AskingState {
    return this._counting.stateOf(snapshot, program);
  }

  /** Requests the cost of a program; does nothing if the document has the whole cost or if no kernel can answer. */
  async count(snapshot: Snapshot, program: number): Promise<void> {
    if (this._isOpen(snapshot, program)) {
      const params = { snapshot: snapshot.id, program };
      await this._counting.start(snapshot, program, params);
    }
  }

  /**
   * The peak rates of the machine: from the document of this run, or from another run on the same kind of device; null
   * if they were never measured.
   */
  machineOf(snapshot: Snapshot): Machine | null {
    const own = snapshot.machine ?? null;
    if (own !== null || this._isSaved(snapshot)) {
      return own;
    }
    for (const { snapshot: otherSnapshot, fromSaved } of this._model.runs) {
      const machine = otherSnapshot.machine ?? null;
      if (
        machine !== null &&
        !fromSaved &&
        otherSnapshot.environment.device === snapshot.environment.device
      ) {
        return machine;
      }
    }
    return null;
  }

  /**
   * True if a further request can add to the program's cost: the cost itself; a cost with the number of steps of a loop
   * that was recorded later; or XLA's own count, which takes long for a large program.
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
    this._changed.emit();
  }

  private _counting: Asking<'cost'>;
  private _changed = new Signal<this, void>(this);
}

const COSTS = new WeakMap<IJaxprModel, Costs>();

/** The costs of a model; all views and all cell editors get the same object. */
export function costsOf(model: IJaxprModel): Costs {
  let costs = COSTS.get(model);
  if (!costs) {
    costs = new Costs(model);
    COSTS.set(model, costs);
  }
  return costs;
}

/** Disconnects the costs of a disposed model, so that the model can leave the memory. */
export function releaseCosts(model: IJaxprModel): void {
  COSTS.get(model)?.release();
}
