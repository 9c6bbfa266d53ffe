/** Makes diffs for tests: of two programs with a given number of rows, some of which differ. */
import { DiffRow, ProgramDiff } from '../snapshot';

export function diffRow(changes: Partial<DiffRow> = {}): DiffRow {
  const side = {
    text: 'b:f32[8] = sin a',
    scope: 0,
    equation: 0,
    line: 3,
    marks: []
  };
  return {
    sign: 'same',
    what: 'equation',
    depth: 0,
    before: side,
    after: side,
    changes: [],
    primitive: 'sin',
    partner: -1,
    skipped: 0,
    ...changes
  };
}

export function programDiff(changes: Partial<ProgramDiff> = {}): ProgramDiff {
  return {
    level: 'jaxpr',
    before: {
      snapshot: 'run-1',
      program: 0,
      name: 'f',
      execution_count: 2,
      created: 1_786_900_060
    },
    after: {
      snapshot: 'run-2',
      program: 0,
      name: 'f',
      execution_count: 3,
      created: 1_786_900_120
    },
    added: 0,
    removed: 0,
    changed: 0,
    moved: 0,
    signature: 0,
    summary: 'All equations are equal except for names.',
    remarks: [],
    rows: [diffRow()],
    skipped: 0,
    left_out: 0,
    ...changes
  };
}
