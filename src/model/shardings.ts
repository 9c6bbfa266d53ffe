/**
 * A model comes in; how its programs are spread over devices goes out.
 *
 * The shardings are in the document. The collectives of a program that was too large to be read with it are read on
 * request.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { ProgramShardings, Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { linksOf } from './links';

/** How far the reading of a program's collectives is. */
export type Reading =
  | { kind: 'idle' }
  | { kind: 'working' }
  /** A sentence, with what to do. */
  | { kind: 'failed'; reason: string };

const IDLE: Reading = { kind: 'idle' };

export class Shardings {
  constructor(private _model: IJaxprModel) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** How a program is spread; null where it runs on one device, or was not compiled. */
  of(snapshot: Snapshot, program: number): ProgramShardings | null {
    return snapshot.shardings?.find(one => one.program === program) ?? null;
  }

  readingOf(snapshot: Snapshot, program: number): Reading {
    return this._readings.get(snapshot)?.get(program) ?? IDLE;
  }

  /** Have the collectives of a program read; does nothing where they are, or where no kernel can answer. */
  async read(snapshot: Snapshot, program: number): Promise<void> {
    const { requests } = this._model;
    const known = this.of(snapshot, program);
    if (
      requests === null ||
      known === null ||
      (known.collectives ?? null) !== null ||
      this.readingOf(snapshot, program).kind === 'working'
    ) {
      return;
    }
    this._set(snapshot, program, { kind: 'working' });
    try {
      const found = await requests.ask('shardings', {
        snapshot: snapshot.id,
        program
      });
      linksOf(snapshot, program).addCollectives(found.collectives ?? []);
      this._set(snapshot, program, IDLE);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this._set(snapshot, program, { kind: 'failed', reason });
    }
  }

  private _set(snapshot: Snapshot, program: number, reading: Reading): void {
    const readings = this._readings.get(snapshot) ?? new Map();
    this._readings.set(snapshot, readings.set(program, reading));
    if (!this._model.isDisposed) {
      this._changed.emit();
    }
  }

  private _readings = new WeakMap<Snapshot, Map<number, Reading>>();
  private _changed = new Signal<this, void>(this);
}

const known = new WeakMap<IJaxprModel, Shardings>();

/** The shardings of a model; the same object for all views of it. */
export function shardingsOf(model: IJaxprModel): Shardings {
  const found = known.get(model) ?? new Shardings(model);
  known.set(model, found);
  return found;
}
