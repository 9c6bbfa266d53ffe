/** Checks the programs of a document, the named values of their scopes and the calls that raised. */
import {
  count,
  checkEach,
  fields,
  flag,
  withDefault,
  integer,
  oneOf,
  orNull,
  row,
  seconds,
  text,
  upTo
} from './structure';
import { MOST } from './limits';
import { NamedValue, Program, RaisedCall, Scope } from './snapshot';
import { IPools } from './interned-pools';
import { checkLevel } from './texts';

const GROUPS = ['jit', 'eager', 'traced'] as const;

const ORIGINS = [
  'ran',
  'seen_before',
  'derived',
  'traced',
  'recorded'
] as const;

const NAMED_KINDS = ['parameter', 'assigned', 'returned'] as const;
const NAMED_ROLES = ['carry', 'xs', 'ys'] as const;

export function checkProgram(value: unknown, pools: IPools): void {
  const program = fields(value, 'programs');
  text(program.name, 'programs.name');
  oneOf(program.origin, 'programs.origin', ORIGINS);
  orNull(program.origin_note, 'programs.origin_note', text);
  orNull(program.how ?? null, 'programs.how', text);
  integer(program.definition, 'programs.definition', -1, pools.frames);
  integer(program.call, 'programs.call', -1, pools.frames);
  checkEach(program.arguments, 'programs.arguments', checkArgument);
  orNull(program.result, 'programs.result', checkArgument);
  integer(program.scope, 'programs.scope', 0, pools.scopes);
  checkEach(program.input_names, 'programs.input_names', text);
  checkEach(program.result_names, 'programs.result_names', text);
  integer(program.equations, 'programs.equations', 0);
  flag(program.complete, 'programs.complete');
  orNull(program.lets, 'programs.lets', (lets, field) =>
    checkEach(lets, field, value => {
      const nameOfScope = row(value, field, 2);
      integer(nameOfScope[0], 'programs.lets.scope', 0, pools.scopes);
      integer(nameOfScope[1], 'programs.lets.name', 0, pools.strings);
    })
  );
  checkEach(program.levels, 'programs.levels', level =>
    checkLevel(level, pools)
  );
  orNull(program.stages, 'programs.stages', checkStages);
  orNull(program.activity, 'programs.activity', checkActivity);
  orNull(program.summary ?? null, 'programs.summary', checkSummary);
  oneOf(withDefault(program.group, 'jit'), 'programs.group', GROUPS);
  flag(withDefault(program.library, false), 'programs.library');
}

function checkSummary(value: unknown): void {
  const summary = fields(value, 'summary');
  checkEach(summary.size, 'summary.size', text);
  orNull(summary.activity, 'summary.activity', text);
  orNull(summary.origin, 'summary.origin', text);
}

function checkArgument(value: unknown, field: string): void {
  const argument = fields(value, field);
  text(argument.name, field);
  text(argument.type, field);
  text(argument.summary, field);
  flag(argument.static, field);
  flag(argument.donated, field);
}

function checkStages(value: unknown): void {
  const stages = fields(value, 'stages');
  for (const stage of [
    'trace',
    'lower',
    'compile',
    'first_run',
    'rest',
    'total'
  ]) {
    orNull(stages[stage], `stages.${stage}`, seconds);
  }
  flag(stages.from_disk, 'stages.from_disk');
}

function checkActivity(value: unknown): void {
  const activity = fields(value, 'activity');
  flag(activity.calls_exact, 'activity.calls_exact');
  for (const name of [
    'calls',
    'misses',
    'traces',
    'lowerings',
    'compiles',
    'from_disk',
    'inlined',
    'raised'
  ]) {
    orNull(activity[name], `activity.${name}`, count);
  }
}

/** Check a named value: a name of the user's Python, and the traced array or container that it had. */
export function checkNamedValue(
  value: unknown,
  field: string,
  pools: IPools,
  scopes: readonly Scope[]
): NamedValue {
  const named = fields(value, field);
  integer(named.frame, `${field}.frame`, 0, pools.frames);
  integer(named.name, `${field}.name`, 0, pools.strings);
  oneOf(named.kind, `${field}.kind`, NAMED_KINDS);
  const scope = integer(named.scope, `${field}.scope`, 0, scopes.length);
  const types = upTo(MOST.NamedValue.types, named.types, `${field}.types`);
  checkEach(types, `${field}.types`, (text, where) =>
    integer(text, where, 0, pools.strings)
  );
  const variables = upTo(
    MOST.NamedValue.variables,
    withDefault(named.variables, []),
    `${field}.variables`
  );
  checkEach(variables, `${field}.variables`, (variable, where) =>
    integer(variable, where, 0, scopes[scope].variable_avals.length)
  );
  orNull(withDefault(named.role, null), `${field}.role`, (role, where) =>
    oneOf(role, where, NAMED_ROLES)
  );
  orNull(withDefault(named.steps, null), `${field}.steps`, (steps, where) =>
    integer(steps, where, 0)
  );
  integer(
    withDefault(named.promoted, -1),
    `${field}.promoted`,
    -1,
    pools.strings
  );
  return named as unknown as NamedValue;
}

/** Check a call that raised an error and ended the trace: its program, and the variables of its operands. */
export function checkRaisedCall(
  value: unknown,
  field: string,
  programs: readonly Program[],
  scopes: readonly Scope[]
): RaisedCall {
  const call = fields(value, field);
  const at = `${field}.program`;
  const program = integer(call.program, at, 0, programs.length);
  const { variable_avals } = scopes[programs[program].scope];
  const operands = upTo(
    MOST.RaisedCall.operands,
    call.operands,
    `${field}.operands`
  );
  checkEach(operands, `${field}.operands`, (operand, where) =>
    integer(operand, where, 0, variable_avals.length)
  );
  return call as unknown as RaisedCall;
}
