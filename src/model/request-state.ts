/**
 * Holds the state of each request to the kernel, by run and part: the progress, a confirmation that the kernel asks
 * for, or the reason why there is no answer. The answer itself is in the document of the run.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { Answer, Params, RequestName } from '../protocol/request-types';
import { Snapshot, Working } from '../protocol/snapshot';
import type { IJaxprModel, ILongRequest } from '../tokens';

/** The state of a request: not sent, in progress, waiting for the user's confirmation, or failed. */
export type AskingState =
  | { kind: 'idle' }
  | {
      kind: 'working';
      /** When the request was sent, in milliseconds since 1970. */
      since: number;
      working: Working | null;
      stopping: boolean;
    }
  /** The kernel has run nothing yet and asks for a confirmation: the run would repeat effects, or take long. */
  | { kind: 'confirm'; question: string }
  /** `reason` is a sentence on why the request failed, which says what the user can do. */
  | { kind: 'failed'; reason: string };

/** What a request is about within a run: a program, a construct, or a kind of answer. */
export type Part = number | string;

interface IEntry<Name extends RequestName> {
  state: AskingState;
  params: Params<Name> | null;
  request: ILongRequest<Answer<Name>> | null;
}

const IDLE: AskingState = { kind: 'idle' };

/** The requests of one kind for one model; there is at most one at a time for each part of a run. */
export class Asking<Name extends RequestName> {
  constructor(
    private _model: IJaxprModel,
    private _name: Name
  ) {
    _model.changed.connect((_, change) => {
      if (change === 'snapshots') {
        this._forget();
      }
    });
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  stateOf(snapshot: Snapshot, part: Part = 0): AskingState {
    return this._entries.get(key(snapshot, part))?.state ?? IDLE;
  }

  /** Sends a request; does nothing if no kernel can answer or the same request is in progress. */
  start(snapshot: Snapshot, part: Part, params: Params<Name>): Promise<void> {
    return this._run(snapshot, part, params, false);
  }

  /** Sends the request again as confirmed by the user; the kernel then does the work. */
  confirm(snapshot: Snapshot, part: Part = 0): Promise<void> {
    const entry = this._entries.get(key(snapshot, part));
    return entry?.state.kind === 'confirm' && entry.params !== null
      ? this._run(snapshot, part, entry.params, true)
      : Promise.resolve();
  }

  /** Forgets a question that the user has declined, or a failure whose message the user has closed. */
  dismiss(snapshot: Snapshot, part: Part = 0): void {
    if (this.stateOf(snapshot, part).kind !== 'working') {
      this._change(snapshot, part, { state: IDLE, params: null });
    }
  }

  /** Stops the request; the kernel sends the results so far. */
  stop(snapshot: Snapshot, part: Part = 0): void {
    this._tell(snapshot, part, { stopping: true });
    this._entries.get(key(snapshot, part))?.request?.stop();
  }

  private async _run(
    snapshot: Snapshot,
    part: Part,
    params: Params<Name>,
    confirmed: boolean
  ): Promise<void> {
    const { requests } = this._model;
    if (requests === null || this.stateOf(snapshot, part).kind === 'working') {
      return;
    }
    const request = requests.begin(this._name, params, {
      confirmed,
      working: working => this._tell(snapshot, part, { working })
    });
    this._change(snapshot, part, {
      params,
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
    part: Part,
    changes: { working: Working } | { stopping: boolean }
  ): void {
    const state = this.stateOf(snapshot, part);
    if (state.kind === 'working') {
      this._change(snapshot, part, { state: { ...state, ...changes } });
    }
  }

  private _end(
    snapshot: Snapshot,
    part: Part,
    changes: Partial<IEntry<Name>>
  ): void {
    if (!this._model.isDisposed) {
      this._change(snapshot, part, { ...changes, request: null });
    }
  }

  private _change(
    snapshot: Snapshot,
    part: Part,
    changes: Partial<IEntry<Name>>
  ): void {
    const at = key(snapshot, part);
    const before = this._entries.get(at) ?? {
      state: IDLE,
      params: null,
      request: null
    };
    this._entries.set(at, { ...before, ...changes });
    this._forget();
    this._changed.emit();
  }

  /** Forget the requests of runs that the user can no longer choose. */
  private _forget(): void {
    const runs = new Set(this._model.runs.map(({ snapshot }) => snapshot.id));
    for (const at of this._entries.keys()) {
      if (!runs.has(at.slice(0, at.lastIndexOf('\n')))) {
        this._entries.delete(at);
      }
    }
  }

  private _entries = new Map<string, IEntry<Name>>();
  private _changed = new Signal<this, void>(this);
}

function key(snapshot: Snapshot, part: Part): string {
  return `${snapshot.id}\n${part}`;
}

type Askings = { [Name in RequestName]?: Asking<Name> };

const askingsByModel = new WeakMap<IJaxprModel, Askings>();

/** The requests of one kind for a model; all views get the same object. */
export function askingOf<Name extends RequestName>(
  model: IJaxprModel,
  name: Name
): Asking<Name> {
  const askings = askingsByModel.get(model) ?? {};
  askingsByModel.set(model, askings);
  const asking: Asking<Name> = askings[name] ?? new Asking(model, name);
  (askings as Record<Name, Asking<Name>>)[name] = asking;
  return asking;
}
