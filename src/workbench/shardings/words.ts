/**
 * Arrays and collectives of a program come in; their words go out.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type {
  Cause,
  Collective,
  ProgramShardings,
  Snapshot,
  SpreadArray
} from '../../protocol/snapshot';
import { grouped, size } from '../../quantities';

export function roleWords(
  role: SpreadArray['role'],
  trans: TranslationBundle
): string {
  switch (role) {
    case 'argument':
      return trans.__('argument');
    case 'result':
      return trans.__('result');
    case 'constraint':
      return 'sharding_constraint';
    case 'shard_map_in':
    case 'shard_map_out':
      return 'shard_map';
  }
}

/** Who decided how it is cut, and where. */
export function originWords(
  array: SpreadArray,
  snapshot: Snapshot,
  trans: TranslationBundle
): string {
  switch (array.origin) {
    case 'given':
      return trans.__('given');
    case 'chosen':
      return trans.__('chosen by XLA');
    case 'unknown':
      return '';
    case 'stated': {
      const line = lineOf(snapshot, array.scope ?? -1, array.equation ?? -1);
      return line === null
        ? trans.__('stated by its equation')
        : trans.__('line %1', line);
    }
  }
}

/** What each device holds of an array. */
export function shardWords(
  array: SpreadArray,
  trans: TranslationBundle
): string {
  return array.shard === null
    ? trans.__('part unknown')
    : trans.__('[%1] on each device', array.shard.join(','));
}

/** One line above all: devices, collectives, bytes. */
export function summaryWords(
  shardings: ProgramShardings,
  trans: TranslationBundle
): string {
  const devices = trans._n('%1 device', '%1 devices', shardings.devices.length);
  const collectives = shardings.collectives ?? null;
  if (collectives === null) {
    return devices;
  }
  if (collectives.length === 0) {
    return trans.__('%1, which exchange nothing', devices);
  }
  const count = trans._n(
    '%1 collective',
    '%1 collectives',
    collectives.length + (shardings.collectives_left_out ?? 0)
  );
  const bytes = shardings.bytes ?? null;
  return bytes === null
    ? trans.__('%1, %2', devices, count)
    : trans.__('%1, %2: %3 a call', devices, count, size(bytes));
}

/** What moves in one call. */
export function movedWords(
  shardings: ProgramShardings,
  trans: TranslationBundle
): string {
  const bytes = shardings.bytes ?? null;
  const sent = shardings.sent ?? null;
  const words = [
    bytes === null
      ? trans.__('How many bytes the collectives produce is unknown.')
      : trans.__(
          'The collectives produce %1 on each device in each call.',
          size(bytes)
        )
  ];
  if (sent !== null) {
    words.push(
      trans.__(
        'Each device sends about %1 for them: an estimate for the ring algorithm.',
        size(sent)
      )
    );
  }
  if ((shardings.collectives ?? []).some(one => one.per_trip === true)) {
    words.push(
      trans.__(
        'One step of a loop is counted where the number of its steps is unknown.'
      )
    );
  }
  if ((shardings.collectives ?? []).some(one => one.conditional === true)) {
    words.push(trans.__('Branches are counted as taken.'));
  }
  return words.join(' ');
}

/** Its bytes, times its runs. */
export function bytesWords(one: Collective, trans: TranslationBundle): string {
  const held = one.bytes === null ? trans.__('bytes unknown') : size(one.bytes);
  const words = [one.runs === 1 ? held : `${held} ×${grouped(one.runs)}`];
  if (one.per_trip === true) {
    words.push(trans.__('a step'));
  }
  if (one.conditional === true) {
    words.push(trans.__('if its branch is taken'));
  }
  return words.join(' ');
}

/** Where its values come from: each line, with the primitives of the equations there. */
export function causesWords(
  causes: readonly Cause[],
  snapshot: Snapshot,
  trans: TranslationBundle
): string {
  const lines = new Map<string, { causes: Cause[]; names: Set<string> }>();
  for (const cause of causes) {
    const place = placeWords(cause, snapshot, trans);
    const line = lines.get(place) ?? { causes: [], names: new Set() };
    line.causes.push(cause);
    for (const [scope, equation] of cause.equations) {
      const name =
        snapshot.strings[snapshot.scopes[scope]?.primitive[equation]];
      if (name !== undefined) {
        line.names.add(name);
      }
    }
    lines.set(place, line);
  }
  return [...lines]
    .map(([place, { causes, names }]) => {
      const count = causes.reduce(
        (all, { equations, left_out }) =>
          all + equations.length + (left_out ?? 0),
        0
      );
      const words =
        names.size === 0
          ? place
          : trans._n(
              '%2: %3',
              '%2: %3 (%1 equations)',
              count,
              place,
              [...names].join(', ')
            );
      return causes.some(({ inferred }) => inferred === true)
        ? trans.__('%1 (inferred)', words)
        : words;
    })
    .join('; ');
}

function placeWords(
  { line, file }: Cause,
  { cell, files }: Snapshot,
  trans: TranslationBundle
): string {
  if (line === null) {
    return trans.__('cause unknown: XLA states no place');
  }
  if (file === cell?.file) {
    return trans.__('line %1', line);
  }
  const known = files.find(({ path }) => path === file);
  return known?.kind === 'cell'
    ? trans.__('[%1] line %2', known.execution_count ?? '?', line)
    : trans.__('%1, line %2', file.slice(file.lastIndexOf('/') + 1), line);
}

/** Who takes part with whom. */
export function groupWords(
  { kind, groups, groups_text: printed }: Collective,
  trans: TranslationBundle
): string {
  if (groups.length === 0) {
    return printed === '' ? trans.__('all devices') : printed;
  }
  if (kind === 'collective-permute') {
    const pairs = groups.map(([from, to]) => `${from}→${to}`);
    return short(pairs, ' ');
  }
  return short(
    groups.map(group => `{${group.join(',')}}`),
    ' '
  );
}

function short(parts: readonly string[], between: string): string {
  return parts.length > 8
    ? `${parts.slice(0, 8).join(between)} …`
    : parts.join(between);
}

function lineOf(
  snapshot: Snapshot,
  scope: number,
  equation: number
): number | null {
  const stack = snapshot.scopes[scope]?.stack[equation] ?? -1;
  const [frame] = snapshot.stacks[stack]?.[0] ?? [];
  return snapshot.frames[frame]?.[2] ?? null;
}
