/**
 * Holds which two programs are compared, and which kinds of lines the views of a diff hide. A diff itself is in the
 * document of its later program.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { DiffSide, Program, ProgramDiff, Snapshot } from '../protocol/snapshot';
import type {
  IComparedProgram,
  IJaxprModel,
  IProgramRef,
  LevelName
} from '../tokens';
import { Asking, askingOf } from './request-state';
import { merge } from './merged-answers';
import { earlierVersion } from './earlier-program';
import { suggestedPartner } from './suggested-pair';
import { usersPrograms } from './users-programs';

/** The two programs of a diff and the level at which they are compared. */
export interface IDiffChoice {
  readonly before: IProgramRef;
  readonly after: IProgramRef;
  readonly level: LevelName;
}

/** A kind of noise in a diff, such as a broadcast; the user can hide lines that are noise. */
export type DiffNoise = NonNullable<DiffSide['noise']>[number];

export type DiffState =
  | { kind: 'idle' }
  | { kind: 'working' }
  /** The request for the diff failed; `reason` is a sentence that also says what the user can do. */
  | { kind: 'failed'; reason: string }
  | { kind: 'done'; diff: ProgramDiff };

/** Compares programs of documents; rejects with an Error whose message is a sentence for the user. */
export type Comparer = (
  before: IComparedProgram,
  after: IComparedProgram,
  level: LevelName
) => Promise<ProgramDiff>;

const IDLE: DiffState = { kind: 'idle' };

export class Diffs {
  constructor(private _model: IJaxprModel) {
    this._asking = askingOf(_model, 'diff');
    const emit = (): void => this._changed.emit();
    this._asking.changed.connect(emit);
    _model.changed.connect((_, change) => {
      if (change === 'snapshots' || change === 'results') {
        emit();
      }
    });
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Compares programs of runs from files; null if the kernel compares them. */
  comparer: Comparer | null = null;

  /** True if the diff of two programs can be requested at present. */
  canAsk(choice: IDiffChoice): boolean {
    return this._comparerOf(choice) !== null || this._model.requests !== null;
  }

  /** The pair that the user chose in the panel; null for the suggested pair. */
  get chosen(): IDiffChoice | null {
    const chosen = this._chosen;
    return chosen !== null && this._holds(chosen) ? chosen : null;
  }

  set chosen(chosen: IDiffChoice | null) {
    this._chosen = chosen;
    this._changed.emit();
  }

  /** The kinds of lines that every diff hides, on both sides. */
  get hidden(): ReadonlySet<DiffNoise> {
    return this._hidden;
  }

  set hidden(hidden: ReadonlySet<DiffNoise>) {
    this._hidden = hidden;
    this._changed.emit();
  }

  /** The pair that is suggested for the program in view; null if there is none. */
  get suggested(): IDiffChoice | null {
    const { snapshot, program, runs } = this._model;
    if (snapshot === null || program < 0) {
      return null;
    }
    const after = { snapshot: snapshot.id, program };
    const before = suggestedPartner(runs, after, this.programs());
    if (before === null) {
      return null;
    }
    // Within a run, programs are in the order in which JAX made them.
    const isLater =
      before.snapshot === after.snapshot && before.program > after.program;
    return isLater
      ? { before: after, after: before, level: 'jaxpr' }
      : { before, after, level: 'jaxpr' };
  }

  /** The programs of the user's code in all runs, the newest run first. */
  programs(): IProgramRef[] {
    return this._model.runs.flatMap(({ snapshot }) =>
      usersPrograms(snapshot).map(program => ({
        snapshot: snapshot.id,
        program
      }))
    );
  }

  /** The program of an earlier run that became this program by an edit; null if there is none. */
  previous(program: IProgramRef): IProgramRef | null {
    return earlierVersion(this._model.runs, program);
  }

  stateOf(choice: IDiffChoice): DiffState {
    const run = this._run(choice.after);
    if (run === undefined) {
      return IDLE;
    }
    const diff = run.diffs?.find(stored => key(stored) === key(choice));
    if (diff !== undefined) {
      return { kind: 'done', diff };
    }
    if (this._comparerOf(choice) !== null) {
      return this._compared.get(run)?.get(key(choice)) ?? IDLE;
    }
    const state = this._asking.stateOf(run, key(choice));
    switch (state.kind) {
      case 'working':
        return { kind: 'working' };
      case 'failed':
        return state;
      default:
        return IDLE;
    }
  }

  /** Requests the diff of two programs; does nothing if the diff exists already or no kernel can answer. */
  async ask(choice: IDiffChoice): Promise<void> {
    const { requests } = this._model;
    const { before, after, level } = choice;
    const run = this._run(after);
    const { kind } = this.stateOf(choice);
    const comparer = this._comparerOf(choice);
    if (comparer !== null) {
      if (kind === 'idle' || kind === 'failed') {
        await this._compare(comparer, choice);
      }
      return;
    }
    if (requests === null || run === undefined || kind === 'done') {
      return;
    }
    await this._asking.start(run, key(choice), {
      snapshot: after.snapshot,
      program: after.program,
      before: before.snapshot,
      before_program: before.program,
      level,
      ...requests.documentOf(before.snapshot)
    });
  }

  /**
   * The function that compares the programs if the kernel does not hold the later run (a Live program, or a run from a
   * file); else null.
   */
  private _comparerOf({ after }: IDiffChoice): Comparer | null {
    const isWritten = this._model.runs.some(
      run => run.snapshot.id === after.snapshot && run.isWritten === true
    );
    return isWritten ? this._compareWritten : this.comparer;
  }

  private _compareWritten: Comparer = (before, written, level) =>
    this._model.compareWritten(before, written, level);

  private async _compare(
    compare: Comparer,
    choice: IDiffChoice
  ): Promise<void> {
    const { before, after, level } = choice;
    const [earlier, later] = [this._run(before), this._run(after)];
    if (earlier === undefined || later === undefined) {
      return;
    }
    const states = this._compared.get(later) ?? new Map<string, DiffState>();
    this._compared.set(later, states);
    const set = (state: DiffState): void => {
      states.set(key(choice), state);
      this._changed.emit();
    };
    set({ kind: 'working' });
    try {
      const diff = await compare(
        { document: earlier, program: before.program },
        { document: later, program: after.program },
        level
      );
      merge(later, 'diff', diff);
      set(IDLE);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      set({ kind: 'failed', reason });
    }
  }

  private _run(ref: IProgramRef): Snapshot | undefined {
    return this._model.runs.find(run => run.snapshot.id === ref.snapshot)
      ?.snapshot;
  }

  private _program(ref: IProgramRef): Program | undefined {
    return this._run(ref)?.programs[ref.program];
  }

  private _holds({ before, after }: IDiffChoice): boolean {
    return (
      this._program(before) !== undefined && this._program(after) !== undefined
    );
  }

  private _asking: Asking<'diff'>;
  /** The comparisons that have no answer yet, or failed: later document -> state of each choice. */
  private _compared = new WeakMap<Snapshot, Map<string, DiffState>>();
  private _chosen: IDiffChoice | null = null;
  private _hidden: ReadonlySet<DiffNoise> = new Set();
  private _changed = new Signal<this, void>(this);
}

/** A key for a pair of programs and a level; a choice and its diff have the same key. */
function key({ before, after, level }: IDiffChoice): string {
  return [
    level,
    before.program,
    after.program,
    before.snapshot,
    after.snapshot
  ].join(' ');
}

const diffsByModel = new WeakMap<IJaxprModel, Diffs>();

/** The diffs of a model; every call returns the same object. */
export function diffsOf(model: IJaxprModel): Diffs {
  const diffs = diffsByModel.get(model) ?? new Diffs(model);
  diffsByModel.set(model, diffs);
  return diffs;
}
