/** Scales the numbers of a leaf to a picture with width 1 and height 1. */
import { IPlace } from '../../../model/stepping';
import { GOES_ON } from '../../../protocol/steps';
import { Leaf } from '../../../protocol/snapshot';
import { Walk } from './places';

export interface IDrawing {
  /**
   * For each column: the distance from the left and from the top, from 0 to 1; null for a number that is not finite.
   */
  points: readonly ({ x: number; y: number } | null)[];
  /** The index, among all numbers of the leaf, of the first number that the line draws. */
  from: number;
  /** The distance of the threshold from the top; null if there is none, or if it is outside of the picture. */
  threshold: number | null;
  /** True for a logarithmic axis; zeros are at the bottom then. */
  logarithmic: boolean;
  smallest: number;
  largest: number;
  /** The number of values in the line that are NaN or infinite. */
  missing: number;
}

/**
 * If there is a threshold, the axis is logarithmic when the largest number is at least this many times the smallest
 * positive number.
 */
const LOGARITHMIC_FROM = 20;

/** The line of a leaf over the range of the slider; null if the leaf has no number to draw. */
export function drawingOf(
  walk: Walk,
  leaf: Leaf,
  place: IPlace
): IDrawing | null {
  const [from, below] = walk.rangeAt(leaf, place);
  const numbers = leaf.numbers?.slice(from, below) ?? [];
  const finite = numbers.filter(number => number !== null) as number[];
  if (finite.length === 0 || numbers.length < 2) {
    return null;
  }
  const threshold = leaf.threshold ?? null;
  const shown = threshold === null ? finite : [...finite, threshold];
  const smallest = least(shown);
  const largest = most(shown);
  const positive = shown.filter(number => number > 0);
  const leastPositive = least(positive);
  const logarithmic =
    threshold !== null &&
    threshold > 0 &&
    smallest >= 0 &&
    largest / leastPositive >= LOGARITHMIC_FROM;
  const low = logarithmic ? Math.log10(leastPositive) - 0.3 : smallest;
  const high = logarithmic ? Math.log10(largest) : largest;
  const height = (number: number): number => {
    if (logarithmic && number <= 0) {
      return 1;
    }
    const value = logarithmic ? Math.log10(number) : number;
    return high === low ? 0.5 : 1 - (value - low) / (high - low);
  };
  // A carry has one value more than other leaves; the value of another leaf is drawn at the end of its step.
  const edge = hasEdge(walk);
  const first = edge && !GOES_ON.has(leaf.role) ? 1 : 0;
  const last = numbers.length - 1 + first;
  return {
    points: numbers.map((number, at) =>
      number === null ? null : { x: (at + first) / last, y: height(number) }
    ),
    from,
    threshold: threshold === null ? null : height(threshold),
    logarithmic,
    smallest: least(finite),
    largest: most(finite),
    missing: numbers.length - finite.length
  };
}

/** True if the picture begins with the value before the first step. */
export function hasEdge(walk: Walk): boolean {
  return (
    !walk.byCalls && walk.recording.leaves.some(({ role }) => GOES_ON.has(role))
  );
}

/**
 * The index of the leaf that is drawn at first: a changing leaf that is compared with a threshold, else the first carry
 * that changes, else any leaf that changes, else any leaf with a number; -1 if there is none.
 */
export function firstDrawn(leaves: readonly Leaf[]): number {
  const changes = ({ numbers }: Leaf): boolean =>
    numbers !== null && new Set(numbers).size > 1;
  const tests: ((leaf: Leaf) => boolean)[] = [
    leaf => leaf.role === 'compared' && changes(leaf),
    leaf => leaf.role === 'carry' && changes(leaf),
    changes,
    ({ numbers }) => numbers?.some(number => number !== null) ?? false
  ];
  for (const test of tests) {
    const index = leaves.findIndex(test);
    if (index >= 0) {
      return index;
    }
  }
  return -1;
}

/** The line in the coordinates of a picture of this size; broken where a number is not finite. */
export function lineOf(
  points: IDrawing['points'],
  width: number,
  height: number
): string {
  let line = '';
  let pen = false;
  for (const point of points) {
    if (point !== null) {
      const x = (point.x * width).toFixed(1);
      const y = (point.y * height).toFixed(1);
      line += `${pen ? 'L' : 'M'}${x} ${y}`;
    }
    pen = point !== null;
  }
  return line;
}

function least(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Infinity);
}

function most(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), -Infinity);
}
