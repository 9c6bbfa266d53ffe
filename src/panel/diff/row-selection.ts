/** Finds the equation or the line that a row of a diff has in the run in view, as a selection. */
import type { DiffRow, ProgramDiff } from '../../protocol/snapshot';
import type { IJaxprModel, Selection } from '../../tokens';

/**
 * The selection of the row's equation in the run in view, or else of the row's line in the cell; null if neither of the
 * two programs is of the run in view.
 */
export function selectionOf(
  row: DiffRow,
  diff: ProgramDiff,
  model: IJaxprModel
): Selection | null {
  const inView = model.snapshot;
  const sides = [
    { side: row.after, of: diff.after },
    { side: row.before, of: diff.before }
  ];
  for (const { side, of } of sides) {
    if (side === null || inView === null || inView.id !== of.snapshot) {
      continue;
    }
    const scope = inView.scopes[side.scope];
    if (
      scope !== undefined &&
      side.equation >= 0 &&
      side.equation < scope.count
    ) {
      return {
        kind: 'equations',
        equations: [{ scope: side.scope, equation: side.equation }]
      };
    }
    const cellId = inView.cell?.id ?? null;
    if (side.line > 0 && cellId !== null) {
      return { kind: 'caret', cellId, line: side.line, column: 0 };
    }
  }
  return null;
}
