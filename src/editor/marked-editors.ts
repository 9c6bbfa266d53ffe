/** Keeps the editors of the cells, and puts the marks of the program in view into them. */
import { StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import { ICellMarks, NO_CELL_MARKS, setCellMarks } from '../parts/drawn-marks';
import { movedText, setRanText } from '../parts/moved-text';
import { setHeat } from './heat-gutter';

/** The editors of the cells of a notebook; a cell may have several. */
export class MarkedEditors {
  add(cellId: string, view: EditorView): void {
    const views = this._views.get(cellId) ?? new Set();
    views.add(view);
    this._views.set(cellId, views);
  }

  remove(cellId: string, view: EditorView): void {
    const views = this._views.get(cellId);
    views?.delete(view);
    if (views?.size === 0) {
      this._views.delete(cellId);
    }
    this._marked.delete(view);
  }

  of(cellId: string): Iterable<EditorView> {
    return this._views.get(cellId) ?? [];
  }

  /**
   * Put the marks into the cells; only those whose marks changed are touched.
   *
   * @param ranText The text of a cell when the cell ran.
   */
  mark(
    marks: ReadonlyMap<string, ICellMarks> | null,
    ranText: (cellId: string) => string | undefined
  ): void {
    for (const [cellId, views] of this._views) {
      const wanted = marks?.get(cellId) ?? NO_CELL_MARKS;
      const ran = ranText(cellId);
      const key = wanted === NO_CELL_MARKS ? '' : JSON.stringify(wanted);
      for (const view of views) {
        const effects: StateEffect<unknown>[] = [];
        if (ran !== undefined && view.state.field(movedText)?.ran !== ran) {
          effects.push(setRanText.of(ran));
          this._marked.delete(view);
        }
        if ((this._marked.get(view) ?? '') !== key || effects.length > 0) {
          this._marked.set(view, key);
          effects.push(setCellMarks.of(wanted), ...setHeat(view, wanted.heat));
        }
        if (effects.length > 0) {
          view.dispatch({ effects });
        }
      }
    }
  }

  clearMarks(): void {
    for (const views of this._views.values()) {
      for (const view of views) {
        if (this._marked.get(view)) {
          view.dispatch({
            effects: [setCellMarks.of(NO_CELL_MARKS), ...setHeat(view, [])]
          });
        }
        this._marked.delete(view);
      }
    }
  }

  private _views = new Map<string, Set<EditorView>>();
  /** The marks that each editor shows, so that equal marks are not set again. */
  private _marked = new Map<EditorView, string>();
}
