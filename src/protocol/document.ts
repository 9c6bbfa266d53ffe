/**
 * Reads a decoded JSON value of any origin as a `Snapshot` with all indices in range, or states why that is impossible.
 *
 * A saved notebook is untrusted, and a kernel may be newer than this page. This check is the only one: views use
 * indices without a check. The version is checked first; unknown fields are ignored.
 */
import {
  Mismatch,
  checkEach,
  fields,
  finite,
  flag,
  withDefault,
  integer,
  list,
  oneOf,
  orNull,
  text,
  upTo
} from './structure';
import { ANSWERS_BY_PROGRAM } from './answers-by-program';
import { LIMITS, MOST } from './limits';
import { checkVariantComparison } from './comparison';
import { checkProgramCost } from './cost';
import { checkControlFlow } from './control-flow';
import { checkLedger } from './ledger';
import { checkProgramDiff } from './diff';
import { checkRecording } from './steps';
import { REQUESTS } from './request-table';
import { checkMachine, checkProgramTiming, checkSweep } from './timing';
import { checkTransforms } from './transform';
import { Environment, Program, Scope, Snapshot } from './snapshot';
import { checkPools } from './interned-pools';
import { checkDocumentScope, refuseCycles } from './scopes';
import { checkProgram, checkNamedValue, checkRaisedCall } from './programs';
import { checkNote, checkRetrace } from './notes';

/** The version of the document that this side reads. */
export const DOCUMENT_VERSION = 1;

/** The reason why a document or a message cannot be shown; the panel makes a sentence of it. */
export type Unreadable =
  | { unreadable: 'newer'; version: number; newest: number }
  | { unreadable: 'broken'; field: string; expected: string };

export function isUnreadable(value: object | Unreadable): value is Unreadable {
  return 'unreadable' in value;
}

/** Checks a whole document; never throws. */
export function readSnapshot(value: unknown): Snapshot | Unreadable {
  return readable(() => checkSnapshot(value));
}

/** Runs a check; if the check throws, returns the reason as an `Unreadable` instead. */
export function readable<T extends object>(check: () => T): T | Unreadable {
  try {
    return check();
  } catch (error) {
    if (error instanceof Newer) {
      return {
        unreadable: 'newer',
        version: error.version,
        newest: DOCUMENT_VERSION
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
  constructor(readonly version: number) {
    super();
  }
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
  checkEach(snapshot.untraced_lines, 'untraced_lines', (line, field) =>
    integer(line, field, 1)
  );

  const naming = fields(snapshot.naming, 'naming');
  flag(naming.share_jit_names, 'naming.share_jit_names');
  integer(naming.hoist_above, 'naming.hoist_above', 0);

  const some = (
    name: keyof typeof MOST.Snapshot,
    check: (value: unknown, field: string) => unknown
  ): readonly unknown[] => {
    const value = withDefault(snapshot[name], IN_EVERY.has(name) ? null : []);
    return checkEach(upTo(MOST.Snapshot[name], value, name), name, check);
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
  const scopes = checkEach(snapshot.scopes, 'scopes', scope =>
    checkDocumentScope(scope, pools)
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
  const controls = checkControlFlow(withDefault(snapshot.control_flow, []), {
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
    controls,
    frames: pools.frames,
    scopes: scopes.map(scope => scope.count)
  };
  some('costs', (cost, field) => checkProgramCost(cost, field, sizes));
  some('timings', (timing, field) =>
    checkProgramTiming(timing, field, programs)
  );
  for (const name of Object.keys(
    ANSWERS_BY_PROGRAM
  ) as (keyof typeof ANSWERS_BY_PROGRAM)[]) {
    once(REQUESTS[name].into, (answer, field) =>
      ANSWERS_BY_PROGRAM[name](answer, field, sizes)
    );
  }
  some('diffs', (diff, field) => {
    const { after } = checkProgramDiff(diff, field);
    integer(after.program, `${field}.after.program`, 0, programs);
  });
  orNull(snapshot.sweep ?? null, 'sweep', checkSweep);
  checkTransforms(withDefault(snapshot.transforms, []), 'transforms', sizes);
  orNull(snapshot.machine ?? null, 'machine', checkMachine);
  oneOf(withDefault(snapshot.values, 'kept'), 'values', VALUES);
  some('named_values', (value, field) =>
    checkNamedValue(value, field, pools, scopes)
  );
  once('raised_calls', (call, field) =>
    checkRaisedCall(call, field, snapshot.programs as Program[], scopes)
  );
  return snapshot as unknown as Snapshot;
}

const VALUES = ['kept', 'live', 'left_out'] as const;
/** The names of the lists that documents of every version have; older documents may lack the other lists. */
const IN_EVERY: ReadonlySet<string> = new Set(['programs', 'notes']);

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
