/** Checks the diff of two programs; a `Mismatch` names the wrong field. */
import { MOST } from './limits';
import { DiffChange, DiffOf, DiffRow, DiffSide, ProgramDiff } from './snapshot';
import {
  Mismatch,
  fields,
  indices,
  integer,
  oneOf,
  orNull,
  seconds,
  text,
  upTo
} from './structure';

const LEVELS: readonly ProgramDiff['level'][] = ['jaxpr', 'stablehlo', 'hlo'];

const SIGNS: readonly DiffRow['sign'][] = [
  'same',
  'added',
  'removed',
  'changed',
  'moved'
];

const WHATS: readonly DiffRow['what'][] = [
  'equation',
  'argument',
  'heading',
  'result',
  'line'
];

const NOISES: readonly NonNullable<DiffSide['noise']>[number][] = [
  'convert',
  'broadcast',
  'wrapper',
  'unused'
];

const KINDS: readonly DiffChange['kind'][] = [
  'operand',
  'shape',
  'dtype',
  'weak_type',
  'sharding',
  'type',
  'parameter',
  'primitive',
  'results',
  'effects'
];

export function checkProgramDiff(value: unknown, field = 'diff'): ProgramDiff {
  const diff = fields(value, field);
  oneOf(diff.level, `${field}.level`, LEVELS);
  checkOf(diff.before, `${field}.before`);
  checkOf(diff.after, `${field}.after`);
  for (const count of [
    'added',
    'removed',
    'changed',
    'moved',
    'signature',
    'skipped',
    'left_out'
  ]) {
    integer(diff[count], `${field}.${count}`, 0);
  }
  text(diff.summary, `${field}.summary`);
  for (const remark of upTo(
    MOST.ProgramDiff.remarks,
    diff.remarks,
    `${field}.remarks`
  )) {
    text(remark, `${field}.remarks`);
  }
  const rows = upTo(MOST.ProgramDiff.rows, diff.rows, `${field}.rows`);
  for (const row of rows) {
    checkRow(row, `${field}.rows`, rows.length);
  }
  return diff as unknown as ProgramDiff;
}

function checkOf(value: unknown, field: string): DiffOf {
  const side = fields(value, field);
  text(side.snapshot, `${field}.snapshot`);
  integer(side.program, `${field}.program`, 0);
  text(side.name, `${field}.name`);
  orNull(side.execution_count, `${field}.execution_count`, integerFrom0);
  seconds(side.created, `${field}.created`);
  return side as unknown as DiffOf;
}

function checkRow(value: unknown, field: string, rows: number): void {
  const row = fields(value, field);
  oneOf(row.sign, `${field}.sign`, SIGNS);
  oneOf(row.what, `${field}.what`, WHATS);
  integer(row.depth, `${field}.depth`, 0);
  const before = orNull(row.before, `${field}.before`, checkSide);
  const after = orNull(row.after, `${field}.after`, checkSide);
  if (before === null && after === null) {
    throw new Mismatch(field, 'a row with one side or both');
  }
  for (const change of upTo(
    MOST.DiffRow.changes,
    row.changes,
    `${field}.changes`
  )) {
    const changeFields = fields(change, `${field}.changes`);
    oneOf(changeFields.kind, `${field}.changes.kind`, KINDS);
    for (const words of ['name', 'before', 'after', 'text']) {
      text(changeFields[words], `${field}.changes.${words}`);
    }
  }
  text(row.primitive, `${field}.primitive`);
  integer(row.partner, `${field}.partner`, -1, rows);
  integer(row.skipped, `${field}.skipped`, 0);
}

function checkSide(value: unknown, field: string): DiffSide {
  const side = fields(value, field);
  const { length } = text(side.text, `${field}.text`);
  integer(side.scope, `${field}.scope`, -1);
  integer(side.equation, `${field}.equation`, -1);
  integer(side.line, `${field}.line`, 0);
  const marks = indices(side.marks, `${field}.marks`, 0, length + 1);
  if (
    marks.length % 2 !== 0 ||
    marks.some((mark, i) => i > 0 && mark < marks[i - 1])
  ) {
    throw new Mismatch(`${field}.marks`, 'rising pairs');
  }
  // The kernel leaves out the field `noise` if the line is no noise.
  if (side.noise !== undefined) {
    for (const noise of upTo(NOISES.length, side.noise, `${field}.noise`)) {
      oneOf(noise, `${field}.noise`, NOISES);
    }
  }
  if (side.outside !== undefined) {
    text(side.outside, `${field}.outside`);
  }
  return side as unknown as DiffSide;
}

function integerFrom0(value: unknown, field: string): number {
  return integer(value, field, 0);
}
