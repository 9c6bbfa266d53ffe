/** Draws an array of a step: one axis as a line, two axes as tiles; pointing at an element shows its value. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Leaf } from '../../../protocol/snapshot';
import { grouped } from '../../../quantities';
import { figure } from './words';

/** The kernel sends all elements only of arrays with at most this many elements. */
export const LARGEST_DRAWN = 64;
const WIDTH = 100;
const HEIGHT = 24;
/** Pixels above and below the line, so that its ends and the signs for NaN and infinity are not cut. */
const MARGIN = 3;

export function ArrayPicture(props: {
  leaf: Leaf;
  index: number;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { leaf, index, trans } = props;
  const values = React.useMemo(() => elementsOf(leaf, index), [leaf, index]);
  const [low, high] = React.useMemo(() => rangeOf(leaf), [leaf]);
  if (values === null) {
    return null;
  }
  const columns = lastAxis(leaf.type, values.length);
  const rows = values.length / columns;
  const wide = WIDTH / columns;
  const tall = HEIGHT / rows;
  const part = (value: number): number =>
    high === low ? 0.5 : (value - low) / (high - low);
  return (
    <svg
      className="jp-JaxprStepper-picture"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describe(values, trans)}
    >
      {rows === 1 ? (
        <path className="jp-mod-line" d={lineOf(values, wide, part)} />
      ) : (
        values.map((value, at) =>
          Number.isFinite(value) ? (
            <rect
              key={at}
              className="jp-mod-tile"
              x={(at % columns) * wide}
              y={Math.floor(at / columns) * tall}
              width={wide}
              height={tall}
              fillOpacity={0.08 + 0.92 * part(value)}
            />
          ) : null
        )
      )}
      <path
        className="jp-mod-notFinite"
        d={values
          .map((value, at) =>
            signOf(
              value,
              ((at % columns) + 0.5) * wide,
              (Math.floor(at / columns) + 0.5) * tall,
              Math.min(2.5, wide / 3, tall / 3)
            )
          )
          .join('')}
      />
      {values.map((value, at) => (
        // The whole height of the picture reacts to the pointer, not only the line.
        <rect
          key={at}
          className="jp-mod-element"
          x={(at % columns) * wide}
          y={Math.floor(at / columns) * tall}
          width={wide}
          height={tall}
        >
          <title>{`${placeOf(at, columns, rows)} = ${numberText(value)}`}</title>
        </rect>
      ))}
    </svg>
  );
}

/** True if the values of a leaf are drawn. */
export function isDrawn({ pictures }: Leaf): boolean {
  return (pictures?.length ?? 0) > 0;
}

/** The elements of one value; null if they were not kept or are not numbers. */
function elementsOf(leaf: Leaf, index: number): number[] | null {
  const values = (leaf.pictures?.[index] ?? '')
    .split(' ', LARGEST_DRAWN + 1)
    .filter(word => word !== '')
    .map(numberOf);
  return values.length > 0 &&
    values.length <= LARGEST_DRAWN &&
    values.every(value => value !== null)
    ? (values as number[])
    : null;
}

const NOT_FINITE: Readonly<Record<string, number>> = {
  nan: NaN,
  inf: Infinity,
  '-inf': -Infinity
};

function numberOf(word: string): number | null {
  const number = NOT_FINITE[word] ?? Number(word);
  return Number.isNaN(number) && word !== 'nan' ? null : number;
}

/** The smallest and the largest element in all steps, because all steps use the same scale. */
function rangeOf(leaf: Leaf): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  (leaf.pictures ?? []).forEach((_, index) => {
    for (const value of elementsOf(leaf, index) ?? []) {
      if (Number.isFinite(value)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  });
  return low <= high ? [low, high] : [0, 0];
}

/** The length of the last axis of a type such as `f32[4,8]`; for other types, the number of elements. */
function lastAxis(type: string, elements: number): number {
  const axes = /\[([\d,]+)\]/.exec(type)?.[1].split(',').map(Number) ?? [];
  const last = axes[axes.length - 1];
  return axes.reduce((product, axis) => product * axis, 1) === elements &&
    last > 0
    ? last
    : elements;
}

/**
 * The SVG path of the line that shows the elements of an array, with gaps at elements that are not finite; a single
 * element between two gaps is a dash.
 */
function lineOf(
  values: readonly number[],
  wide: number,
  part: (value: number) => number
): string {
  let line = '';
  values.forEach((value, at) => {
    if (Number.isFinite(value)) {
      const x = (at + 0.5) * wide;
      const y = HEIGHT - MARGIN - part(value) * (HEIGHT - 2 * MARGIN);
      const goesOn = at > 0 && Number.isFinite(values[at - 1]);
      const isAlone = !goesOn && !Number.isFinite(values[at + 1] ?? NaN);
      line += `${goesOn ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
      line += isAlone ? 'h1' : '';
    }
  });
  return line;
}

/**
 * The sign of a value that is not finite: a cross for NaN, ^ for infinity, v for minus infinity; empty for a number.
 */
function signOf(value: number, x: number, y: number, size: number): string {
  const [left, right] = [x - size, x + size];
  const [top, bottom] = [y - size, y + size];
  if (Number.isNaN(value)) {
    return `M${left} ${top}L${right} ${bottom}M${left} ${bottom}L${right} ${top}`;
  }
  if (Number.isFinite(value)) {
    return '';
  }
  const [from, to] = value > 0 ? [bottom, top] : [top, bottom];
  return `M${left} ${from}L${x} ${to}L${right} ${from}`;
}

function placeOf(at: number, columns: number, rows: number): string {
  return rows === 1
    ? `[${at}]`
    : `[${Math.floor(at / columns)}, ${at % columns}]`;
}

function numberText(value: number): string {
  return Number.isNaN(value)
    ? 'NaN'
    : Number.isFinite(value)
      ? String(value)
      : value > 0
        ? 'inf'
        : '-inf';
}

/** Describes the picture in sentences, for users who cannot see the picture. */
function describe(values: readonly number[], trans: TranslationBundle): string {
  const finite = values.filter(Number.isFinite);
  const nans = values.filter(Number.isNaN).length;
  const infinite = values.length - finite.length - nans;
  const sentences = [
    finite.length === 0
      ? trans.__('The picture shows %1 elements.', grouped(values.length))
      : trans.__(
          'The picture shows %1 elements. Smallest value %2, largest value %3.',
          grouped(values.length),
          figure(Math.min(...finite)),
          figure(Math.max(...finite))
        )
  ];
  if (nans > 0) {
    sentences.push(
      trans._n(
        '%2 element is NaN, drawn as a cross.',
        '%2 elements are NaN, drawn as crosses.',
        nans,
        grouped(nans)
      )
    );
  }
  if (infinite > 0) {
    sentences.push(
      trans._n(
        '%2 element is infinite, drawn as an arrow up or down.',
        '%2 elements are infinite, drawn as arrows up or down.',
        infinite,
        grouped(infinite)
      )
    );
  }
  return sentences.join(' ');
}
