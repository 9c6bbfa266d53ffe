/**
 * Shows the cell that ran as a second editor of the notebook's cell: an edit in one editor is also in the other.
 *
 * The editor has the same marks and types, and follows the mouse and the caret in the same way, as the notebook's own
 * editor of the cell.
 */
import { Compartment, Extension, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { IDisposable } from '@lumino/disposable';

import { ICellEditing, ICellEditor, editingOf } from '../model/applied-cures';
import { isUnedited } from '../model/edited-text';
import { element } from '../parts/dom';
import { movedText } from '../parts/moved-text';
import type { Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { keyBindings } from '../view-keys';

/** The function that the cell's editor calls when the user presses the key for another column. */
export interface ISourceCellHost {
  /** Moves the keyboard focus to the next (1) or the previous (-1) column. */
  left(by: 1 | -1): void;
}

/** A place in the text that ran; the line counts from 1. */
interface IRanPlace {
  line: number;
  column: number;
}

export class SourceCell implements IDisposable {
  private constructor(
    readonly id: string,
    editing: ICellEditing,
    label: string,
    host: ISourceCellHost
  ) {
    this.node = element('div', 'jp-JaxprWide-cell');
    // The keys of the views are letters, which the user types here.
    this.node.addEventListener('keydown', event => event.stopPropagation());
    this._editor = editing.open(id, {
      host: this.node,
      extensions: [
        this._label.of(named(label)),
        Prec.highest(
          keymap.of(
            keyBindings('sourceCell', {
              runCell: () => editing.run(id),
              undo: () => this._editor?.undo(),
              redo: () => this._editor?.redo(),
              leaveCell: () => host.left(1),
              nextLevel: () => host.left(1),
              previousLevel: () => host.left(-1)
            })
          )
        )
      ]
    });
  }

  /**
   * Opens the cell of a run.
   * @returns null if the notebook in front does not have the cell, if the cell is read-only, or if no cell has the text
   *   of the run any more, because a later run of the cell had another text.
   */
  static of(
    model: IJaxprModel,
    snapshot: Snapshot,
    label: string,
    host: ISourceCellHost
  ): SourceCell | null {
    const editing = editingOf(model);
    const id = snapshot.cell?.id ?? null;
    if (editing === null || id === null || !hasText(model, snapshot, id)) {
      return null;
    }
    const cell = new SourceCell(id, editing, label, host);
    if (cell.view === null) {
      cell.dispose();
      return null;
    }
    return cell;
  }

  /** The element that holds the editor of the cell. */
  readonly node: HTMLElement;

  get view(): EditorView | null {
    return this.isDisposed ? null : (this._editor?.view ?? null);
  }

  get isDisposed(): boolean {
    return this._editor === null || this._editor.isDisposed;
  }

  dispose(): void {
    this._editor?.dispose();
    this.node.remove();
  }

  /** True if this is also the cell of a run. */
  isOf(model: IJaxprModel, snapshot: Snapshot): boolean {
    return (
      !this.isDisposed &&
      snapshot.cell?.id === this.id &&
      hasText(model, snapshot, this.id)
    );
  }

  /** The name that screen readers give to the editor. */
  set label(label: string) {
    this.view?.dispatch({ effects: this._label.reconfigure(named(label)) });
  }

  /** Scrolls to a place in the text that ran, unless the user is writing in the cell. */
  reveal(place: IRanPlace, scroller: HTMLElement): void {
    const { view } = this;
    if (!view || view.hasFocus) {
      return;
    }
    const at = this._offsetOf(view, place);
    const box = scroller.getBoundingClientRect();
    const block = view.lineBlockAt(at);
    const top = block.top + view.documentTop;
    if (top < box.top || top + block.height > box.bottom) {
      view.dispatch({
        effects: EditorView.scrollIntoView(at, { y: 'center' })
      });
    }
  }

  /** Takes the keyboard focus, with the caret at a place in the text that ran; null leaves the caret where it was. */
  enter(place: IRanPlace | null): void {
    const { view } = this;
    if (view && place) {
      const anchor = this._offsetOf(view, place);
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
    }
    view?.focus();
  }

  /** The offset in the present text of a place in the text that ran. */
  private _offsetOf(view: EditorView, { line, column }: IRanPlace): number {
    return view.state.field(movedText)?.place(line, column) ?? 0;
  }

  private _label = new Compartment();
  private _editor: ICellEditor | null;
}

function named(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label });
}

/**
 * True if a cell has the text of a run, or if the run is the newest of the cell and the user has edited the cell since.
 */
function hasText(model: IJaxprModel, snapshot: Snapshot, id: string): boolean {
  const present = editingOf(model)?.find(id)?.source;
  const newest = model.runs.find(run => run.snapshot.cell?.id === id);
  return (
    present !== undefined &&
    snapshot.cell !== null &&
    (newest?.snapshot === snapshot || isUnedited(snapshot.cell.source, present))
  );
}
