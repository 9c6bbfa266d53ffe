/**
 * Words a comparison: what was measured of each function, in reading order.
 *
 * The exports word the same rows in jupyter_jaxpr/exports/compare.py; tests/measured_tables.json holds both to the
 * same text.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { Variant, VariantComparison } from '../../protocol/snapshot';
import { duration, grouped } from '../../quantities';
import { shortened } from '../../parts/summary';

/** What one function has in a row. */
export interface ICell {
  text: string;
  /** Said below the text, smaller. */
  more?: string;
  /** Its part of the largest in the row, from 0 to 1, where they are times. */
  part?: number;
}

/** One thing that was measured. */
export interface IRow {
  key: string;
  label: string;
  /** What the label means, where that needs saying. */
  about?: string;
  cells: readonly ICell[];
}

const LONGEST = 200;

/** Seconds until the function can run: trace, lower and compile together; null where JAX reported no compilation. */
export function readyAfter(variant: Variant): number | null {
  return variant.compile === null
    ? null
    : (variant.trace ?? 0) + (variant.lower ?? 0) + variant.compile;
}

/** How it was called, where that is not as the user jitted it. */
export function modeWords(
  variant: Variant,
  trans: TranslationBundle
): string | null {
  switch (variant.mode) {
    case 'jitted_here':
      return trans.__('jitted for the comparison');
    case 'eager':
      return trans.__('without jit');
    case 'missing':
      return trans.__('not found');
    default:
      return null;
  }
}

/** In a word, whether it can be differentiated. */
export function derivativeWords(
  variant: Variant,
  trans: TranslationBundle
): string {
  switch (variant.differentiable) {
    case 'reverse':
      return trans.__('grad and jvp');
    case 'forward':
      return trans.__('jvp only');
    case 'none':
      return trans.__('none');
    case 'no_floats':
      return trans.__('no floating-point values');
    case 'unknown':
      return variant.result === null ? '–' : trans.__('unknown');
  }
}

/** In a word, whether its result is that of the first function. */
export function agreementWords(
  variant: Variant,
  first: boolean,
  trans: TranslationBundle
): string {
  if (variant.result === null) {
    return variant.error === null || variant.mode === 'missing'
      ? '–'
      : trans.__('raised');
  }
  switch (variant.agrees) {
    case 'same_bits':
      return first ? trans.__('reference') : trans.__('same bits');
    case 'close':
      return trans.__('close');
    case 'differs':
      return trans.__('differs');
    case 'other_types':
      return trans.__('other types');
    case 'unknown':
      return trans.__('unknown');
  }
}

/** The rows of the table; those that no function has anything in are left out. */
export function rowsOf(
  comparison: VariantComparison,
  trans: TranslationBundle
): readonly IRow[] {
  const { variants } = comparison;
  const firstOne = variants.findIndex(variant => variant.result !== null);
  const seconds = (
    key: string,
    label: string,
    of: (variant: Variant) => number | null,
    more?: (variant: Variant) => string | undefined,
    about?: string
  ): IRow => {
    const all = variants.map(of);
    const largest = Math.max(...all.map(value => value ?? 0));
    return {
      key,
      label,
      about,
      cells: variants.map((variant, index) => {
        const value = all[index];
        return value === null
          ? { text: '–' }
          : {
              text: duration(value),
              more: more?.(variant),
              part: more && largest > 0 ? value / largest : undefined
            };
      })
    };
  };
  const rows: IRow[] = [
    seconds(
      'warm',
      trans.__('Warm call'),
      ({ warm }) => warm?.median ?? null,
      ({ warm }) =>
        warm
          ? warm.runs > 1
            ? trans.__(
                '%1 to %2 in %3 calls',
                duration(warm.lower),
                duration(warm.upper),
                grouped(warm.runs)
              )
            : trans.__('1 call')
          : undefined,
      trans.__(
        'The median time of a warm call, with the quartiles below. Each call is timed until its result is ready.'
      )
    ),
    seconds(
      'dispatch',
      trans.__('Call returns after'),
      ({ warm }) => warm?.dispatch ?? null,
      undefined,
      trans.__('A call may return before its work is done.')
    ),
    seconds(
      'ready',
      trans.__('Compiles in'),
      readyAfter,
      variant => (variant.from_disk ? trans.__('from disk') : ''),
      trans.__('The sum of the trace, lower and compile times.')
    ),
    seconds('trace', trans.__('trace'), ({ trace }) => trace),
    seconds('lower', trans.__('lower'), ({ lower }) => lower),
    seconds('compile', trans.__('compile'), ({ compile }) => compile),
    {
      key: 'equations',
      label: trans.__('Equations'),
      cells: variants.map(({ equations }) => ({
        text: equations === null ? '–' : grouped(equations)
      }))
    },
    {
      key: 'recompiles',
      label: trans.__('Number of compiles'),
      about: comparison.sweep
        ? trans.__(
            'The number of compiles is how often JAX compiled the function over %1.',
            shortened(comparison.sweep, LONGEST)
          )
        : undefined,
      cells: variants.map(({ recompiles }) => ({
        text: recompiles === null ? '–' : grouped(recompiles)
      }))
    },
    {
      key: 'derivative',
      label: trans.__('Derivative'),
      cells: variants.map(variant => ({
        text: derivativeWords(variant, trans)
      }))
    },
    {
      key: 'agrees',
      label: trans.__('Result'),
      cells: variants.map((variant, index) => ({
        text: agreementWords(variant, index === firstOne, trans),
        more:
          variant.result === null
            ? undefined
            : shortened(variant.result, LONGEST)
      }))
    },
    {
      key: 'calls',
      label: trans.__('Called'),
      about: trans.__('How often the comparison called the function.'),
      cells: variants.map(({ calls }) => ({
        text:
          (calls ?? 0) === 0
            ? '–'
            : trans._n('%2 time', '%2 times', calls ?? 0, grouped(calls ?? 0))
      }))
    }
  ];
  return rows.filter(row => row.cells.some(cell => cell.text !== '–'));
}
