/** Checks the comparison of a document; a `Mismatch` names the wrong field. */
import { MOST } from './limits';
import { Variant, VariantComparison } from './snapshot';
import {
  withDefault,
  amount,
  fields,
  flag,
  integer,
  oneOf,
  orNull,
  text,
  upTo
} from './structure';
import { checkWarmTime } from './timing';

const DIFFERENTIABLE: readonly Variant['differentiable'][] = [
  'reverse',
  'forward',
  'none',
  'no_floats',
  'unknown'
];

const AGREES: readonly Variant['agrees'][] = [
  'same_bits',
  'close',
  'differs',
  'other_types',
  'unknown'
];

const MODES: readonly NonNullable<Variant['mode']>[] = [
  'jitted',
  'jitted_here',
  'eager',
  'missing'
];

/**
 * Checks a comparison of variants.
 * @param programs The number of programs in the document; without it, any index of a program is accepted.
 */
export function checkVariantComparison(
  value: unknown,
  field = 'comparison',
  programs: number = Number.MAX_SAFE_INTEGER
): VariantComparison {
  const comparison = fields(value, field);
  text(comparison.call, `${field}.call`);
  for (const variant of upTo(
    MOST.VariantComparison.variants,
    comparison.variants,
    `${field}.variants`
  )) {
    checkVariant(variant, `${field}.variants`, programs);
  }
  for (const sentence of upTo(
    MOST.VariantComparison.verdict,
    comparison.verdict,
    `${field}.verdict`
  )) {
    text(sentence, `${field}.verdict`);
  }
  orNull(comparison.stopped, `${field}.stopped`, text);
  orNull(comparison.sweep ?? null, `${field}.sweep`, text);
  text(withDefault(comparison.arguments, ''), `${field}.arguments`);
  return comparison as unknown as VariantComparison;
}

function checkVariant(value: unknown, field: string, programs: number): void {
  const variant = fields(value, field);
  text(variant.name, `${field}.name`);
  integer(variant.program, `${field}.program`, -1, programs);
  for (const name of ['equations', 'recompiles']) {
    orNull(variant[name], `${field}.${name}`, count);
  }
  for (const stage of ['trace', 'lower', 'compile']) {
    orNull(variant[stage], `${field}.${stage}`, amount);
  }
  flag(variant.from_disk, `${field}.from_disk`);
  orNull(variant.warm, `${field}.warm`, checkWarmTime);
  oneOf(variant.differentiable, `${field}.differentiable`, DIFFERENTIABLE);
  oneOf(variant.agrees, `${field}.agrees`, AGREES);
  oneOf(withDefault(variant.mode, 'jitted'), `${field}.mode`, MODES);
  integer(withDefault(variant.calls, 0), `${field}.calls`, 0);
  for (const name of ['notes', 'remarks'] as const) {
    for (const sentence of upTo(
      MOST.Variant[name],
      withDefault(variant[name], []),
      `${field}.${name}`
    )) {
      text(sentence, `${field}.${name}`);
    }
  }
  for (const words of [
    'differentiable_note',
    'result',
    'difference',
    'error'
  ]) {
    orNull(variant[words], `${field}.${words}`, text);
  }
}

function count(value: unknown, field: string): number {
  return integer(value, field, 0);
}
