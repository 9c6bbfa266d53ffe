/**
 * What runs the user's code again comes in, under a key; how far it is goes out, a question, why not, or what it gave.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { Snapshot, Working } from '../protocol/snapshot';
import type {
  IJaxprModel,
  ILongRequest,
  ILongRequestOptions,
  IRequests
} from '../tokens';

/** How far a long request is. */
export type LongState =
  | { kind: 'idle' }
  | {
      kind: 'working';
      /** When it was asked for, in milliseconds since 1970. */
      since: number;
      working: Working | null;
      stopping: boolean;
    }
  /** Nothing was run yet: it would repeat effects, or take long. */
  | { kind: 'confirm'; question: string }
  /** A sentence, with what to do. */
  | { kind: 'failed'; reason: string };

/** Asks the kernel; the options come from here. */
export type Ask<T> = (
  requests: IRequests,
  options: ILongRequestOptions
) => ILongRequest<T>;

interface IEntry<T> {
  state: LongState;
  ask: Ask<T> | null;
  request: ILongRequest<T> | null;
}

const IDLE: LongState = { kind: 'idle' };

/** Long requests of one kind, of one model: one at a time for each run and each part of it. */
export class LongWork<T> {
  constructor(private _model: IJaxprModel) {
    _model.changed.connect((_, change) => {
      if (change === 'snapshots') {
        this._forget();
      }
    });
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  stateOf(snapshot: Snapshot, part = 0): LongState {
    return this._entries.get(key(snapshot, part))?.state ?? IDLE;
  }

  /** Ask; does nothing where no kernel can answer or it is asked already. */
  start(snapshot: Snapshot, part: number, ask: Ask<T>): Promise<void> {
    return this._run(snapshot, part, ask, false);
  }

  /** The question is answered with yes. */
  confirm(snapshot: Snapshot, part = 0): Promise<void> {
    const entry = this._entries.get(key(snapshot, part));
    return entry?.state.kind === 'confirm' && entry.ask !== null
      ? this._run(snapshot, part, entry.ask, true)
      : Promise.resolve();
  }

  /** The question is answered with no. */
  dismiss(snapshot: Snapshot, part = 0): void {
    if (this.stateOf(snapshot, part).kind !== 'working') {
      this._change(snapshot, part, { state: IDLE, ask: null });
    }
  }

  /** End with what was done until now. */
  stop(snapshot: Snapshot, part = 0): void {
    this._tell(snapshot, part, { stopping: true });
    this._entries.get(key(snapshot, part))?.request?.stop();
  }

  private async _run(
    snapshot: Snapshot,
    part: number,
    ask: Ask<T>,
    confirmed: boolean
  ): Promise<void> {
    const { requests } = this._model;
    if (requests === null || this.stateOf(snapshot, part).kind === 'working') {
      return;
    }
    const request = ask(requests, {
      confirmed,
      working: working => this._tell(snapshot, part, { working })
    });
    this._change(snapshot, part, {
      ask,
      request,
      state: {
        kind: 'working',
        since: Date.now(),
        working: null,
        stopping: false
      }
    });
    try {
      const outcome = await request.result;
      this._end(
        snapshot,
        part,
        outcome.kind === 'confirm'
          ? { state: { kind: 'confirm', question: outcome.question } }
          : { state: IDLE }
      );
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this._end(snapshot, part, { state: { kind: 'failed', reason } });
    }
  }

  private _tell(
    snapshot: Snapshot,
    part: number,
    changes: { working: Working } | { stopping: boolean }
  ): void {
    const state = this.stateOf(snapshot, part);
    if (state.kind === 'working') {
      this._change(snapshot, part, { state: { ...state, ...changes } });
    }
  }

  private _end(
    snapshot: Snapshot,
    part: number,
    changes: Partial<IEntry<T>>
  ): void {
    if (!this._model.isDisposed) {
      this._change(snapshot, part, { ...changes, request: null });
    }
  }

  private _change(
    snapshot: Snapshot,
    part: number,
    changes: Partial<IEntry<T>>
  ): void {
    const at = key(snapshot, part);
    const before = this._entries.get(at) ?? {
      state: IDLE,
      ask: null,
      request: null
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

  private _entries = new Map<string, IEntry<T>>();
  private _changed = new Signal<this, void>(this);
}

function key(snapshot: Snapshot, part: number): string {
  return `${part} ${snapshot.id}`;
}
