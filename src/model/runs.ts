/** Keeps the runs of a notebook and the ends of the kernels that made them, the newest first. */
import { ChannelState, Loss } from '../kernel/channel';
import { Snapshot } from '../protocol/snapshot';
import { IRun } from '../tokens';

/** The kernel keeps as many runs for requests; older ones cannot be asked about. */
export const RUNS_KEPT = 8;

/** A run, and the life of the kernel it comes from. */
export interface IKnownRun extends IRun {
  life: number;
  /** A saved copy that nobody opened: it stays until the kernel's first run comes. */
  standsIn?: boolean;
}

/** How a life of the kernel ended. */
export interface IEnd {
  loss: Loss | 'changed' | 'ended';
  since: Date;
}

/** The life of a run that no kernel of this page made. */
export const SAVED = -1;

/** The runs of one notebook, and the lives of its kernel. */
export class Runs {
  /** The newest first. */
  list: IKnownRun[] = [];
  view: IKnownRun | null = null;

  /** The number of the kernel's life that is now. */
  get life(): number {
    return this._life;
  }

  find(id: string): IKnownRun | undefined {
    return this.list.find(run => run.snapshot.id === id);
  }

  /** Whether the kernel's own copy of a run is here. */
  knows(snapshot: Snapshot): boolean {
    return this.list.some(
      run => run.snapshot.id === snapshot.id && !run.fromSaved
    );
  }

  /** Whether no run of the same life is newer. */
  isLatest(run: IKnownRun): boolean {
    return !this.list.some(
      other =>
        other.life === run.life && other.snapshot.created > run.snapshot.created
    );
  }

  /** Put a run in the place of the one with its id: whether that one was in view; null where there is none. */
  replace(run: IKnownRun): boolean | null {
    const known = this.list.findIndex(
      other => other.snapshot.id === run.snapshot.id
    );
    if (known < 0) {
      return null;
    }
    const wasInView = this.list[known] === this.view;
    this.list[known] = run;
    return wasInView;
  }

  /** Keep a run in the order of time, and let the oldest go; never the one in view. */
  keep(run: IKnownRun): void {
    const runs = [...this.list, run].sort(
      (a, b) => b.snapshot.created - a.snapshot.created
    );
    while (runs.length > RUNS_KEPT) {
      const oldest = [...runs]
        .reverse()
        .find(one => one !== this.view && one !== run);
      runs.splice(runs.indexOf(oldest ?? runs[runs.length - 1]), 1);
    }
    this.list = runs;
  }

  /** A run of the kernel has come: let go of the saved copy that stood in for one, also where it is in view. */
  dropStandIn(): void {
    this.list = this.list.filter(run => run.standsIn !== true);
    if (this.view?.standsIn === true) {
      this.view = null;
    }
  }

  /** A cell has run: let go of what it would have shown as it was written. */
  dropWritten(cellId: string | null): void {
    const isOfCell = (run: IKnownRun | null): boolean =>
      run?.isWritten === true && run.snapshot.cell?.id === cellId;
    this.list = this.list.filter(run => !isOfCell(run));
    if (isOfCell(this.view)) {
      this.view = null;
    }
  }

  /** The kernel's life has ended; another one begins. */
  endLife(loss: IEnd['loss']): void {
    this._ends.set(this._life, { loss, since: new Date() });
    this._life++;
  }

  /** How the kernel that made a run was lost; null while it can still be asked. */
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

  /** Whether this kernel has sent a run of this id in this life; a saved document may have any id. */
  isOfThisLife(id: string): boolean {
    return this.list.some(
      ({ snapshot, life }) => snapshot.id === id && life === this.life
    );
  }

  /** The document of a run that this kernel did not make, to be sent along; nothing of one that it holds. */
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
