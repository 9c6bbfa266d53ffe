/**
 * How a program is spread over devices, decoded, comes in; it passes, or a `Mismatch` names the field.
 */
import { IDocumentSizes } from './cost';
import { Collective, ProgramShardings, SpreadArray } from './snapshot';
import {
  Fields,
  Mismatch,
  each,
  fields,
  flag,
  integer,
  list,
  oneOf,
  orNull,
  row,
  text,
  upTo
} from './structure';
import { duration as amount } from './timing';

const MOST = 10_000;
const MOST_HELD = 1_000_000;

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
  numbers(shardings.devices, `${field}.devices`);
  const layouts = upTo(MOST, shardings.layouts, `${field}.layouts`).map(one =>
    checkLayout(one, `${field}.layouts`)
  );
  upTo(MOST, shardings.arrays, `${field}.arrays`).forEach(one =>
    checkArray(one, `${field}.arrays`, layouts, sizes)
  );
  integer(shardings.left_out ?? 0, `${field}.left_out`, 0);
  orNull(shardings.collectives ?? null, `${field}.collectives`, (all, name) =>
    upTo(MOST, all, name).forEach(one => checkCollective(one, name, sizes))
  );
  integer(
    shardings.collectives_left_out ?? 0,
    `${field}.collectives_left_out`,
    0
  );
  orNull(shardings.bytes ?? null, `${field}.bytes`, amount);
  orNull(shardings.sent ?? null, `${field}.sent`, amount);
  text(shardings.exchanged ?? '', `${field}.exchanged`);
  return shardings as unknown as ProgramShardings;
}

/** Into how many parts it cuts each axis. */
function checkLayout(value: unknown, field: string): readonly number[] {
  const layout = fields(value, field);
  text(layout.kind, `${field}.kind`);
  text(layout.spec, `${field}.spec`);
  upTo(MOST, layout.mesh, `${field}.mesh`).forEach(one => {
    const axis = row(one, `${field}.mesh`, 2);
    text(axis[0], `${field}.mesh.name`);
    integer(axis[1], `${field}.mesh.size`, 1);
  });
  const splits = numbers(layout.splits, `${field}.splits`, 1);
  const holders = upTo(MOST_HELD, layout.holders, `${field}.holders`).map(one =>
    numbers(one, `${field}.holders`)
  );
  const parts = splits.reduce((all, one) => all * one, 1);
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
  text(array.decided ?? '', `${field}.decided`);
  const shape = list(array.shape, `${field}.shape`);
  shape.forEach(axis =>
    typeof axis === 'string'
      ? text(axis, `${field}.shape`)
      : integer(axis, `${field}.shape`, 0)
  );
  orNull(array.bytes, `${field}.bytes`, amount);
  const place = integer(array.layout, `${field}.layout`, 0, layouts.length);
  const splits = layouts[place];
  const shard = orNull(array.shard, `${field}.shard`, numbers);
  if (
    (splits.length > 0 && splits.length !== shape.length) ||
    (shard !== null && shard.length !== shape.length)
  ) {
    throw new Mismatch(`${field}.shard`, 'as many axes as its array');
  }
  if ((array.scope ?? -1) === -1) {
    integer(array.equation ?? -1, `${field}.equation`, -1, 0);
  } else {
    checkEquation([array.scope, array.equation], field, sizes);
  }
}

function checkCollective(
  value: unknown,
  field: string,
  sizes: IDocumentSizes
): Collective {
  const one: Fields = fields(value, field);
  for (const name of ['name', 'kind', 'groups_text']) {
    text(one[name], `${field}.${name}`);
  }
  for (const name of ['line', 'arrays']) {
    integer(one[name], `${field}.${name}`, 0);
  }
  amount(one.runs, `${field}.runs`);
  orNull(one.bytes, `${field}.bytes`, amount);
  orNull(one.sent, `${field}.sent`, amount);
  flag(one.per_trip ?? false, `${field}.per_trip`);
  flag(one.conditional ?? false, `${field}.conditional`);
  text(one.often ?? '', `${field}.often`);
  upTo(MOST, one.groups, `${field}.groups`).forEach(group =>
    numbers(group, `${field}.groups`)
  );
  upTo(MOST, one.causes, `${field}.causes`).forEach(value => {
    const cause = fields(value, `${field}.causes`);
    orNull(cause.bytes, `${field}.causes.bytes`, amount);
    text(cause.op_name, `${field}.causes.op_name`);
    text(cause.file, `${field}.causes.file`);
    orNull(cause.line, `${field}.causes.line`, (line, name) =>
      integer(line, name, 1)
    );
    integer(cause.left_out ?? 0, `${field}.causes.left_out`, 0);
    flag(cause.inferred ?? false, `${field}.causes.inferred`);
    upTo(MOST, cause.equations, `${field}.causes.equations`).forEach(place =>
      checkEquation(row(place, `${field}.causes.equations`, 2), field, sizes)
    );
  });
  return one as unknown as Collective;
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
  return each(value, field, one =>
    integer(one, field, least)
  ) as readonly number[];
}
