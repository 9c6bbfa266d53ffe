/**
 * The contracts between the rooms of the browser side: what a model offers to views and to the editor.
 */
import { Token } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal } from '@lumino/signaling';

import type { EvaluableText } from './protocol/evaluable';
import type {
  Answer,
  Params,
  RequestName,
  ShortName
} from './protocol/request-types';
import {
  Environment,
  LiveProgram,
  ProgramDiff,
  Progress,
  Snapshot,
  Working
} from './protocol/snapshot';

/** The name of a level: one of the texts of a program. */
export type LevelName = 'jaxpr' | 'stablehlo' | 'hlo';

/** Identifies an equation by the index of its scope and by its index in the scope. */
export interface IEquationRef {
  scope: number;
  equation: number;
}

/**
 * The user's selection, made in any view or cell:
 * - equations: one equation or a group of equations, in the jaxpr.
 * - text: a line of StableHLO or HLO, from 0.
 * - caret: a place in a cell: line from 1, column from 0 in UTF-16 code units.
 * - source: a place in a file of the run, a cell as it ran or a module, by its path.
 */
export type Selection =
  | { kind: 'equations'; equations: IEquationRef[] }
  | { kind: 'text'; level: 'stablehlo' | 'hlo'; line: number; stack: number }
  | { kind: 'caret'; cellId: string; line: number; column: number }
  | { kind: 'source'; path: string; line: number; column: number };

/** The state of the kernel side, as far as the page knows. */
export type Status =
  | { kind: 'no-notebook' }
  | { kind: 'no-kernel' }
  | { kind: 'connecting' }
  /**
   * The kernel runs, but the extension is not loaded in it. `hasNoJax` is present if the kernel runs in the browser,
   * where JAX does not run.
   */
  | { kind: 'not-loaded'; hasNoJax?: true }
  | { kind: 'ready'; environment: Environment }
  | { kind: 'running'; environment: Environment | null; progress: Progress }
  /**
   * The kernel restarted or died, or the connection was lost: the panel shows an earlier run. `reason` and `cure` are
   * sentences; `again` says how the panel can apply the cure, null if the panel cannot.
   */
  | {
      kind: 'stale';
      reason: string;
      since: Date;
      cure: string;
      again: 'load and run' | 'run' | null;
    }
  /** The run in view was read from files; no kernel belongs to it. */
  | { kind: 'file' }
  /** The versions in kernel and page are incompatible, or the document cannot be read; the reason is a sentence. */
  | { kind: 'unusable'; reason: string };

/** The part of a model that has changed. */
export type ModelChange =
  | 'status'
  | 'snapshots'
  | 'program'
  /** The document of a run has received the answer to a request. */
  | 'results'
  | 'hover'
  | 'selection'
  | 'failure'
  | 'paused';

/** The result of a long request, or the question that the kernel asks before it runs code. */
export type Outcome<T> =
  | { kind: 'done'; value: T }
  /**
   * The kernel has run nothing, because effects would repeat or the work takes long. After the user confirms, ask again
   * with `confirmed`.
   */
  | { kind: 'confirm'; question: string };

/** A request that may run the user's code again: it may take long, and can be stopped. */
export interface ILongRequest<T> {
  /** The result; rejects with an Error whose message is a sentence for the user. */
  readonly result: Promise<Outcome<T>>;
  /** Asks the kernel to stop; `result` then has the work until that moment. */
  stop(): void;
}

export interface ILongRequestOptions {
  /** True if the user has confirmed the question of an earlier `confirm`. */
  confirmed?: boolean;
  /** Takes the progress of the work, about once a second. */
  working?: (working: Working) => void;
}

/** A sweep, as texts that the user typed or that the panel proposed. */
export interface ISweepChoice {
  /** The values of the sweep, such as n=64,256,1024. */
  sweep: EvaluableText;
  /** The call to time, such as f(make(n)). */
  call: EvaluableText;
  /** The names of functions to time in place of the function in `call`; may be empty. */
  functions: readonly EvaluableText[];
}

/** Identifies a program: the id of a run that the kernel has, and the index of the program in the run. */
export interface IProgramRef {
  /** The id of the run's snapshot. */
  readonly snapshot: string;
  readonly program: number;
}

/** A program, with the document that contains it. */
export interface IComparedProgram {
  readonly document: Snapshot;
  readonly program: number;
}

/**
 * Requests to the kernel about a run that this kernel has made; each rejects with an Error whose message is a sentence.
 */
export interface IRequests {
  /** Sends a short request: the kernel answers at once, without progress, and runs no code of the user. */
  ask<Name extends ShortName>(
    type: Name,
    params: Params<Name>
  ): Promise<Answer<Name>>;
  /** Sends a request and reports its progress; a long request may run the user's code again. */
  begin<Name extends RequestName>(
    type: Name,
    params: Params<Name>,
    options?: ILongRequestOptions
  ): ILongRequest<Answer<Name>>;
  /**
   * Asks the kernel to trace the call that the snapshot offers to trace; when no cell runs, the kernel sends the
   * snapshot again.
   */
  retrace(snapshot: string): void;
  /**
   * The document of a run that this kernel did not make, to be sent with a request; empty for a run that the kernel
   * holds.
   */
  documentOf(snapshot: string): { before_document?: Snapshot };
}

/** A run that the user can choose. */
export interface IRun {
  readonly snapshot: Snapshot;
  /** True if the run was read from a notebook instead of received from its kernel. */
  readonly fromSaved: boolean;
  /** True for a trace of the written text of a cell that has not run; no kernel holds such a run. */
  readonly isWritten?: boolean;
}

/** A failure of this extension, as the kernel or the browser reported it. */
export interface IFailure {
  text: string;
  cure: string | null;
  detail: string | null;
}

/**
 * The state of the panel for one notebook. Views read it and listen to `changed`; they keep no copy.
 */
export interface IJaxprModel extends IDisposable {
  readonly changed: ISignal<IJaxprModel, ModelChange>;
  readonly status: Status;
  /** The snapshot in view, validated; null when there is none. */
  readonly snapshot: Snapshot | null;
  /** True if a saved copy of a notebook is in view instead of the kernel's latest run. */
  readonly fromSaved: boolean;
  /** True if the program in view is a trace of a cell's text that has not run. */
  readonly isWritten: boolean;
  /** The runs that can be chosen, newest first, with the run in view. */
  readonly runs: readonly IRun[];
  /** The index into the snapshot's programs; -1 when there is none. */
  readonly program: number;
  /** The place under the mouse, which views preview. */
  readonly hover: Selection | null;
  /** The place that the user clicked, or the place of the caret; it stays selected when the mouse moves away. */
  readonly selection: Selection | null;
  /** The last failure of this extension; null after the next snapshot. */
  readonly failure: IFailure | null;
  /** True while paused: new snapshots wait, and `waiting` says how many. */
  readonly paused: boolean;
  readonly waiting: number;
  /** The requests; null if no kernel can answer (a saved output, a dead kernel). */
  readonly requests: IRequests | null;

  setProgram(index: number): void;
  /** Put the run with this id in view; does nothing if no run has the id. */
  setRun(id: string): void;
  setHover(selection: Selection | null): void;
  setSelection(selection: Selection | null): void;
  setPaused(paused: boolean): void;
  /** Keep the program in view when later runs arrive, or stop keeping it. */
  setPinned(pinned: boolean): void;
  readonly pinned: boolean;
  /** Replaces the snapshot in view, for example when a saved output is opened. */
  show(snapshot: Snapshot, fromSaved: boolean): void;
  /** Shows the program of a cell's written text, in place of the program of its earlier text. */
  showWritten(snapshot: Snapshot): void;
  /** Asks the kernel what a cell would show with its present text; rejects with a sentence. */
  traceWritten(params: Params<'live'>): Promise<LiveProgram>;
  /** Compares a program of a run with the program of a cell's written text; rejects with a sentence. */
  compareWritten(
    before: IComparedProgram,
    written: IComparedProgram,
    level: LevelName
  ): Promise<ProgramDiff>;
  /** Show a saved copy until the first run of the kernel comes; does nothing where a run is in view. */
  standIn(snapshot: Snapshot): void;
  /** Remove the failure, because the user has read it. */
  dismissFailure(): void;
}

/** The models of the open notebooks, and the model of the notebook in front. */
export interface IJaxprTracker {
  readonly current: IJaxprModel | null;
  readonly currentChanged: ISignal<IJaxprTracker, IJaxprModel | null>;
  /** Open the panel on a snapshot read from a saved output of the current notebook. */
  open(snapshot: Snapshot): void;
  /** Emits when the panel should be shown: after a click (`user`), or at the first run of a notebook (`run`). */
  readonly panelRequested: ISignal<IJaxprTracker, 'user' | 'run'>;
}

/** The token of the tracker of the models of open notebooks, for other extensions. */
export const IJaxprTracker = new Token<IJaxprTracker>(
  'jupyter-jaxpr:IJaxprTracker',
  'The programs that JAX made of the cells of each open notebook.'
);
