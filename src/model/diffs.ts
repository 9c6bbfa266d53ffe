/** Holds the diffs of two programs of a model's runs that were asked for. */
import { ISignal, Signal } from '@lumino/signaling';

import { DiffSide, Program, ProgramDiff, Snapshot } from '../protocol/snapshot';
import type { IJaxprModel, IProgramRef, LevelName } from '../tokens';
import { earlierProgram, isSameFunction, signatureOf } from './earlier-program';
import { usersPrograms } from './users-programs';

/** What is compared with what. */
export interface IDiffQuestion {
  readonly before: IProgramRef;
  readonly after: IProgramRef;
  readonly level: LevelName;
}

/** A kind of lines that can be hidden. */
export type DiffNoise = NonNullable<DiffSide['noise']>[number];

export type DiffState =
  | { kind: 'idle' }
  | { kind: 'working' }
  /** A sentence, with what to do. */
  | { kind: 'failed'; reason: string }
  | { kind: 'done'; diff: ProgramDiff };

/** Compares programs of documents that no kernel holds; rejects with an Error whose message is a sentence. */
export type Comparer = (
  before: { document: Snapshot; program: number },
  after: { document: Snapshot; program: number },
  level: LevelName
) => Promise<ProgramDiff>;

const IDLE: DiffState = { kind: 'idle' };

export class Diffs {
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

  /** Compares runs of files; null where a kernel does. */
  comparer: Comparer | null = null;

  /** Whether somebody can compare programs now. */
  get canAsk(): boolean {
    return this.comparer !== null || this._model.requests !== null;
  }

  /** What the user chose in the panel; null for what suggests itself. */
  get chosen(): IDiffQuestion | null {
    const chosen = this._chosen;
    return chosen !== null && this._holds(chosen) ? chosen : null;
  }

  set chosen(chosen: IDiffQuestion | null) {
    this._chosen = chosen;
    this._changed.emit();
  }

  /** What is hidden in all diffs, of both programs alike. */
  get hidden(): ReadonlySet<DiffNoise> {
    return this._hidden;
  }

  set hidden(hidden: ReadonlySet<DiffNoise>) {
    this._hidden = hidden;
    this._changed.emit();
  }

  /**
   * The program in view with the one that it became of, or with another one of the same function or of the same
   * signature; null where there is none: the diff of two others says nothing.
   */
  get suggested(): IDiffQuestion | null {
    const { snapshot, program } = this._model;
    if (snapshot === null || program < 0) {
      return null;
    }
    const after = { snapshot: snapshot.id, program };
    const shown = snapshot.programs[program];
    const others = this.programs().filter(
      one => one.snapshot !== after.snapshot || one.program !== program
    );
    const like = (matches: (other: Program) => boolean): IProgramRef | null =>
      others.find(one => {
        const other = this._program(one);
        return other !== undefined && matches(other);
      }) ?? null;
    const before =
      this.previous(after) ??
      like(other => isSameFunction(shown, other)) ??
      like(other => signatureOf(shown) === signatureOf(other));
    return before === null ? null : { before, after, level: 'jaxpr' };
  }

  /** The programs of the user's code in all runs, newest run first. */
  programs(): IProgramRef[] {
    return this._model.runs.flatMap(({ snapshot }) =>
      usersPrograms(snapshot).map(program => ({
        snapshot: snapshot.id,
        program
      }))
    );
  }

  /** The program of an earlier run that a program became of; null where there is none. */
  previous(of: IProgramRef): IProgramRef | null {
    const run = this._model.runs.find(one => one.snapshot.id === of.snapshot);
    if (run?.snapshot.programs[of.program] === undefined) {
      return null;
    }
    const earlier = this._model.runs.filter(
      ({ snapshot }) => snapshot.created < run.snapshot.created
    );
    return earlierProgram(run, of.program, earlier);
  }

  stateOf(question: IDiffQuestion): DiffState {
    return this._states.get(key(question)) ?? IDLE;
  }

  /** Have two programs compared; does nothing where they are, or where no kernel can answer. */
  async ask(question: IDiffQuestion): Promise<void> {
    const { requests } = this._model;
    const { kind } = this.stateOf(question);
    if (!this.canAsk || kind === 'working' || kind === 'done') {
      return;
    }
    this._set(question, { kind: 'working' });
    try {
      const { before, after, level } = question;
      const diff = await (this.comparer === null
        ? requests?.ask('diff', {
            snapshot: after.snapshot,
            program: after.program,
            before: before.snapshot,
            before_program: before.program,
            level,
            ...requests.documentOf(before.snapshot)
          })
        : this.comparer(this._side(before), this._side(after), level));
      if (diff === undefined) {
        return; // the kernel has gone
      }
      this._set(question, { kind: 'done', diff });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this._set(question, { kind: 'failed', reason });
    }
  }

  /** A diff has come with a program; it takes the place of what was known of earlier programs of that run. */
  take(run: string, diff: ProgramDiff | null): void {
    for (const [at, question] of this._questions) {
      if (question.after.snapshot === run) {
        this._states.delete(at);
        this._questions.delete(at);
      }
    }
    if (diff !== null) {
      const { before, after } = diff;
      const question: IDiffQuestion = {
        before: { snapshot: before.snapshot, program: before.program },
        after: { snapshot: after.snapshot, program: after.program },
        level: 'jaxpr'
      };
      this._set(question, { kind: 'done', diff });
    }
  }

  private _program(ref: IProgramRef): Program | undefined {
    return this._model.runs.find(one => one.snapshot.id === ref.snapshot)
      ?.snapshot.programs[ref.program];
  }

  private _side({ snapshot, program }: IProgramRef): {
    document: Snapshot;
    program: number;
  } {
    const run = this._model.runs.find(one => one.snapshot.id === snapshot);
    if (run === undefined) {
      throw new Error(snapshot); // asked only of runs that can be chosen
    }
    return { document: run.snapshot, program };
  }

  private _holds({ before, after }: IDiffQuestion): boolean {
    return (
      this._program(before) !== undefined && this._program(after) !== undefined
    );
  }

  private _set(question: IDiffQuestion, state: DiffState): void {
    if (!this._model.isDisposed) {
      this._states.set(key(question), state);
      this._questions.set(key(question), question);
      this._changed.emit();
    }
  }

  /** Let go of what belongs to runs that can no longer be chosen. */
  private _forget(): void {
    for (const [at, question] of this._questions) {
      if (!this._holds(question)) {
        this._states.delete(at);
        this._questions.delete(at);
      }
    }
  }

  private _states = new Map<string, DiffState>();
  private _questions = new Map<string, IDiffQuestion>();
  private _chosen: IDiffQuestion | null = null;
  private _hidden: ReadonlySet<DiffNoise> = new Set();
  private _changed = new Signal<this, void>(this);
}

function key({ before, after, level }: IDiffQuestion): string {
  return [
    level,
    before.program,
    after.program,
    before.snapshot,
    after.snapshot
  ].join(' ');
}

const known = new WeakMap<IJaxprModel, Diffs>();

/** The diffs of a model; the same object each time. */
export function diffsOf(model: IJaxprModel): Diffs {
  const found = known.get(model) ?? new Diffs(model);
  known.set(model, found);
  return found;
}
