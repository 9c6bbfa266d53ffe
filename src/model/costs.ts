/**
 * A model comes in; what its programs cost goes out, what the machine can do, and whether heat is to be seen.
 *
 * Costs are in the document. A program that was too large to be costed with it is counted on request.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Machine, ProgramCost, Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { heatChoice } from './heat-choice';
import { LongWork } from './long-work';

/** How far the counting of a program is. */
export type Counting =
  | { kind: 'idle' }
  /** Since then, in milliseconds since 1970. */
  | { kind: 'working'; since: number }
  /** A sentence, with what to do. */
  | { kind: 'failed'; reason: string };

const IDLE: Counting = { kind: 'idle' };

export class Costs {
  constructor(private _model: IJaxprModel) {
    this.machine = new LongWork<Machine>(_model);
    this.machine.changed.connect(() => this._changed.emit());
    // The choice is the page's, and lives as long as that.
    heatChoice.changed.connect(this._onHeat, this);
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The measuring of the machine: one for each run. */
  readonly machine: LongWork<Machine>;

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

  countingOf(snapshot: Snapshot, program: number): Counting {
    return this._countings.get(key(snapshot, program)) ?? IDLE;
  }

  /** Have a program counted; does nothing where it is, or where no kernel can answer. */
  async count(snapshot: Snapshot, program: number): Promise<void> {
    const { requests } = this._model;
    if (
      requests === null ||
      !this._isOpen(snapshot, program) ||
      this.countingOf(snapshot, program).kind === 'working'
    ) {
      return;
    }
    this._set(snapshot, program, { kind: 'working', since: Date.now() });
    try {
      await requests.ask('cost', { snapshot: snapshot.id, program });
      this._set(snapshot, program, IDLE);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this._set(snapshot, program, { kind: 'failed', reason });
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

  /** Whether the kernel has more to say: all of it, or XLA's numbers, which take long where a program is large. */
  private _isOpen(snapshot: Snapshot, program: number): boolean {
    const cost = this.costOf(snapshot, program);
    if (cost === null) {
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

  private _set(snapshot: Snapshot, program: number, counting: Counting): void {
    if (this._model.isDisposed) {
      return;
    }
    this._countings.set(key(snapshot, program), counting);
    const runs = new Set(this._model.runs.map(run => run.snapshot.id));
    for (const at of this._countings.keys()) {
      if (!runs.has(at.slice(at.indexOf(' ') + 1))) {
        this._countings.delete(at);
      }
    }
    this._changed.emit();
  }

  private _onHeat(): void {
    if (this._model.isDisposed) {
      heatChoice.changed.disconnect(this._onHeat, this);
    } else {
      this._changed.emit();
    }
  }

  private _countings = new Map<string, Counting>();
  private _changed = new Signal<this, void>(this);
}

function key(snapshot: Snapshot, program: number): string {
  return `${program} ${snapshot.id}`;
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
