/** Writes the sentences about the sharded arrays and the collectives of a program. */
import { TranslationBundle } from '@jupyterlab/translation';

import type {
  Cause,
  Collective,
  ProgramShardings,
  Snapshot,
  SpreadArray
} from '../../protocol/snapshot';
import { listOf } from '../../parts/list-of';
import { size } from '../../quantities';

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

/** The part of an array that each device holds, in words. */
export function shardWords(
  array: SpreadArray,
  trans: TranslationBundle
): string {
  return array.shard === null
    ? trans.__('shape of the shard unknown')
    : trans.__('shard of shape [%1] on each device', array.shard.join(','));
}

/** The summary line: devices, collectives, bytes. */
export function summaryWords(
  shardings: ProgramShardings,
  trans: TranslationBundle
): string {
  const collectives = shardings.collectives ?? null;
  const bytes = shardings.bytes ?? null;
  const words = [trans._n('%1 device', '%1 devices', shardings.devices.length)];
  if (collectives !== null) {
    words.push(
      trans._n(
        '%1 collective',
        '%1 collectives',
        collectives.length + (shardings.collectives_left_out ?? 0)
      )
    );
    if (bytes !== null && collectives.length > 0) {
      words.push(
        trans.__('results of %1 on each device per call', size(bytes))
      );
    }
  }
  return words.join(' · ');
}

/** The bytes that a collective moves on each device, and how many times it runs. */
export function movedWords(
  { bytes, often, arrays }: Collective,
  trans: TranslationBundle
): string {
  const words = [
    bytes === null
      ? trans.__('size of the result unknown')
      : trans.__('result of %1 on each device', size(bytes)),
    often ?? ''
  ];
  if (arrays > 1) {
    words.push(trans.__('%1 arrays in one collective', arrays));
  }
  return listOf(
    words.filter(word => word !== ''),
    trans
  );
}

/** Where the values of a collective come from: each source line, with the primitives of its equations. */
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
      const isInferred = causes.some(({ inferred }) => inferred === true);
      const primitives = [...names].join(', ');
      if (primitives === '') {
        return isInferred
          ? trans.__('%1 (source line inferred)', place)
          : place;
      }
      return isInferred
        ? trans._n(
            '%2: %3 (source line inferred)',
            '%2: %3 (%1 equations, source line inferred)',
            count,
            place,
            primitives
          )
        : trans._n('%2: %3', '%2: %3 (%1 equations)', count, place, primitives);
    })
    .join(' · ');
}

function placeWords(
  { line, file }: Cause,
  { cell, files }: Snapshot,
  trans: TranslationBundle
): string {
  if (line === null) {
    return trans.__('source line unknown');
  }
  if (file === cell?.file) {
    return trans.__('line %1', line);
  }
  const sourceFile = files.find(({ path }) => path === file);
  return sourceFile?.kind === 'cell'
    ? trans.__('cell [%1], line %2', sourceFile.execution_count ?? '?', line)
    : trans.__('%1, line %2', file.slice(file.lastIndexOf('/') + 1), line);
}

/** The groups of devices that take part in a collective. */
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
