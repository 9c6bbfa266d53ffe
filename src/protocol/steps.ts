/**
 * Checks a recording of the stepper; a `Mismatch` names the wrong field.
 *
 * Each column of a recording has a value for each of its points, so a view needs no further check to read a value. The
 * kernel records at most 1,000 steps and 8 MB; the limits of this check are larger.
 */
import { LIMITS, MOST } from './limits';
import { Leaf, Recording } from './snapshot';
import {
  Fields,
  Mismatch,
  amount,
  checkEach,
  fields,
  finite,
  flag,
  indices,
  integer,
  list,
  oneOf,
  orNull,
  text,
  upTo
} from './structure';

const ROLES: readonly Leaf['role'][] = [
  'carry',
  'x',
  'y',
  'index',
  'predicate',
  'condition',
  'compared',
  'operand',
  'result'
];

/** The roles of leaves that also have a value after the last step of each visit. */
export const GOES_ON: ReadonlySet<Leaf['role']> = new Set([
  'carry',
  'condition',
  'compared'
] as const);

/**
 * Check a recording.
 *
 * @param controls The number of constructs in the document; without it, any index of a construct is accepted.
 */
export function checkRecording(
  value: unknown,
  field = 'recording',
  controls: number = Number.MAX_SAFE_INTEGER
): Recording {
  const recording = fields(value, field);
  text(recording.snapshot, `${field}.snapshot`);
  integer(recording.control, `${field}.control`, 0, controls);
  const points = indices(
    upTo(MOST.Recording.step, recording.step, `${field}.step`),
    `${field}.step`,
    0,
    Number.MAX_SAFE_INTEGER
  ).length;
  const visits = checkVisits(recording, field, points);
  let values = 0;
  for (const leaf of upTo(
    MOST.Recording.leaves,
    recording.leaves,
    `${field}.leaves`
  )) {
    values += checkLeaf(leaf, `${field}.leaves`, points, visits);
  }
  integer(values, `${field}.leaves`, 0, LIMITS.VALUES + 1);
  const taken = checkEach(
    recording.branch_taken,
    `${field}.branch_taken`,
    text
  ).length;
  // A recording of a loop takes no branch, and may leave out the field.
  if (taken !== 0) {
    sameLength(taken, `${field}.branch_taken`, points);
  }
  orNull(recording.stopped, `${field}.stopped`, text);
  orNull(recording.thinned, `${field}.thinned`, text);
  for (const comparison of upTo(
    MOST.Recording.comparisons,
    recording.comparisons,
    `${field}.comparisons`
  )) {
    checkComparison(comparison, `${field}.comparisons`);
  }
  text(recording.verdict, `${field}.verdict`);
  for (const note of upTo(
    MOST.Recording.notes,
    recording.notes,
    `${field}.notes`
  )) {
    text(note, `${field}.notes`);
  }
  amount(recording.seconds, `${field}.seconds`);
  if (recording.calls !== undefined && recording.calls !== null) {
    checkCalls(recording.calls, `${field}.calls`);
  }
  return recording as unknown as Recording;
}

/** Checks the table of calls: each call has a value for each column, and a count for each branch. */
function checkCalls(value: unknown, field: string): void {
  const table = fields(value, field);
  const columns = checkEach(table.columns, `${field}.columns`, text).length;
  const name = `${field}.calls`;
  for (const call of upTo(MOST.CallTable.calls, table.calls, name)) {
    const row = fields(call, name);
    integer(row.call, `${name}.call`, 0);
    sameLength(
      checkEach(row.values, `${name}.values`, text).length,
      `${name}.values`,
      columns
    );
    const times = indices(
      list(row.times, `${name}.times`),
      `${name}.times`,
      0,
      Number.MAX_SAFE_INTEGER
    ).length;
    sameLength(
      checkEach(row.taken, `${name}.taken`, text).length,
      `${name}.taken`,
      times
    );
    orNull(row.unknown, `${name}.unknown`, text);
  }
  orNull(table.others, `${field}.others`, text);
}

/** Checks that the visits cover the points without a gap, in order; returns the number of visits. */
function checkVisits(recording: Fields, field: string, points: number): number {
  const name = `${field}.visits`;
  const visits = upTo(MOST.Recording.visits, recording.visits, name);
  let next = 0;
  for (const value of visits) {
    const visit = fields(value, name);
    integer(visit.first_point, `${name}.first_point`, next, next + 1);
    next += integer(visit.points, `${name}.points`, 0, points - next + 1);
    integer(visit.trips, `${name}.trips`, visit.points as number);
    indices(visit.outer, `${name}.outer`, 0, Number.MAX_SAFE_INTEGER);
    flag(visit.finished, `${name}.finished`);
  }
  if (next !== points) {
    throw new Mismatch(name, `visits of ${points} points in all`);
  }
  integer(recording.visits_total, `${field}.visits_total`, visits.length);
  return visits.length;
}

/** Checks a leaf; returns the number of its values. */
function checkLeaf(
  value: unknown,
  field: string,
  points: number,
  visits: number
): number {
  const leaf = fields(value, field);
  const role = oneOf(leaf.role, `${field}.role`, ROLES);
  text(leaf.path, `${field}.path`);
  text(leaf.type, `${field}.type`);
  integer(leaf.elements, `${field}.elements`, 0);
  const length = points + (GOES_ON.has(role) ? visits : 0);
  const column = (
    name: string,
    check: (value: unknown, field: string) => unknown
  ): number => {
    const entries = checkEach(leaf[name], `${field}.${name}`, check).length;
    sameLength(entries, `${field}.${name}`, length);
    return entries;
  };
  column('texts', text);
  text(leaf.number_name, `${field}.number_name`);
  for (const name of ['numbers', 'minimum', 'mean', 'maximum']) {
    if (leaf[name] !== null) {
      column(name, (value, field) => orNull(value, field, finite));
    }
  }
  for (const name of ['nans', 'infinities']) {
    if (list(leaf[name], `${field}.${name}`).length > 0) {
      column(name, (value, field) => integer(value, field, 0));
    }
  }
  if (leaf.pictures !== undefined && leaf.pictures !== null) {
    column('pictures', text);
  }
  if (leaf.threshold !== undefined) {
    orNull(leaf.threshold, `${field}.threshold`, finite);
  }
  return length;
}

function checkComparison(value: unknown, field: string): void {
  const comparison = fields(value, field);
  text(comparison.path, `${field}.path`);
  flag(comparison.equal, `${field}.equal`);
  text(comparison.recorded, `${field}.recorded`);
  text(comparison.real, `${field}.real`);
  orNull(comparison.largest_difference, `${field}.largest_difference`, finite);
}

function sameLength(actual: number, field: string, length: number): void {
  if (actual !== length) {
    throw new Mismatch(field, `${length} entries`);
  }
}
