/** Checks the shardings of a document; a `Mismatch` names the wrong field. */
import { LIMITS, MOST } from './limits';
import { IDocumentSizes } from './document-sizes';
import { Collective, ProgramShardings, SpreadArray } from './snapshot';
import {
  withDefault,
  Fields,
  Mismatch,
  counted,
  checkEach,
  fields,
  flag,
  integer,
  oneOf,
  orNull,
  row,
  text,
  upTo
} from './structure';

const ROLES: readonly SpreadArray['role'][] = [
  'argument',
  'result',
  'constraint',
  'shard_map_in',
  'shard_map_out'
];
const ORIGINS: readonly SpreadArray['origin'][] = [
  'given',
  'stated',
  'chosen',
  'unknown'
];

export function checkProgramShardings(
  value: unknown,
  field: string,
  sizes: IDocumentSizes
): ProgramShardings {
  const shardings = fields(value, field);
  integer(shardings.program, `${field}.program`, 0, sizes.programs);
  const most = MOST.ProgramShardings;
  const devices = new Set(
    numbers(
      upTo(most.devices, shardings.devices, `${field}.devices`),
      `${field}.devices`
    )
  );
  const layouts = upTo(most.layouts, shardings.layouts, `${field}.layouts`).map(
    layout => checkLayout(layout, `${field}.layouts`)
  );
  upTo(most.arrays, shardings.arrays, `${field}.arrays`).forEach(array =>
    checkArray(array, `${field}.arrays`, layouts, sizes)
  );
  integer(withDefault(shardings.left_out, 0), `${field}.left_out`, 0);
  orNull(shardings.collectives ?? null, `${field}.collectives`, (all, name) =>
    upTo(LIMITS.ARRAYS, all, name).forEach(collective =>
      checkCollective(collective, name, sizes, devices)
    )
  );
  integer(
    withDefault(shardings.collectives_left_out, 0),
    `${field}.collectives_left_out`,
    0
  );
  orNull(shardings.bytes ?? null, `${field}.bytes`, counted);
  orNull(shardings.sent ?? null, `${field}.sent`, counted);
  text(withDefault(shardings.exchanged, ''), `${field}.exchanged`);
  return shardings as unknown as ProgramShardings;
}

/** Check a layout: the number of parts into which the layout cuts each axis. */
function checkLayout(value: unknown, field: string): readonly number[] {
  const layout = fields(value, field);
  text(layout.kind, `${field}.kind`);
  text(layout.spec, `${field}.spec`);
  upTo(MOST.Layout.mesh, layout.mesh, `${field}.mesh`).forEach(entry => {
    const axis = row(entry, `${field}.mesh`, 2);
    text(axis[0], `${field}.mesh.name`);
    integer(axis[1], `${field}.mesh.size`, 1);
  });
  const splits = numbers(
    upTo(MOST.Layout.splits, layout.splits, `${field}.splits`),
    `${field}.splits`,
    1
  );
  const holders = upTo(
    MOST.Layout.holders,
    layout.holders,
    `${field}.holders`
  ).map(holder => numbers(holder, `${field}.holders`));
  const parts = splits.reduce((all, split) => all * split, 1);
  if (holders.length > 0 && holders.length !== parts) {
    throw new Mismatch(`${field}.holders`, `${parts} entries, one a part`);
  }
  return splits;
}

function checkArray(
  value: unknown,
  field: string,
  layouts: readonly (readonly number[])[],
  sizes: IDocumentSizes
): void {
  const array = fields(value, field);
  oneOf(array.role, `${field}.role`, ROLES);
  oneOf(array.origin, `${field}.origin`, ORIGINS);
  text(array.name, `${field}.name`);
  text(array.type, `${field}.type`);
  text(withDefault(array.decided, ''), `${field}.decided`);
  const shape = upTo(MOST.SpreadArray.shape, array.shape, `${field}.shape`);
  shape.forEach(axis =>
    typeof axis === 'string'
      ? text(axis, `${field}.shape`)
      : integer(axis, `${field}.shape`, 0)
  );
  orNull(array.bytes, `${field}.bytes`, counted);
  const place = integer(array.layout, `${field}.layout`, 0, layouts.length);
  const splits = layouts[place];
  const shard = orNull(array.shard, `${field}.shard`, numbers);
  if (
    (splits.length > 0 && splits.length !== shape.length) ||
    (shard !== null && shard.length !== shape.length)
  ) {
    throw new Mismatch(`${field}.shard`, 'as many axes as its array');
  }
  if (withDefault(array.scope, -1) === -1) {
    integer(withDefault(array.equation, -1), `${field}.equation`, -1, 0);
  } else {
    checkEquation([array.scope, array.equation], field, sizes);
  }
}

function checkCollective(
  value: unknown,
  field: string,
  sizes: IDocumentSizes,
  devices: ReadonlySet<number>
): Collective {
  const collective: Fields = fields(value, field);
  for (const name of ['name', 'kind', 'groups_text']) {
    text(collective[name], `${field}.${name}`);
  }
  for (const name of ['line', 'arrays']) {
    integer(collective[name], `${field}.${name}`, 0);
  }
  counted(collective.runs, `${field}.runs`);
  orNull(collective.bytes, `${field}.bytes`, counted);
  orNull(collective.sent, `${field}.sent`, counted);
  flag(withDefault(collective.per_trip, false), `${field}.per_trip`);
  flag(withDefault(collective.conditional, false), `${field}.conditional`);
  text(withDefault(collective.often, ''), `${field}.often`);
  upTo(MOST.Collective.groups, collective.groups, `${field}.groups`).forEach(
    group => {
      const unknown = numbers(group, `${field}.groups`).find(
        device => !devices.has(device)
      );
      if (unknown !== undefined) {
        throw new Mismatch(`${field}.groups`, 'devices of this program');
      }
    }
  );
  upTo(MOST.Collective.causes, collective.causes, `${field}.causes`).forEach(
    value => {
      const cause = fields(value, `${field}.causes`);
      orNull(cause.bytes, `${field}.causes.bytes`, counted);
      text(cause.op_name, `${field}.causes.op_name`);
      text(cause.file, `${field}.causes.file`);
      orNull(cause.line, `${field}.causes.line`, (line, name) =>
        integer(line, name, 1)
      );
      integer(withDefault(cause.left_out, 0), `${field}.causes.left_out`, 0);
      flag(withDefault(cause.inferred, false), `${field}.causes.inferred`);
      upTo(
        MOST.Cause.equations,
        cause.equations,
        `${field}.causes.equations`
      ).forEach(place =>
        checkEquation(row(place, `${field}.causes.equations`, 2), field, sizes)
      );
    }
  );
  return collective as unknown as Collective;
}

function checkEquation(
  [scope, equation]: readonly unknown[],
  field: string,
  sizes: IDocumentSizes
): void {
  const place = integer(scope, `${field}.scope`, 0, sizes.scopes.length);
  integer(equation, `${field}.equation`, 0, sizes.scopes[place]);
}

function numbers(value: unknown, field: string, least = 0): readonly number[] {
  return checkEach(value, field, entry =>
    integer(entry, field, least)
  ) as readonly number[];
}
