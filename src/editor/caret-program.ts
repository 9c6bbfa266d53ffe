/** Finds the program that the panel should show for a place in a cell. */
import { linksOf } from '../model/links';
import { PROGRAMS_SEARCHED, usersPrograms } from '../model/users-programs';
import type { Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { isUnedited } from '../model/edited-text';
import { RanCells } from './ran-cells';

/** A place in a cell as it ran; the line counts from 1. */
export interface ICellPlace {
  cellId: string;
  line: number;
  column: number;
}

/**
 * The program to show for the caret: the program in view if it comes from the place or from the cell; else another
 * program of its run that comes from the place; else a program of the newest run of the cell. Null if the program in
 * view stays.
 */
export function programAt(
  model: IJaxprModel,
  cells: RanCells,
  place: ICellPlace
): { run: string; program: number } | null {
  const ran = cells.ran(place.cellId);
  const inView = model.snapshot;
  if (model.pinned || ran === undefined || inView === null) {
    return null;
  }
  if (ran.snapshot === inView) {
    if (model.program >= 0 && comesFrom(inView, model.program, place)) {
      return null;
    }
    const program = programFrom(inView, place);
    if (program !== null) {
      return { run: inView.id, program };
    }
    if (inView.cell?.id === place.cellId) {
      return null;
    }
  }
  const own = model.runs.find(
    ({ snapshot }) => snapshot.cell?.id === place.cellId
  )?.snapshot;
  const target = own ?? ran.snapshot;
  if (target === inView) {
    return null;
  }
  const isSameText =
    target === ran.snapshot ||
    (target.cell !== null && isUnedited(target.cell.source, ran.source));
  const program = isSameText ? programFrom(target, place) : null;
  return { run: target.id, program: program ?? target.focus };
}

function programFrom(snapshot: Snapshot, place: ICellPlace): number | null {
  if (place.line < 1) {
    return null; // null: no program comes from text that did not run
  }
  return (
    usersPrograms(snapshot)
      .slice(0, PROGRAMS_SEARCHED)
      .find(program => comesFrom(snapshot, program, place)) ?? null
  );
}

function comesFrom(
  snapshot: Snapshot,
  program: number,
  place: ICellPlace
): boolean {
  const caret = { kind: 'caret' as const, ...place };
  return linksOf(snapshot, program).resolve(caret).equations.size > 0;
}
