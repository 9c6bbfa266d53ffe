/**
 * Holds the shardings of a model's programs.
 *
 * The shardings are in the document. The collectives of a program that was too large are read on request.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { ProgramShardings, Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { Asking, AskingState, askingOf } from './request-state';
import { linksOf } from './links';

export class Shardings {
  constructor(model: IJaxprModel) {
    this._reading = askingOf(model, 'shardings');
    this._reading.changed.connect(() => this._changed.emit());
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The shardings of a program; null if it runs on one device or was not compiled. */
  of(snapshot: Snapshot, program: number): ProgramShardings | null {
    return (
      snapshot.shardings?.find(sharding => sharding.program === program) ?? null
    );
  }

  /** The state of the request that reads a program's collectives. */
  readingOf(snapshot: Snapshot, program: number): AskingState {
    return this._reading.stateOf(snapshot, program);
  }

  /** Requests the collectives of a program; does nothing if the document has them or no kernel can answer. */
  async read(snapshot: Snapshot, program: number): Promise<void> {
    const shardings = this.of(snapshot, program);
    if (shardings === null || (shardings.collectives ?? null) !== null) {
      return;
    }
    const params = { snapshot: snapshot.id, program };
    await this._reading.start(snapshot, program, params);
    const collectives = this.of(snapshot, program)?.collectives ?? null;
    if (collectives !== null) {
      linksOf(snapshot, program).addCollectives(collectives);
      this._changed.emit();
    }
  }

  private _reading: Asking<'shardings'>;
  private _changed = new Signal<this, void>(this);
}

const shardingsByModel = new WeakMap<IJaxprModel, Shardings>();

/** The shardings of a model; all views of the model get the same object. */
export function shardingsOf(model: IJaxprModel): Shardings {
  const shardings = shardingsByModel.get(model) ?? new Shardings(model);
  shardingsByModel.set(model, shardings);
  return shardings;
}
