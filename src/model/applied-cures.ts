/**
 * Decides whether the edits of a cure can be applied to the user's cell, and applies them.
 *
 * The plugin gives each model an object that edits the cells of the model's notebook; a view gets this object from the
 * model. The text of an edit is an `EvaluableText`, so text of a saved copy cannot be put into a cell.
 */
import type { Extension } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { IDisposable } from '@lumino/disposable';
import { ISignal } from '@lumino/signaling';

import { EvaluableText } from '../protocol/evaluable';
import { Cure, Snapshot } from '../protocol/snapshot';
import { IJaxprModel } from '../tokens';
import {
  IEditPlace,
  ISelected,
  changed,
  selectedAfter
} from './places-of-edits';

/** A change of the text of a cell; changes are listed in the order of the text. */
export interface ICellChange {
  start: number;
  end: number;
  text: EvaluableText;
}

/** The present text and state of a cell. */
export interface ICellNow {
  source: string;
  isEditable: boolean;
}

/** A second editor of a notebook cell; both editors show the same text and share its undo history. */
export interface ICellEditor extends IDisposable {
  /** The CodeMirror view; null in an application with another kind of editor. */
  readonly view: EditorView | null;
  /** Takes the last change of the cell back. */
  undo(): void;
  /** Repeats the change that `undo` reverted. */
  redo(): void;
}

/** The options of a second editor of a cell. */
export interface ICellEditorOptions {
  /** The element that the editor fills. */
  host: HTMLElement;
  /** Further extensions of the editor. */
  extensions: Extension[];
}

/** Edits the cells of a notebook. A cell is only run by `run`, at a key press of the user. */
export interface ICellEditing {
  /** Finds a cell by its id; null if the notebook has no such cell. */
  find(id: string): ICellNow | null;
  /** True if cells can be added to the notebook. */
  readonly isEditable: boolean;
  /** Changes a cell in one step of its undo history, and moves the keyboard focus to the change. */
  change(
    id: string,
    changes: readonly ICellChange[],
    selected: ISelected
  ): void;
  /** Inserts a new code cell below a cell, and moves the keyboard focus into the new cell. */
  insertBelow(id: string, source: EvaluableText, selected: ISelected): void;
  /** Opens a second editor of a cell that the user can edit; null where the cell cannot be edited. */
  open(id: string, options: ICellEditorOptions): ICellEditor | null;
  /** Runs a cell as JupyterLab does; the keyboard focus stays where it is. */
  run(id: string): void;
  /** Emits when a cell was edited, added or deleted. */
  readonly changed: ISignal<unknown, unknown>;
}

const EDITING = new WeakMap<IJaxprModel, ICellEditing>();

/** Returns the object that edits the cells of a model's notebook; null if the model has no notebook. */
export function editingOf(model: IJaxprModel): ICellEditing | null {
  return EDITING.get(model) ?? null;
}

/** Gives a model the object that edits the cells of its notebook. */
export function setEditing(model: IJaxprModel, editing: ICellEditing): void {
  EDITING.set(model, editing);
}

/** Whether a cure can be applied, and if not, why. */
export type Standing =
  | { kind: 'applies' }
  /** The cure can be inserted as a new cell; the user's own cell cannot be edited. */
  | { kind: 'inserts'; why: 'changed' | 'read-only' }
  | {
      kind: 'none';
      why: 'file' | 'other-life' | 'gone' | 'unknown-place' | 'read-only';
    };

/** Decides whether the edits of a cure can be applied at present. */
export function standingOf(
  editing: ICellEditing,
  snapshot: Snapshot,
  place: IEditPlace
): Standing {
  if (place.file.kind !== 'cell') {
    return { kind: 'none', why: 'file' };
  }
  if (EvaluableText.sent(snapshot, () => '') === null) {
    return { kind: 'none', why: 'other-life' };
  }
  const { cellId, edit } = place;
  const cell = cellId === null ? null : editing.find(cellId);
  if (cell === null) {
    return { kind: 'none', why: 'gone' };
  }
  if (edit === null) {
    return { kind: 'none', why: 'unknown-place' };
  }
  if (!editing.isEditable) {
    return { kind: 'none', why: 'read-only' };
  }
  if (!cell.isEditable) {
    return { kind: 'inserts', why: 'read-only' };
  }
  // The whole text of the cell must be unchanged: the kernel tried the cure with all of it, and a change above may have
  // moved the edited lines.
  return cell.source === edit.ran
    ? { kind: 'applies' }
    : { kind: 'inserts', why: 'changed' };
}

/**
 * Applies the edits of a cure to its cell. @returns True if they were applied, false if the cell has changed since the
 * button was drawn.
 */
export function applyCure(
  editing: ICellEditing,
  snapshot: Snapshot,
  place: IEditPlace,
  level: Cure['level']
): boolean {
  const { cellId, edit } = place;
  const standing = standingOf(editing, snapshot, place);
  if (standing.kind !== 'applies' || cellId === null || edit === null) {
    return false;
  }
  const changes: ICellChange[] = [];
  for (const { start, end, text } of edit.changes) {
    const sent = EvaluableText.sent(snapshot, () => text);
    if (sent === null) {
      return false;
    }
    changes.push({ start, end, text: sent });
  }
  const selected = selectedAfter(edit.ran, edit.changes, level);
  editing.change(cellId, changes, selected);
  return true;
}

/** Inserts a new cell below with the edited text of the whole cell. @returns True if the new cell exists. */
export function insertCure(
  editing: ICellEditing,
  snapshot: Snapshot,
  place: IEditPlace,
  level: Cure['level']
): boolean {
  const { cellId, edit } = place;
  const standing = standingOf(editing, snapshot, place);
  if (standing.kind === 'none' || cellId === null || edit === null) {
    return false;
  }
  const { ran, changes } = edit;
  const whole = EvaluableText.sent(snapshot, () => changed(ran, changes));
  if (whole === null) {
    return false;
  }
  editing.insertBelow(cellId, whole, selectedAfter(ran, changes, level));
  return true;
}
