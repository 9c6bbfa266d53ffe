/**
 * Holds the source files of a run that were requested.
 *
 * The document contains the source of cells only. The kernel sends a file on request, if its text is still the one that
 * ran.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { Snapshot, SourcePage } from '../protocol/snapshot';
import type { IRequests } from '../tokens';

/** The state of the request for a file. */
export type FileState =
  | { kind: 'idle' }
  | { kind: 'reading' }
  /** The kernel has answered: `page` has the file, or `page.missing` says why the file cannot be shown. */
  | { kind: 'read'; page: SourcePage }
  /** The kernel did not answer; the reason is a sentence. */
  | { kind: 'failed'; reason: string };

const IDLE: FileState = { kind: 'idle' };

export class SourceFiles {
  constructor(private _snapshot: Snapshot) {}

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** True if a kernel can answer. */
  get canAsk(): boolean {
    return this._requests() !== null;
  }

  /** Sets the function that returns the requests of the model. */
  askBy(requests: () => IRequests | null): void {
    this._requests = requests;
  }

  stateOf(path: string): FileState {
    return this._states.get(path) ?? IDLE;
  }

  /** True if the user has opened this library file. */
  isOpen(path: string): boolean {
    return this._opened.has(path);
  }

  /** Open or close the file of a library. */
  toggle(path: string): void {
    if (!this._opened.delete(path)) {
      this._opened.add(path);
      void this.ask(path);
    }
    this._changed.emit();
  }

  /** A line of a file, from 1; null if the file has not arrived. */
  line(path: string, line: number): string | null {
    const state = this.stateOf(path);
    if (state.kind === 'read') {
      for (const { first_line, text } of state.page.stretches) {
        const sourceLine = text.split('\n')[line - first_line];
        if (line >= first_line && sourceLine !== undefined) {
          return sourceLine;
        }
      }
    }
    return null;
  }

  /** Request a file; does nothing if the file was requested or if no kernel can answer. */
  ask(path: string): Promise<void> {
    const requests = this._requests();
    const pending = this._asked.get(path);
    if (pending || requests === null || this.stateOf(path).kind === 'read') {
      return pending ?? Promise.resolve();
    }
    const asking = this._ask(path, requests).finally(() =>
      this._asked.delete(path)
    );
    this._asked.set(path, asking);
    return asking;
  }

  private async _ask(path: string, requests: IRequests): Promise<void> {
    this._set(path, { kind: 'reading' });
    try {
      const page = await requests.ask('source', {
        snapshot: this._snapshot.id,
        path
      });
      this._set(path, { kind: 'read', page });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this._set(path, { kind: 'failed', reason });
    }
  }

  private _set(path: string, state: FileState): void {
    this._states.set(path, state);
    this._changed.emit();
  }

  private _requests: () => IRequests | null = () => null;
  /** path of a file -> the request for its text, while the request is in progress */
  private _asked = new Map<string, Promise<void>>();
  private _states = new Map<string, FileState>();
  private _opened = new Set<string>();
  private _changed = new Signal<this, void>(this);
}

const KNOWN = new WeakMap<Snapshot, SourceFiles>();

/** The files of a run; all views of the run get the same object. */
export function sourceFilesOf(snapshot: Snapshot): SourceFiles {
  let files = KNOWN.get(snapshot);
  if (!files) {
    files = new SourceFiles(snapshot);
    KNOWN.set(snapshot, files);
  }
  return files;
}
