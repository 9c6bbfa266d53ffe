/** Keeps the runs of a notebook, newest first, and how the kernels that made them ended. */
import { ChannelState, Loss } from '../kernel/channel-interface';
import { Snapshot } from '../protocol/snapshot';
import { IRun } from '../tokens';

/** The largest number of runs of a notebook in the panel; the kernel also keeps about this many runs for requests. */
export const RUNS_KEPT = 8;

/** A run, and the number of the kernel's life (from start to end or restart) in which it was made. */
export interface IKnownRun extends IRun {
  life: number;
  /** True for a saved copy that the panel shows by itself, until the kernel's first run arrives. */
  standsIn?: boolean;
}

/** The way in which a life of the kernel (from its start to its end or restart) ended, and the time of its end. */
export interface IEnd {
  loss: Loss | 'changed' | 'ended';
  since: Date;
}

/** Stands for the number of a kernel's life, for a run from a file or a saved copy. */
export const SAVED = -1;

/** The runs of one notebook, and the lives of its kernel. */
export class Runs {
  /** The runs, the newest first. */
  list: IKnownRun[] = [];
  view: IKnownRun | null = null;

  /** The number of the kernel's present life. */
  get life(): number {
    return this._life;
  }

  find(id: string): IKnownRun | undefined {
    return this.list.find(run => run.snapshot.id === id);
  }

  /** True if the list has the kernel's own document of a run. */
  knows(snapshot: Snapshot): boolean {
    return this.list.some(
      run => run.snapshot.id === snapshot.id && !run.fromSaved
    );
  }

  /** True if the list has no newer run of the same life of the kernel, that is, with no restart between them. */
  isLatest(run: IKnownRun): boolean {
    return !this.list.some(
      listed =>
        listed.life === run.life &&
        listed.snapshot.created > run.snapshot.created
    );
  }

  /**
   * Replaces the run that has the same id as `run`. Returns whether the replaced run was in view; null if no run has
   * the id.
   */
  replace(run: IKnownRun): boolean | null {
    const index = this.list.findIndex(
      listed => listed.snapshot.id === run.snapshot.id
    );
    if (index < 0) {
      return null;
    }
    const wasInView = this.list[index] === this.view;
    this.list[index] = run;
    return wasInView;
  }

  /** Adds a run in the order of time; drops the oldest run that is not in view, if there are too many. */
  keep(run: IKnownRun): void {
    const runs = [...this.list, run].sort(
      (a, b) => b.snapshot.created - a.snapshot.created
    );
    while (runs.length > RUNS_KEPT) {
      const oldest = [...runs]
        .reverse()
        .find(listed => listed !== this.view && listed !== run);
      runs.splice(runs.indexOf(oldest ?? runs[runs.length - 1]), 1);
    }
    this.list = runs;
  }

  /** Drops the saved copy that the panel shows by itself, even if it is in view, because the kernel has sent a run. */
  dropStandIn(): void {
    this.list = this.list.filter(run => run.standsIn !== true);
    if (this.view?.standsIn === true) {
      this.view = null;
    }
  }

  /** Drops the Live program of a cell, because the cell has run. */
  dropWritten(cellId: string | null): void {
    const isOfCell = (run: IKnownRun | null): boolean =>
      run?.isWritten === true && run.snapshot.cell?.id === cellId;
    this.list = this.list.filter(run => !isOfCell(run));
    if (isOfCell(this.view)) {
      this.view = null;
    }
  }

  /** End the kernel's life and begin the next life. */
  endLife(loss: IEnd['loss']): void {
    this._ends.set(this._life, { loss, since: new Date() });
    this._life++;
  }

  /** How the kernel that made a run was lost; null while it can still answer. */
  endOf(
    run: IKnownRun | null,
    state: ChannelState | null,
    disconnected: Date | null
  ): IEnd | null {
    if (run === null || run.fromSaved) {
      return null;
    }
    const end = this._ends.get(run.life);
    if (end !== undefined) {
      return end;
    }
    return state?.kind === 'lost'
      ? { loss: state.loss, since: disconnected ?? new Date() }
      : null;
  }

  /** True if the present kernel has sent a run with this id; a saved document may have any id. */
  isOfThisLife(id: string): boolean {
    return this.list.some(
      ({ snapshot, life }) => snapshot.id === id && life === this.life
    );
  }

  /**
   * The document of a run that the present kernel did not make, to be sent with a request; empty for a run that the
   * kernel has.
   */
  documentOf(id: string): { before_document?: Snapshot } {
    const run = this.find(id);
    return run === undefined || this.isOfThisLife(id)
      ? {}
      : { before_document: run.snapshot };
  }

  clear(): void {
    this.list = [];
    this.view = null;
  }

  private _life = 0;
  private _ends = new Map<number, IEnd>();
}
