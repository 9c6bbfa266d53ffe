/** Scales the numbers of a leaf to a picture that is 1 wide and 1 high. */
import { IPlace } from '../../../model/stepping';
import { GOES_ON } from '../../../protocol/recording';
import { Leaf } from '../../../protocol/snapshot';
import { Walk } from './places';

export interface IDrawing {
  /** Of each column of the range: how far from the left and from the top, 0 to 1; null where it is not finite. */
  points: readonly ({ x: number; y: number } | null)[];
  /** Of the first column. */
  from: number;
  /** How far from the top the threshold is; null where there is none, or it is not a part of the picture. */
  threshold: number | null;
  /** Whether each tenth is as high as the next; zeros are at the bottom then. */
  logarithmic: boolean;
  smallest: number;
  largest: number;
  /** How many are not finite. */
  missing: number;
}

/** From this ratio on, numbers beside a threshold are drawn by their powers of ten. */
const LOGARITHMIC_FROM = 20;

/** The part of a leaf that the slider walks through; null where it has no number to draw. */
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
  // Beside carries, of which there is one more, what a step has stands at the step's end.
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

/** Whether the picture begins with what went into the first step. */
export function hasEdge(walk: Walk): boolean {
  return (
    !walk.byCalls && walk.recording.leaves.some(({ role }) => GOES_ON.has(role))
  );
}

/** The leaf to draw first: what is compared with a threshold, else the first carry that changes, else any that does. */
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
    const found = leaves.findIndex(test);
    if (found >= 0) {
      return found;
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
