/** Keeps the panes of the columns in sight. */
import { LevelPane } from '../workbench/levels/level-pane';
import type { IHandedOver } from '../workbench/levels/level-pane-options';
import { ListingView } from '../workbench/listing/listing-view';
import type { ColumnName } from './column-arrangement';
import { CellAndTexts } from './cell-and-texts';

export type Pane = LevelPane | CellAndTexts;

/** The panes of the columns in sight, by column. */
export class ColumnPanes {
  get(column: ColumnName): Pane | undefined {
    return this._panes.get(column);
  }

  all(): Iterable<Pane> {
    return this._panes.values();
  }

  entries(): Iterable<[ColumnName, Pane]> {
    return this._panes.entries();
  }

  /**
   * Dispose of the panes of columns that are not listed, and make the missing panes of the listed columns.
   *
   * @param filled Called with a new pane when its text is shown.
   */
  fill(
    columns: readonly ColumnName[],
    make: (column: ColumnName) => Pane,
    filled: (column: ColumnName, pane: Pane) => void
  ): void {
    for (const [column, pane] of this._panes) {
      if (!columns.includes(column)) {
        pane.dispose();
        this._panes.delete(column);
      }
    }
    for (const column of columns) {
      if (!this._panes.has(column)) {
        const pane = make(column);
        this._panes.set(column, pane);
        pane.refresh();
        filled(column, pane);
      }
    }
  }

  /** Dispose of all panes. */
  clear(): void {
    for (const pane of this._panes.values()) {
      pane.dispose();
    }
    this._panes.clear();
  }

  /**
   * End all panes, except one that also shows the next program; return what the panes of the levels leave on the page
   * for the panes of the next program.
   */
  handOver(kept?: Pane): Map<ColumnName, IHandedOver> {
    const before = new Map<ColumnName, IHandedOver>();
    for (const [column, pane] of this._panes) {
      if (pane === kept) {
        continue;
      }
      if (pane instanceof LevelPane) {
        before.set(column, pane.handOver());
      } else {
        pane.dispose();
      }
      this._panes.delete(column);
    }
    return before;
  }

  measure(): void {
    for (const { view } of this._panes.values()) {
      (view instanceof ListingView ? view.view : view)?.requestMeasure();
    }
  }

  eachLevel(act: (pane: LevelPane) => void): void {
    for (const pane of this._panes.values()) {
      if (pane instanceof LevelPane) {
        act(pane);
      }
    }
  }

  /** A pane of a level that is in sight; all have the same listings. */
  get level(): LevelPane | null {
    for (const pane of this._panes.values()) {
      if (pane instanceof LevelPane) {
        return pane;
      }
    }
    return null;
  }

  private _panes = new Map<ColumnName, Pane>();
}
