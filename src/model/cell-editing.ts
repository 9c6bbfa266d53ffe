/**
 * Decides whether a cure can be put into the user's cell, and makes the edit.
 *
 * The plugin gives each model a way to edit the cells of its notebook; a view finds it by the model. What is put into a
 * cell is an `EvaluableText`: nothing of a saved copy can be.
 */
import { ISignal } from '@lumino/signaling';

import { EvaluableText } from '../protocol/evaluable';
import { Cure, Snapshot } from '../protocol/snapshot';
import { IJaxprModel } from '../tokens';
import { IEditPlace, ISelected, changed, selectedAfter } from './cure-edits';

/** A change of a cell, in the order of its text. */
export interface ICellChange {
  start: number;
  end: number;
  text: EvaluableText;
}

/** A cell as it is now. */
export interface ICellNow {
  source: string;
  isEditable: boolean;
}

/** Edits the cells of a notebook; runs nothing. */
export interface ICellEditing {
  /** A cell by its id; null where the notebook has no such cell. */
  find(id: string): ICellNow | null;
  /** Whether cells can be added to the notebook. */
  readonly isEditable: boolean;
  /** Change a cell as one step of its undo, and put the keyboard there. */
  change(
    id: string,
    changes: readonly ICellChange[],
    selected: ISelected
  ): void;
  /** Put a new cell of code below a cell, and put the keyboard there. */
  insertBelow(id: string, source: EvaluableText, selected: ISelected): void;
  /** A cell was edited, added or deleted. */
  readonly changed: ISignal<unknown, unknown>;
}

const EDITING = new WeakMap<IJaxprModel, ICellEditing>();

/** What edits the cells of a model's notebook; null where there is no notebook. */
export function editingOf(model: IJaxprModel): ICellEditing | null {
  return EDITING.get(model) ?? null;
}

/** Tell a model what edits the cells of its notebook. */
export function setEditing(model: IJaxprModel, editing: ICellEditing): void {
  EDITING.set(model, editing);
}

/** Whether a cure can be applied; `why` is what hinders it. */
export type Standing =
  | { kind: 'applies' }
  /** The new cell can be inserted; the cell itself cannot be edited. */
  | { kind: 'inserts'; why: 'changed' | 'read-only' }
  | {
      kind: 'none';
      why: 'file' | 'other-life' | 'gone' | 'unknown-place' | 'read-only';
    };

/** Whether the edits of a cure can be made now. */
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
  // The whole text: the trial was of the whole text, and a line above the edit may have moved the edit.
  return cell.source === edit.ran
    ? { kind: 'applies' }
    : { kind: 'inserts', why: 'changed' };
}

/**
 * Make the edits of a cure in its cell.
 *
 * @returns Whether they were made; not where something has changed since the button was drawn.
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

/**
 * Put the whole text of the cell, with the edits of a cure made, into a new cell below.
 *
 * @returns Whether there is such a cell now.
 */
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
