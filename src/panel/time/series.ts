/** Makes the series for the plot of a sweep, and the sentences on how each series grows. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Sweep, SweepFit, SweepPoint } from '../../protocol/snapshot';
import { duration, grouped, size } from '../../quantities';
import { shortened } from '../../parts/summary';
import { LONGEST } from './words';

/** The quantity that is plotted against the sizes. */
export type Choice = 'time' | 'warm' | 'compile' | 'equations' | 'bytes';

export type SeriesName = SweepFit['series'];

/** One point of a series, with the 25 % to 75 % range if it was measured several times. */
export interface IPlotted {
  value: string;
  /** The swept value as a number; null if it is no number. */
  number: number | null;
  y: number;
  lower: number;
  upper: number;
}

/** One line of the plot: a quantity of one function, such as its warm time, at each size of the sweep. */
export interface ISeries {
  name: SeriesName;
  function: string;
  /** The index of the function in the sweep. */
  place: number;
  /** The label at the end of the line. */
  label: string;
  points: IPlotted[];
}

const SERIES: Readonly<Record<Choice, readonly SeriesName[]>> = {
  time: ['eager', 'first', 'warm'],
  warm: ['warm'],
  compile: ['compile'],
  equations: ['equations'],
  bytes: ['bytes']
};

/** Names of functions longer than this are cut. */
export const LONGEST_NAME = 60;

export function seriesLabel(
  name: SeriesName,
  trans: TranslationBundle
): string {
  switch (name) {
    case 'eager':
      return trans.__('eager');
    case 'first':
      return trans.__('first call');
    case 'warm':
      return trans.__('warm');
    case 'compile':
      return trans.__('compile');
    case 'equations':
      return trans.__('equations');
    case 'bytes':
      return trans.__('bytes');
  }
}

/** A value of the plotted quantity as text, with the unit of the quantity. */
export function quantity(choice: Choice, value: number): string {
  switch (choice) {
    case 'equations':
      return grouped(value);
    case 'bytes':
      return size(value);
    default:
      return duration(value);
  }
}

function plotted(point: SweepPoint, name: SeriesName): IPlotted | null {
  const { value, number } = point;
  if (name === 'eager' || name === 'warm') {
    const time = point[name];
    return time === null
      ? null
      : {
          value,
          number,
          y: time.median,
          lower: time.lower,
          upper: time.upper
        };
  }
  const y = point[name];
  return y === null ? null : { value, number, y, lower: y, upper: y };
}

/** The series that have points; a value of 0 is left out, because the axis is logarithmic. */
export function seriesOf(
  sweep: Sweep,
  choice: Choice,
  trans: TranslationBundle
): ISeries[] {
  const many = sweep.functions.length > 1;
  return sweep.functions
    .flatMap((function_, place) =>
      SERIES[choice].map(name => {
        const label = seriesLabel(name, trans);
        const short = shortened(function_, LONGEST_NAME);
        return {
          name,
          function: function_,
          place,
          label: !many
            ? label
            : choice === 'time'
              ? `${short} ${label}`
              : short,
          points: sweep.points
            .filter(point => point.function === function_)
            .map(point => plotted(point, name))
            .filter((point): point is IPlotted => point !== null && point.y > 0)
        };
      })
    )
    .filter(({ points }) => points.length > 0);
}

/** The quantities for which the sweep has a number. */
export function choicesOf(
  sweep: Sweep,
  trans: TranslationBundle
): readonly { choice: Choice; label: string }[] {
  const all: { choice: Choice; label: string }[] = [
    { choice: 'time', label: trans.__('Time') },
    { choice: 'warm', label: trans.__('Time of warm calls only') },
    { choice: 'compile', label: trans.__('Compile time') },
    { choice: 'equations', label: trans.__('Equations') },
    { choice: 'bytes', label: trans.__('Bytes') }
  ];
  return all.filter(
    ({ choice }) =>
      (choice !== 'warm' || sweep.functions.length > 1) &&
      seriesOf(sweep, choice, trans).length > 0
  );
}

/** The kernel's sentences about the growth of each series; an older document has none. */
export function growthOf(sweep: Sweep, choice: Choice): string[] {
  return sweep.fits
    .filter(
      ({ series, sentence }) => SERIES[choice].includes(series) && sentence
    )
    .map(({ sentence = '' }) => shortened(sentence, LONGEST));
}

/** A sentence that describes the plot, for users who cannot see it. */
export function plotSentence(
  sweep: Sweep,
  choice: Choice,
  series: readonly ISeries[],
  trans: TranslationBundle
): string {
  const lines = series.map(({ label, points }) => {
    const [first, last] = [points[0], points[points.length - 1]];
    return points.length === 1
      ? trans.__(
          'The series “%1” has one point: %2 at the value %3.',
          label,
          quantity(choice, first.y),
          first.value
        )
      : trans.__(
          'The series “%1” starts with %2 at the value %3 and ends with %4 at the value %5.',
          label,
          quantity(choice, first.y),
          first.value,
          quantity(choice, last.y),
          last.value
        );
  });
  const amountLabel =
    choicesOf(sweep, trans).find(option => option.choice === choice)?.label ??
    '';
  return [
    trans.__(
      'Plot of “%1” against %2.',
      amountLabel,
      shortened(sweep.name, LONGEST_NAME)
    ),
    ...lines
  ].join(' ');
}
