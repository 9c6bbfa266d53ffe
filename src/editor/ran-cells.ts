/** Finds the cells of a notebook that have the texts of its runs. */
import type { IUnlinked } from '../model/screen-state';
import type { Snapshot } from '../protocol/snapshot';
import { isUnedited } from '../model/edited-text';

/** The cells of the notebook whose program is in view. */
export interface ICells {
  /** The present text of a cell; null if the notebook has no such cell. */
  source(cellId: string): string | null;
  /** The only cell with this text; null if no cell or several cells have it. */
  find(source: string): string | null;
  /** Bring a cell into view, with the caret at the place. */
  goTo(cellId: string, line: number, column: number): Promise<void>;
}

/** A cell as it ran in a run: the path of its file in the run, its number and its text. */
export interface IRanCell {
  snapshot: Snapshot;
  path: string;
  executionCount: number | null;
  source: string;
}

/** A cell as a run states it, before the cell is searched in the notebook; `id` is null if the kernel knew no id. */
interface IListedCell extends Omit<IRanCell, 'snapshot'> {
  id: string | null;
}

/** Knows which cells of the notebook ran, in which run, and with which text. */
export class RanCells {
  /**
   * Find the cells of these runs.
   *
   * @param runs The run in view comes first: if several runs have a cell, the cell gets the text of the first of these
   * runs.
   */
  find(runs: readonly Snapshot[], cells: ICells): void {
    this._byId.clear();
    this._ids.clear();
    for (const snapshot of runs) {
      for (const [id, listed] of this._listed(snapshot, cells)) {
        const cell = this._byId.get(id);
        if (cell === undefined) {
          this._byId.set(id, { ...listed, snapshot });
        } else if (
          cell.snapshot !== snapshot ||
          !isUnedited(cell.source, listed.source)
        ) {
          continue;
        }
        if (snapshot === runs[0]) {
          this._ids.set(listed.path, id);
        }
      }
    }
  }

  /** The id of the cell whose code is in a file of the run in view; null if no cell has the text of the file. */
  cellOf(path: string): string | null {
    return this._ids.get(path) ?? null;
  }

  /** The file and the text of a cell when it ran. */
  ran(cellId: string): IRanCell | undefined {
    return this._byId.get(cellId);
  }

  /** The cells that are known to have run. */
  all(): Iterable<[string, IRanCell]> {
    return this._byId;
  }

  clear(): void {
    this._byId.clear();
    this._ids.clear();
  }

  /**
   * The cells of a run that the notebook lacks, or whose text has changed.
   * @param comesFrom Returns true if the program in view comes from a file.
   */
  unlinked(
    snapshot: Snapshot,
    cells: ICells,
    comesFrom: (path: string) => boolean
  ): IUnlinked[] {
    const unlinked = new Map<string, IUnlinked>();
    for (const [id, { path, executionCount, source }] of this._listed(
      snapshot,
      cells
    )) {
      const now = cells.source(id);
      if (comesFrom(path) && (now === null || !isUnedited(now, source))) {
        const reason = now === null ? 'missing' : 'edited';
        const isOwn = path === snapshot.cell?.file;
        unlinked.set(id, { executionCount, reason, isOwn });
      }
    }
    return [...unlinked.values()];
  }

  /**
   * The cells of a run with their ids in the notebook: first the cell that ran, then the cells whose functions it
   * called, the newest of these cells first.
   */
  private _listed(
    snapshot: Snapshot,
    cells: ICells
  ): [string, Omit<IRanCell, 'snapshot'>][] {
    const cellsOfSnapshot: [string, Omit<IRanCell, 'snapshot'>][] = [];
    for (const { id, ...listed } of cellsOf(snapshot)) {
      const cell = id ?? this._find(snapshot, listed, cells);
      if (cell !== null) {
        cellsOfSnapshot.push([cell, listed]);
      }
    }
    return cellsOfSnapshot;
  }

  /** A cell without an id is identified by its text when it ran; it stays identified when the user edits it. */
  private _find(
    snapshot: Snapshot,
    { path, source }: Omit<IListedCell, 'id'>,
    cells: ICells
  ): string | null {
    let idsByPath = this._found.get(snapshot);
    if (idsByPath === undefined) {
      this._found.set(snapshot, (idsByPath = new Map<string, string>()));
    }
    const knownId = idsByPath.get(path);
    if (knownId !== undefined && cells.source(knownId) !== null) {
      return knownId;
    }
    const id = cells.find(source);
    if (id !== null) {
      idsByPath.set(path, id);
    }
    return id;
  }

  private _byId = new Map<string, IRanCell>();
  private _ids = new Map<string, string>();
  private _found = new WeakMap<Snapshot, Map<string, string>>();
}

function cellsOf(snapshot: Snapshot): IListedCell[] {
  const ran: IListedCell[] = [];
  const { cell, files } = snapshot;
  for (const { path, kind, cell_id, execution_count, source } of files) {
    if (kind === 'cell' && source !== null && path !== cell?.file) {
      ran.push({ path, id: cell_id, executionCount: execution_count, source });
    }
  }
  ran.sort((a, b) => (b.executionCount ?? 0) - (a.executionCount ?? 0));
  if (cell) {
    ran.unshift({
      path: cell.file,
      id: cell.id,
      executionCount: cell.execution_count,
      source: cell.source
    });
  }
  return ran;
}
