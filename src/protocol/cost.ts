/**
 * Checks the costs of a document; a `Mismatch` names the wrong field.
 *
 * Counts may be larger than an integer of JavaScript holds exactly (10^15 op is a large program's), so they are
 * numbers from 0 here, not integers.
 */
import { IDocumentSizes } from './document-sizes';
import { MOST } from './limits';
import { CostDifference, ProgramCost } from './snapshot';
import {
  withDefault,
  Mismatch,
  amount,
  counted,
  checkEach,
  fields,
  flag,
  integer,
  oneOf,
  orNull,
  text,
  upTo
} from './structure';

const DIFFERENCES: readonly CostDifference['kind'][] = [
  'loop_once',
  'unknown_trips',
  'branches',
  'fused_away',
  'custom_call',
  'no_rule',
  'rest'
];

export function checkProgramCost(
  value: unknown,
  field: string,
  sizes: IDocumentSizes
): ProgramCost {
  const cost = fields(value, field);
  integer(cost.program, `${field}.program`, 0, sizes.programs);
  for (const name of [
    'flops',
    'flops_min',
    'transcendentals',
    'bytes_read',
    'bytes_written'
  ]) {
    counted(cost[name], `${field}.${name}`);
  }
  if ((cost.flops_min as number) > (cost.flops as number)) {
    throw new Mismatch(`${field}.flops_min`, 'at most flops');
  }
  for (const name of ['flops_most', 'transcendentals_most']) {
    counted(withDefault(cost[name], 0), `${field}.${name}`);
  }
  const fewest = withDefault(cost.transcendentals_min, null);
  orNull(fewest, `${field}.transcendentals_min`, counted);
  flag(withDefault(cost.xla_asked, true), `${field}.xla_asked`);
  const most = MOST.ProgramCost;
  upTo(
    most.recordings,
    withDefault(cost.recordings, []),
    `${field}.recordings`
  ).forEach(recording =>
    integer(recording, `${field}.recordings`, 0, sizes.controls)
  );
  flag(cost.exact, `${field}.exact`);
  for (const name of ['per_trip', 'unknown', 'lead'] as const) {
    const texts = name === 'lead' ? withDefault(cost.lead, []) : cost[name];
    upTo(most[name], texts, `${field}.${name}`).forEach(sentence =>
      text(sentence, `${field}.${name}`)
    );
  }
  checkEach(cost.scopes, `${field}.scopes`, (scope, name) =>
    checkScopeCost(scope, name, sizes)
  );
  for (const name of ['by_line', 'by_primitive'] as const) {
    upTo(most[name], cost[name], `${field}.${name}`).forEach(rowValue =>
      checkRow(rowValue, `${field}.${name}`, sizes)
    );
  }
  for (const name of ['by_scope', 'by_name_stack'] as const) {
    upTo(most[name], cost[name], `${field}.${name}`).forEach((node, place) =>
      checkNode(node, `${field}.${name}`, place, sizes)
    );
  }
  orNull(cost.xla, `${field}.xla`, (xla, name) => checkXla(xla, name, sizes));
  orNull(cost.memory, `${field}.memory`, (memory, name) =>
    checkMemory(memory, name, sizes)
  );
  return cost as unknown as ProgramCost;
}

function checkScopeCost(
  value: unknown,
  field: string,
  sizes: IDocumentSizes
): void {
  const cost = fields(value, field);
  const scope = integer(cost.scope, `${field}.scope`, 0, sizes.scopes.length);
  const runs = counted(cost.runs, `${field}.runs`);
  if (counted(cost.runs_min, `${field}.runs_min`) > runs) {
    throw new Mismatch(`${field}.runs_min`, 'at most runs');
  }
  flag(cost.per_trip, `${field}.per_trip`);
  for (const name of ['flops', 'transcendentals', 'bytes']) {
    const column = checkEach(cost[name], `${field}.${name}`, (cell, place) => {
      if (cell !== -1) {
        counted(cell, place);
      }
    });
    if (column.length !== sizes.scopes[scope]) {
      throw new Mismatch(
        `${field}.${name}`,
        `${sizes.scopes[scope]} entries, one an equation`
      );
    }
  }
}

function checkRow(value: unknown, field: string, sizes: IDocumentSizes): void {
  const costRow = fields(value, field);
  text(costRow.label, `${field}.label`);
  integer(costRow.frame, `${field}.frame`, -1, sizes.frames);
  integer(costRow.equations, `${field}.equations`, 0);
  for (const name of [
    'flops',
    'flops_min',
    'transcendentals',
    'bytes_read',
    'bytes_written'
  ]) {
    counted(costRow[name], `${field}.${name}`);
  }
  flag(costRow.per_trip, `${field}.per_trip`);
  counted(withDefault(costRow.if_taken, 0), `${field}.if_taken`);
}

function checkNode(
  value: unknown,
  field: string,
  place: number,
  sizes: IDocumentSizes
): void {
  const node = fields(value, field);
  text(node.label, `${field}.label`);
  // A parent comes before its children, so no bar is inside itself.
  integer(node.parent, `${field}.parent`, -1, place);
  integer(node.scope, `${field}.scope`, -1, sizes.scopes.length);
  integer(node.frame, `${field}.frame`, -1, sizes.frames);
  for (const name of ['runs', 'flops', 'transcendentals', 'bytes']) {
    counted(node[name], `${field}.${name}`);
  }
  flag(node.per_trip, `${field}.per_trip`);
}

function checkXla(value: unknown, field: string, sizes: IDocumentSizes): void {
  const xla = fields(value, field);
  for (const name of ['flops', 'transcendentals', 'bytes']) {
    orNull(xla[name], `${field}.${name}`, amount);
  }
  text(withDefault(xla.text, ''), `${field}.text`);
  upTo(
    MOST.XlaCost.differences,
    xla.differences,
    `${field}.differences`
  ).forEach(entry => {
    const difference = fields(entry, `${field}.differences`);
    oneOf(difference.kind, `${field}.differences.kind`, DIFFERENCES);
    text(difference.text, `${field}.differences.text`);
    for (const name of ['ours', 'xla', 'runs']) {
      orNull(difference[name], `${field}.differences.${name}`, counted);
    }
    integer(difference.frame, `${field}.differences.frame`, -1, sizes.frames);
  });
}

function checkMemory(
  value: unknown,
  field: string,
  sizes: IDocumentSizes
): void {
  const memory = fields(value, field);
  for (const name of [
    'arguments',
    'results',
    'temporaries',
    'generated_code',
    'aliased',
    'peak'
  ]) {
    orNull(memory[name], `${field}.${name}`, counted);
  }
  integer(memory.peak_frame, `${field}.peak_frame`, -1, sizes.frames);
  counted(memory.residual_bytes, `${field}.residual_bytes`);
  counted(memory.constants, `${field}.constants`);
  text(withDefault(memory.peak_text, ''), `${field}.peak_text`);
  upTo(MOST.Memory.live, memory.live, `${field}.live`).forEach(entry => {
    const buffer = fields(entry, `${field}.live`);
    text(buffer.name, `${field}.live.name`);
    text(buffer.type, `${field}.live.type`);
    counted(buffer.bytes, `${field}.live.bytes`);
    integer(buffer.frame, `${field}.live.frame`, -1, sizes.frames);
    const scope = integer(
      buffer.scope,
      `${field}.live.scope`,
      0,
      sizes.scopes.length
    );
    integer(buffer.equation, `${field}.live.equation`, -1, sizes.scopes[scope]);
  });
  upTo(MOST.Memory.residuals, memory.residuals, `${field}.residuals`).forEach(
    entry => {
      const residual = fields(entry, `${field}.residuals`);
      text(residual.type, `${field}.residuals.type`);
      text(residual.name, `${field}.residuals.name`);
      integer(residual.count, `${field}.residuals.count`, 1);
      counted(residual.bytes, `${field}.residuals.bytes`);
      integer(residual.frame, `${field}.residuals.frame`, -1, sizes.frames);
    }
  );
}
