/**
 * A decoded comparison of variants comes in; it passes, or a `Mismatch` names the field.
 */
import { Variant, VariantComparison } from './snapshot';
import { fields, flag, integer, oneOf, orNull, text, upTo } from './structure';
import { checkWarmTime, duration } from './timing';

const MOST_VARIANTS = 1_000;
const MOST_SENTENCES = 1_000;

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
 * Check a comparison of variants.
 *
 * @param programs How many programs the document has; a message may be about any.
 */
export function checkVariantComparison(
  value: unknown,
  field = 'comparison',
  programs: number = Number.MAX_SAFE_INTEGER
): VariantComparison {
  const comparison = fields(value, field);
  text(comparison.call, `${field}.call`);
  for (const variant of upTo(
    MOST_VARIANTS,
    comparison.variants,
    `${field}.variants`
  )) {
    checkVariant(variant, `${field}.variants`, programs);
  }
  for (const sentence of upTo(
    MOST_SENTENCES,
    comparison.verdict,
    `${field}.verdict`
  )) {
    text(sentence, `${field}.verdict`);
  }
  orNull(comparison.stopped, `${field}.stopped`, text);
  orNull(comparison.sweep ?? null, `${field}.sweep`, text);
  text(comparison.arguments ?? '', `${field}.arguments`);
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
    orNull(variant[stage], `${field}.${stage}`, duration);
  }
  flag(variant.from_disk, `${field}.from_disk`);
  orNull(variant.warm, `${field}.warm`, checkWarmTime);
  oneOf(variant.differentiable, `${field}.differentiable`, DIFFERENTIABLE);
  oneOf(variant.agrees, `${field}.agrees`, AGREES);
  oneOf(variant.mode ?? 'jitted', `${field}.mode`, MODES);
  integer(variant.calls ?? 0, `${field}.calls`, 0);
  for (const name of ['notes', 'remarks']) {
    for (const sentence of upTo(
      MOST_SENTENCES,
      variant[name] ?? [],
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
