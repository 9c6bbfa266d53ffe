/**
 * A decoded JSON value of any origin comes in; a `Snapshot` whose every index is in range goes out, or why not.
 *
 * A saved notebook is untrusted and a kernel may be newer than this page, so nothing behind this door looks
 * again: views index pools without fear. The version is looked at first; fields that are not known are ignored.
 */
import { LIMITS, MOST } from './limits';
import {
  given,
  Mismatch,
  each,
  fields,
  finite,
  flag,
  indices,
  integer,
  list,
  oneOf,
  orNull,
  row,
  seconds,
  text,
  upTo
} from './structure';
import { checkVariantComparison } from './comparison';
import { checkProgramCost } from './cost';
import { checkCure, checkCureLevel, checkEdits } from './cures';
import { checkProgramShardings } from './shardings';
import { checkControlFlow } from './control-flow';
import { checkLedger } from './ledger';
import { checkExactLinks } from './exact-links';
import { checkProgramPasses } from './passes';
import { checkRecording } from './recording';
import { checkMachine, checkProgramTiming, checkSweep } from './timing';
import { checkTransforms } from './transform';
import {
  Environment,
  NamedValue,
  Program,
  RaisedCall,
  Scope,
  ScopePage,
  Snapshot,
  TextPage
} from './snapshot';

/** The version of the document that this side reads. */
export const DOCUMENT_VERSION = 1;

/** Why a document or a message cannot be shown; the panel makes a sentence of it. */
export type Unreadable =
  | { unreadable: 'newer'; found: number; known: number }
  | { unreadable: 'broken'; field: string; expected: string };

export function isUnreadable(value: object | Unreadable): value is Unreadable {
  return 'unreadable' in value;
}

/** Look at a whole document; never throws. */
export function readSnapshot(value: unknown): Snapshot | Unreadable {
  return readable(() => checkSnapshot(value));
}

/** Run a check; a mismatch, or anything else that goes wrong in it, becomes a value. */
export function readable<T extends object>(check: () => T): T | Unreadable {
  try {
    return check();
  } catch (error) {
    if (error instanceof Newer) {
      return {
        unreadable: 'newer',
        found: error.found,
        known: DOCUMENT_VERSION
      };
    }
    const mismatch =
      error instanceof Mismatch ? error : new Mismatch('document', 'readable');
    return {
      unreadable: 'broken',
      field: mismatch.field,
      expected: mismatch.expected
    };
  }
}

class Newer extends Error {
  constructor(readonly found: number) {
    super();
  }
}

/** How long the pools are that indices point into. */
interface IPools {
  strings: number;
  avals: number;
  literals: number;
  parameterLists: number;
  files: number;
  frames: number;
  stacks: number;
  scopes: number;
}

export function checkSnapshot(value: unknown): Snapshot {
  const snapshot = fields(value, 'snapshot');
  const version = integer(snapshot.version, 'version', 1);
  if (version > DOCUMENT_VERSION) {
    throw new Newer(version);
  }
  text(snapshot.id, 'id');
  const created = finite(snapshot.created, 'created');
  if (created < 0 || created > LIMITS.LAST_SECOND) {
    throw new Mismatch('created', 'a date from 1970 to 9999, in seconds');
  }
  orNull(snapshot.title, 'title', text);
  flag(snapshot.pinned, 'pinned');
  checkEnvironment(snapshot.environment);
  orNull(snapshot.cell, 'cell', checkCell);
  orNull(snapshot.message, 'message', text);
  orNull(snapshot.cut, 'cut', text);
  each(snapshot.untraced_lines, 'untraced_lines', (line, field) =>
    integer(line, field, 1)
  );

  const naming = fields(snapshot.naming, 'naming');
  flag(naming.share_jit_names, 'naming.share_jit_names');
  integer(naming.hoist_above, 'naming.hoist_above', 0);

  const some = (
    name: keyof typeof MOST.Snapshot,
    check: (value: unknown, field: string) => unknown
  ): readonly unknown[] => {
    const value = given(snapshot[name], IN_EVERY.has(name) ? null : []);
    return each(upTo(MOST.Snapshot[name], value, name), name, check);
  };
  const once = (
    name: keyof typeof MOST.Snapshot,
    check: (value: unknown, field: string) => { program: number }
  ): void => {
    const programs = new Set<number>();
    const { length } = some(name, (value, field) =>
      programs.add(check(value, field).program)
    );
    if (programs.size !== length) {
      throw new Mismatch(name, 'each program once');
    }
  };

  for (const pool of ['avals', 'literals', 'parameter_lists']) {
    list(snapshot[pool], pool);
  }
  const pools = checkPools(snapshot, list(snapshot.scopes, 'scopes').length);
  const scopes = each(snapshot.scopes, 'scopes', scope =>
    checkScope(scope, pools)
  ) as readonly Scope[];
  for (const scope of scopes) {
    if (scope.primitive.length < scope.count && scope.names === null) {
      throw new Mismatch('scopes.names', 'names, as equations are missing');
    }
  }
  refuseCycles(scopes);
  integer(
    scopes.reduce((all, scope) => all + scope.count, 0),
    'scopes.count',
    0,
    LIMITS.EQUATIONS + 1
  );
  integer(
    scopes.reduce((all, scope) => all + scope.primitive.length, 0),
    'scopes.primitive',
    0,
    LIMITS.HELD + 1
  );

  const programs = some('programs', program =>
    checkProgram(program, pools)
  ).length;
  integer(snapshot.focus, 'focus', -1, programs);
  some('notes', note => checkNote(note, programs, pools));
  orNull(snapshot.retrace ?? null, 'retrace', retrace =>
    checkRetrace(retrace, pools)
  );
  if (snapshot.ledger !== undefined) {
    orNull(snapshot.ledger, 'ledger', ledger =>
      checkLedger(ledger, pools.frames)
    );
  }
  const controls = checkControlFlow(given(snapshot.control_flow, []), {
    ...pools,
    programs,
    scopes
  });
  some('recordings', (recording, field) =>
    checkRecording(recording, field, controls)
  );
  orNull(snapshot.comparison ?? null, 'comparison', (comparison, field) =>
    checkVariantComparison(comparison, field, programs)
  );
  const sizes = {
    programs,
    frames: pools.frames,
    scopes: scopes.map(scope => scope.count)
  };
  some('costs', (cost, field) => checkProgramCost(cost, field, sizes));
  once('shardings', (shardings, field) =>
    checkProgramShardings(shardings, field, sizes)
  );
  some('timings', (timing, field) =>
    checkProgramTiming(timing, field, programs)
  );
  once('passes', (passes, field) =>
    checkProgramPasses(passes, field, programs)
  );
  once('exact_links', (links, field) =>
    checkExactLinks(links, field, programs)
  );
  orNull(snapshot.sweep ?? null, 'sweep', checkSweep);
  checkTransforms(given(snapshot.transforms, []), 'transforms', sizes);
  orNull(snapshot.machine ?? null, 'machine', checkMachine);
  oneOf(given(snapshot.values, 'kept'), 'values', VALUES);
  some('named_values', (value, field) =>
    checkNamedValue(value, field, pools, scopes)
  );
  once('raised_calls', (call, field) =>
    checkRaisedCall(call, field, snapshot.programs as Program[], scopes)
  );
  return snapshot as unknown as Snapshot;
}

const VALUES = ['kept', 'live', 'left_out'] as const;
/** Lists that documents of every version have. */
const IN_EVERY: ReadonlySet<string> = new Set(['programs', 'notes']);

/** Check what a name of the user's Python had. */
function checkNamedValue(
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
  each(types, `${field}.types`, (text, where) =>
    integer(text, where, 0, pools.strings)
  );
  const variables = upTo(
    MOST.NamedValue.variables,
    given(named.variables, []),
    `${field}.variables`
  );
  each(variables, `${field}.variables`, (variable, where) =>
    integer(variable, where, 0, scopes[scope].variable_avals.length)
  );
  orNull(given(named.role, null), `${field}.role`, (role, where) =>
    oneOf(role, where, NAMED_ROLES)
  );
  orNull(given(named.steps, null), `${field}.steps`, (steps, where) =>
    integer(steps, where, 0)
  );
  integer(given(named.promoted, -1), `${field}.promoted`, -1, pools.strings);
  return named as unknown as NamedValue;
}

const NAMED_KINDS = ['parameter', 'assigned', 'returned'] as const;
const NAMED_ROLES = ['carry', 'xs', 'ys'] as const;

/** Check the operands of a call that raised. */
function checkRaisedCall(
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
  each(operands, `${field}.operands`, (operand, where) =>
    integer(operand, where, 0, variable_avals.length)
  );
  return call as unknown as RaisedCall;
}

export function checkEnvironment(value: unknown): Environment {
  const environment = fields(value, 'environment');
  text(environment.jupyter_jaxpr, 'environment.jupyter_jaxpr');
  text(environment.python, 'environment.python');
  orNull(environment.jax, 'environment.jax', text);
  orNull(environment.jaxlib, 'environment.jaxlib', text);
  orNull(environment.backend, 'environment.backend', text);
  orNull(environment.device, 'environment.device', text);
  integer(environment.device_count, 'environment.device_count', 0);
  oneOf(environment.tier, 'environment.tier', TIERS);
  orNull(environment.tier_note, 'environment.tier_note', text);
  return environment as unknown as Environment;
}

const TIERS = ['hooks', 'events', 'inspection', 'none'] as const;

function checkCell(value: unknown): void {
  const cell = fields(value, 'cell');
  orNull(cell.id, 'cell.id', text);
  orNull(cell.execution_count, 'cell.execution_count', (count, field) =>
    integer(count, field, 0)
  );
  text(cell.file, 'cell.file');
  text(cell.source, 'cell.source');
}

/** The pools that a document and its pages share; what a page lacks counts as empty. */
function checkPools(
  holder: Readonly<Record<string, unknown>>,
  scopes: number
): IPools {
  const strings = each(holder.strings, 'strings', text).length;
  const avals =
    holder.avals === undefined
      ? 0
      : each(holder.avals, 'avals', checkAval).length;
  const literals =
    holder.literals === undefined
      ? 0
      : each(holder.literals, 'literals', value => {
          const literal = row(value, 'literals', 2);
          integer(literal[0], 'literals.text', 0, strings);
          integer(literal[1], 'literals.aval', 0, avals);
        }).length;
  const parameterLists =
    holder.parameter_lists === undefined
      ? 0
      : each(holder.parameter_lists, 'parameter_lists', parameters =>
          each(parameters, 'parameter_lists', value => {
            const parameter = row(value, 'parameter_lists', 2);
            integer(parameter[0], 'parameter_lists.name', 0, strings);
            integer(parameter[1], 'parameter_lists.value', -1, strings);
          })
        ).length;
  const files = each(holder.files, 'files', checkFile).length;
  const frames = each(holder.frames, 'frames', value => {
    const frame = row(value, 'frames', 6);
    integer(frame[0], 'frames.file', 0, files);
    integer(frame[1], 'frames.function', 0, strings);
    const line = integer(frame[2], 'frames.line', 0);
    integer(frame[3], 'frames.column', -1);
    integer(frame[4], 'frames.end_line', line);
    integer(frame[5], 'frames.end_column', -1);
  }).length;
  const stacks = each(holder.stacks, 'stacks', value => {
    const stack = row(value, 'stacks', 2);
    indices(stack[0], 'stacks.frames', 0, frames);
    indices(stack[1], 'stacks.library', 0, frames);
  }).length;
  return {
    strings,
    avals,
    literals,
    parameterLists,
    files,
    frames,
    stacks,
    scopes
  };
}

function checkAval(value: unknown): void {
  const aval = fields(value, 'avals');
  text(aval.text, 'avals.text');
  each(aval.shape, 'avals.shape', (size, field) =>
    typeof size === 'string' ? text(size, field) : integer(size, field, 0)
  );
  text(aval.dtype, 'avals.dtype');
  flag(aval.weak, 'avals.weak');
  orNull(aval.sharding, 'avals.sharding', text);
}

function checkFile(value: unknown): void {
  const file = fields(value, 'files');
  text(file.path, 'files.path');
  oneOf(file.kind, 'files.kind', ['cell', 'user', 'library'] as const);
  orNull(file.cell_id, 'files.cell_id', text);
  orNull(file.execution_count, 'files.execution_count', (count, field) =>
    integer(count, field, 0)
  );
  orNull(file.source, 'files.source', text);
}

function checkScope(value: unknown, pools: IPools): Scope {
  const scope = fields(value, 'scopes');
  integer(scope.name, 'scopes.name', -1, pools.strings);
  const constants = integer(scope.constants, 'scopes.constants', 0);
  const inputs = integer(scope.inputs, 'scopes.inputs', 0);
  const count = integer(scope.count, 'scopes.count', 0, LIMITS.EQUATIONS + 1);
  integer(scope.total, 'scopes.total', count);
  const firstEquation = integer(
    scope.first_equation,
    'scopes.first_equation',
    0,
    count + 1
  );
  const firstVariable = integer(
    scope.first_variable,
    'scopes.first_variable',
    0
  );

  const primitives = indices(
    scope.primitive,
    'scopes.primitive',
    0,
    pools.strings
  ).length;
  if (firstEquation + primitives > count) {
    throw new Mismatch('scopes.primitive', `at most ${count} equations`);
  }
  const whole = firstEquation === 0 && primitives === count;
  const outputCounts = list(scope.output_counts, 'scopes.output_counts');
  let bound = 0;
  for (let i = 0; i < outputCounts.length; i++) {
    bound += integer(outputCounts[i], 'scopes.output_counts', 0);
  }
  sameLength(outputCounts, 'scopes.output_counts', primitives);

  const here = indices(
    scope.variable_avals,
    'scopes.variable_avals',
    0,
    pools.avals
  ).length;
  // A first page holds the constants and inputs too; a later one only what its equations bind.
  const expected = firstEquation === 0 ? constants + inputs + bound : bound;
  if (here !== expected) {
    throw new Mismatch('scopes.variable_avals', `${expected} variables`);
  }
  const variables = firstVariable + here;
  const lowest = -pools.literals;

  const operands = list(scope.operands, 'scopes.operands');
  sameLength(operands, 'scopes.operands', primitives);
  // An equation reads what stands before it.
  bound = firstEquation === 0 ? constants + inputs : firstVariable;
  for (let i = 0; i < operands.length; i++) {
    indices(operands[i], 'scopes.operands', lowest, bound);
    bound += outputCounts[i] as number;
  }
  indices(
    scope.outputs,
    'scopes.outputs',
    lowest,
    whole ? variables : Number.MAX_SAFE_INTEGER
  );
  indices(scope.dropped, 'scopes.dropped', 0, Number.MAX_SAFE_INTEGER);
  const names = orNull(scope.names, 'scopes.names', (value, field) =>
    each(value, field, text)
  );
  if (names) {
    sameLength(names, 'scopes.names', here);
  }
  sameLength(
    indices(scope.parameters, 'scopes.parameters', -1, pools.parameterLists),
    'scopes.parameters',
    primitives
  );
  sameLength(
    indices(scope.stack, 'scopes.stack', -1, pools.stacks),
    'scopes.stack',
    primitives
  );
  sameLength(
    indices(scope.name_stack, 'scopes.name_stack', 0, pools.strings),
    'scopes.name_stack',
    primitives
  );

  const afterLast = firstEquation + primitives;
  let before = firstEquation;
  each(scope.children, 'scopes.children', value => {
    const child = row(value, 'scopes.children', 4);
    before = integer(child[0], 'scopes.children.equation', before, afterLast);
    integer(child[1], 'scopes.children.parameter', 0, pools.strings);
    integer(child[2], 'scopes.children.position', -1);
    integer(child[3], 'scopes.children.scope', 0, pools.scopes);
  });
  each(scope.effects, 'scopes.effects', value => {
    const effects = row(value, 'scopes.effects', 2);
    integer(effects[0], 'scopes.effects.equation', firstEquation, afterLast);
    indices(effects[1], 'scopes.effects', 0, pools.strings);
  });
  return scope as unknown as Scope;
}

function sameLength(
  entries: readonly unknown[],
  field: string,
  length: number
): void {
  if (entries.length !== length) {
    throw new Mismatch(field, `${length} entries`);
  }
}

/** A jaxpr never contains itself, and is not deeper than a printer goes. */
function refuseCycles(scopes: readonly Scope[]): void {
  const OPEN = -1;
  /** Of each scope: how many are inside each other from there on; 0 where that is not known yet. */
  const depth = new Int32Array(scopes.length);
  // An explicit stack: nesting may be deeper than JavaScript's own.
  const path: { scope: number; next: number; inside: number }[] = [];
  const enter = (scope: number): void => {
    depth[scope] = OPEN;
    path.push({ scope, next: 0, inside: 0 });
  };
  for (let start = 0; start < scopes.length; start++) {
    if (depth[start] === 0) {
      enter(start);
    }
    while (path.length > 0) {
      const top = path[path.length - 1];
      const { children } = scopes[top.scope];
      if (top.next === children.length) {
        depth[top.scope] = top.inside + 1;
        if (depth[top.scope] > LIMITS.DEPTH) {
          throw new Mismatch(
            'scopes.children',
            `at most ${LIMITS.DEPTH} programs inside each other`
          );
        }
        path.pop();
        continue;
      }
      const child = children[top.next][3];
      if (depth[child] === OPEN) {
        throw new Mismatch(
          'scopes.children',
          'scopes that do not hold themselves'
        );
      }
      if (depth[child] === 0) {
        enter(child);
        continue;
      }
      top.next++;
      top.inside = Math.max(top.inside, depth[child]);
    }
  }
}

function checkProgram(value: unknown, pools: IPools): void {
  const program = fields(value, 'programs');
  text(program.name, 'programs.name');
  oneOf(program.origin, 'programs.origin', ORIGINS);
  orNull(program.origin_note, 'programs.origin_note', text);
  orNull(program.how ?? null, 'programs.how', text);
  integer(program.definition, 'programs.definition', -1, pools.frames);
  integer(program.call, 'programs.call', -1, pools.frames);
  each(program.arguments, 'programs.arguments', checkArgument);
  orNull(program.result, 'programs.result', checkArgument);
  integer(program.scope, 'programs.scope', 0, pools.scopes);
  each(program.input_names, 'programs.input_names', text);
  each(program.result_names, 'programs.result_names', text);
  integer(program.equations, 'programs.equations', 0);
  flag(program.complete, 'programs.complete');
  orNull(program.lets, 'programs.lets', (lets, field) =>
    each(lets, field, value => {
      const one = row(value, field, 2);
      integer(one[0], 'programs.lets.scope', 0, pools.scopes);
      integer(one[1], 'programs.lets.name', 0, pools.strings);
    })
  );
  each(program.levels, 'programs.levels', level => checkLevel(level, pools));
  orNull(program.stages, 'programs.stages', checkStages);
  orNull(program.activity, 'programs.activity', checkActivity);
  orNull(program.summary ?? null, 'programs.summary', checkSummary);
  oneOf(given(program.group, 'jit'), 'programs.group', GROUPS);
  flag(given(program.library, false), 'programs.library');
}

function checkSummary(value: unknown): void {
  const summary = fields(value, 'summary');
  each(summary.size, 'summary.size', text);
  orNull(summary.activity, 'summary.activity', text);
  orNull(summary.origin, 'summary.origin', text);
}

const GROUPS = ['jit', 'eager', 'traced'] as const;
const ORIGINS = [
  'ran',
  'seen_before',
  'derived',
  'traced',
  'recorded'
] as const;

function checkArgument(value: unknown, field: string): void {
  const argument = fields(value, field);
  text(argument.name, field);
  text(argument.type, field);
  text(argument.summary, field);
  flag(argument.static, field);
  flag(argument.donated, field);
}

function checkLevel(value: unknown, pools: IPools): void {
  const level = fields(value, 'levels');
  oneOf(level.name, 'levels.name', LEVELS);
  const state = oneOf(level.state, 'levels.state', LEVEL_STATES);
  orNull(level.reason, 'levels.reason', text);
  orNull(level.characters, 'levels.characters', count);
  orNull(level.lines, 'levels.lines', count);
  orNull(level.sha256, 'levels.sha256', text);
  const held = orNull(level.text, 'levels.text', text);
  const lines = held?.split('\n').length ?? 0;
  if (state === 'held' && held === null) {
    throw new Mismatch('levels.text', 'a text, because its state is held');
  }
  orNull(level.line_stacks, 'levels.line_stacks', (stacks, field) =>
    indices(stacks, field, -1, pools.stacks)
  );
  if (state === 'held') {
    const stacks = list(level.line_stacks, 'levels.line_stacks');
    sameLength(stacks, 'levels.line_stacks', lines);
  }
  checkLines(level, 'levels', lines, pools);
}

/** What is said of some lines of a text beside their stacks; documents of older versions say nothing. */
function checkLines(
  value: Record<string, unknown>,
  name: string,
  lines: number,
  pools: IPools
): void {
  indices(given(value.inferred_lines, []), `${name}.inferred_lines`, 0, lines);
  each(given(value.other_stacks, []), `${name}.other_stacks`, (row, field) => {
    const [line, ...stacks] = indices(row, field, 0, Infinity);
    indices([line ?? -1], field, 0, lines);
    indices(stacks, field, 0, pools.stacks);
  });
  each(
    given(value.named_equations, []),
    `${name}.named_equations`,
    (row, field) => {
      const numbers = indices(row, field, 0, Number.MAX_SAFE_INTEGER);
      if (numbers.length !== 3) {
        throw new Mismatch(field, 'a line, a scope and an equation');
      }
      indices(numbers.slice(0, 1), field, 0, lines);
    }
  );
}

const LEVELS = ['stablehlo', 'hlo'] as const;
const LEVEL_STATES = ['held', 'on_request', 'not_made', 'absent'] as const;

function count(value: unknown, field: string): number {
  return integer(value, field, 0);
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

function checkRetrace(value: unknown, pools: IPools): void {
  const retrace = fields(value, 'retrace');
  text(retrace.call, 'retrace.call');
  integer(retrace.frame, 'retrace.frame', -1, pools.frames);
  text(retrace.question, 'retrace.question');
  flag(retrace.undoable, 'retrace.undoable');
}

function checkNote(value: unknown, programs: number, pools: IPools): void {
  const note = fields(value, 'notes');
  text(note.kind, 'notes.kind');
  text(note.text, 'notes.text');
  orNull(note.cure, 'notes.cure', text);
  orNull(note.detail, 'notes.detail', text);
  integer(note.program, 'notes.program', -1, programs);
  integer(note.frame, 'notes.frame', -1, pools.frames);
  orNull(note.bytes, 'notes.bytes', count);
  orNull(note.repetitions ?? null, 'notes.repetitions', count);
  orNull(note.carried ?? null, 'notes.carried', flag);
  orNull(note.code ?? null, 'notes.code', text);
  orNull(note.share ?? null, 'notes.share', seconds);
  orNull(note.title ?? null, 'notes.title', text);
  orNull(note.trial ?? null, 'notes.trial', text);
  each(given(note.price, []), 'notes.price', text);
  checkCureLevel(given(note.level, 'advice'), 'notes.level');
  checkEdits(given(note.edits, []), 'notes.edits', pools.frames);
  each(given(note.cures, []), 'notes.cures', cure =>
    checkCure(cure, 'notes.cures', pools.frames)
  );
}

/** A page of StableHLO or HLO, with pools of its own. */
export function checkTextPage(
  value: unknown,
  scopes: readonly number[] = []
): TextPage {
  const page = fields(value, 'text');
  oneOf(page.level, 'text.level', LEVELS);
  count(page.characters, 'text.characters');
  count(page.lines, 'text.lines');
  text(page.sha256, 'text.sha256');
  count(page.first_line, 'text.first_line');
  text(page.text, 'text.text');
  const pools = checkPools(page, 0);
  indices(page.line_stacks, 'text.line_stacks', -1, pools.stacks);
  checkLines(page, 'text', page.lines as number, pools);
  checkLineEquations(page.line_equations ?? null, page.lines as number, scopes);
  return page as unknown as TextPage;
}

/** Of a twin: which equations its lines come from, ascending; `scopes` has the equations of each scope. */
function checkLineEquations(
  value: unknown,
  lines: number,
  scopes: readonly number[]
): void {
  if (value === null) {
    return;
  }
  let before = -1;
  each(value, 'text.line_equations', (item, where) => {
    const numbers = indices(item, where, 0, Number.MAX_SAFE_INTEGER);
    if (numbers.length < 3 || numbers.length % 2 !== 1) {
      throw new Mismatch(where, 'a line, then scopes and equations');
    }
    before = integer(numbers[0], `${where}.line`, before + 1, lines);
    for (let i = 1; i < numbers.length; i += 2) {
      integer(numbers[i], `${where}.scope`, 0, scopes.length);
      integer(numbers[i + 1], `${where}.equation`, 0, scopes[numbers[i]]);
    }
  });
}

/** A page of equations; its children point to the scopes of the snapshot, of which there are `scopes`. */
export function checkScopePage(value: unknown, scopes: number): ScopePage {
  const page = fields(value, 'scope');
  const pools = checkPools(page, scopes);
  checkScopeEquations(page, 'scope', pools);
  each(given(page.inner, []), 'scope.inner', (item, where) => {
    const inner = fields(item, where);
    integer(inner.number, `${where}.number`, 0, scopes);
    checkScopeEquations(inner, where, pools);
  });
  return page as unknown as ScopePage;
}

function checkScopeEquations(
  value: Record<string, unknown>,
  where: string,
  pools: ReturnType<typeof checkPools>
): void {
  checkScope(value.scope, pools);
  // Variables of other pages: bound earlier, or results that are bound later.
  const operands = indices(
    value.operands,
    `${where}.operands`,
    0,
    Number.MAX_SAFE_INTEGER
  );
  sameLength(
    each(value.operand_names, `${where}.operand_names`, text),
    `${where}.operand_names`,
    operands.length
  );
}
