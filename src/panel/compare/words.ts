/**
 * Makes the rows of a comparison's table: the measurements of each function, in the order of reading.
 *
 * jupyter_jaxpr/exports/comparison_table.py makes the same rows for the exports; tests compare both with
 * tests/measured_tables.json.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { Variant, VariantComparison } from '../../protocol/snapshot';
import { duration, grouped } from '../../quantities';
import { shortened } from '../../parts/summary';

/** A cell of the table: the value of one row's quantity for one function. */
export interface ICell {
  /** The text of the value; null if the value is unknown. */
  text: string | null;
  /** A further text below the text, in smaller letters, such as the result itself. */
  more?: string;
  /** For a time, its share of the largest time in the row, from 0 to 1. */
  part?: number;
}

/** The row of a measured quantity. */
export interface IRow {
  key: string;
  label: string;
  /** An explanation of the label, if the label needs one. */
  about?: string;
  cells: readonly ICell[];
}

const LONGEST = 200;

/** A sentence that says what a comparison does. */
export function comparisonWords(trans: TranslationBundle): string {
  return trans.__(
    'The comparison runs each program many times with the recorded values of a call of the first program.'
  );
}

/** The seconds until the function can run (trace, lower and compile); null if JAX reported no compile. */
export function readyAfter(variant: Variant): number | null {
  return variant.compile === null
    ? null
    : (variant.trace ?? 0) + (variant.lower ?? 0) + variant.compile;
}

/** A text that says how a variant was called, such as `without jit`; null if the user's jitted function was called. */
export function modeWords(
  variant: Variant,
  trans: TranslationBundle
): string | null {
  switch (variant.mode) {
    case 'jitted_here':
      return trans.__('jitted by jupyter_jaxpr');
    case 'eager':
      return trans.__('without jit');
    case 'missing':
      return trans.__('no function has this name');
    default:
      return null;
  }
}

/** A word that says whether the function can be differentiated; null if the function did not run. */
export function derivativeWords(
  variant: Variant,
  trans: TranslationBundle
): string | null {
  switch (variant.differentiable) {
    case 'reverse':
      return trans.__('grad and jvp');
    case 'forward':
      return trans.__('jvp, but not grad');
    case 'none':
      return trans.__('neither grad nor jvp');
    case 'no_floats':
      return trans.__('no floating-point values');
    case 'unknown':
      return variant.result === null ? null : trans.__('unknown');
  }
}

/** Whether the result agrees with that of the first function, as text; null if there is no result. */
export function agreementWords(
  variant: Variant,
  first: boolean,
  trans: TranslationBundle
): string | null {
  if (variant.result === null) {
    return variant.error === null || variant.mode === 'missing'
      ? null
      : trans.__('the call raised an error');
  }
  switch (variant.agrees) {
    case 'same_bits':
      return first
        ? trans.__('reference result')
        : trans.__('same bits as the reference');
    case 'close':
      return trans.__('close to the reference');
    case 'differs':
      return trans.__('differs from the reference');
    case 'other_types':
      return trans.__('other types than the reference');
    case 'unknown':
      return trans.__('unknown');
  }
}

/** The rows of the table, without rows that are empty for all functions. */
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
          ? { text: null }
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
      trans.__('Time until a warm call returns'),
      ({ warm }) => warm?.dispatch ?? null,
      undefined,
      trans.__('A call may return before its work is done.')
    ),
    seconds(
      'ready',
      trans.__('Compile time'),
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
        text: equations === null ? null : grouped(equations)
      }))
    },
    {
      key: 'recompiles',
      label: trans.__('Compiles in the sweep'),
      about: comparison.sweep
        ? trans.__(
            'The number of compiles says how often JAX compiled the function in the sweep of %1.',
            shortened(comparison.sweep, LONGEST)
          )
        : undefined,
      cells: variants.map(({ recompiles }) => ({
        text: recompiles === null ? null : grouped(recompiles)
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
      label: trans.__('Number of calls'),
      about: trans.__(
        'This row says how often the comparison called the function.'
      ),
      cells: variants.map(({ calls }) => ({
        text:
          (calls ?? 0) === 0
            ? null
            : trans._n('%2 call', '%2 calls', calls ?? 0, grouped(calls ?? 0))
      }))
    }
  ];
  return rows.filter(row => row.cells.some(cell => cell.text !== null));
}
