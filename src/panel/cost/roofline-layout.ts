/**
 * Computes the positions in the roofline plot: the machine's peak rates and the program's point, on logarithmic axes.
 */
import { amountOf } from '../../model/cost-shares';
import { Machine, ProgramCost, WarmTime } from '../../protocol/snapshot';

/** The position of a program in the roofline plot. */
export interface IPlacement {
  /** Operations per byte if XLA fuses nothing; a transcendental counts as several, as in shares. */
  intensity: number;
  /** The operations per second that the machine can reach at this intensity. */
  roof: number;
  bound: 'compute' | 'memory';
  /** The operations per second that the warm call reached; null if it was not measured. */
  reached: number | null;
  /**
   * The reached rate divided by the roof; more than 1 if XLA fused equations whose bytes are counted separately here.
   */
  part: number | null;
}

/** The position of a program; null if it has no operations or no bytes, or if their number depends on the data. */
export function placementOf(
  cost: ProgramCost,
  machine: Machine,
  warm: WarmTime | null
): IPlacement | null {
  const bytes = amountOf(cost, 'bytes');
  const work = amountOf(cost, 'work');
  if (work <= 0 || bytes <= 0 || machine.flops <= 0 || machine.bandwidth <= 0) {
    return null;
  }
  const intensity = work / bytes;
  const roof = Math.min(machine.flops, machine.bandwidth * intensity);
  const isCounted =
    cost.unknown.length === 0 &&
    cost.per_trip.length === 0 &&
    (cost.recordings ?? []).length === 0 &&
    cost.flops_min === Math.max(cost.flops, cost.flops_most ?? 0) &&
    (cost.transcendentals_min ?? cost.transcendentals) ===
      Math.max(cost.transcendentals, cost.transcendentals_most ?? 0);
  const reached =
    warm !== null && warm.median > 0 && isCounted ? work / warm.median : null;
  return {
    intensity,
    roof,
    bound: machine.bandwidth * intensity < machine.flops ? 'memory' : 'compute',
    reached,
    part: reached === null ? null : reached / roof
  };
}

/** The logarithmic scale of one axis of the roofline plot. */
export interface IScale {
  /** The powers of ten (their exponents) at which the scale begins and ends. */
  from: number;
  to: number;
  ticks: readonly number[];
  at: (value: number) => number;
}

export interface IRoofline {
  x: IScale;
  y: IScale;
  /** The corners of the roof from left to right: start, ridge point, end. */
  roof: readonly [number, number][];
  ridge: [number, number];
}

/** An axis has at most this many ticks. */
const MOST_TICKS = 6;

/** The powers of ten of an axis; a quotient of extreme numbers in a damaged document may be 0 or infinite. */
const MOST_EXPONENT = 100;

/** The power of ten of a value, from -MOST_EXPONENT to MOST_EXPONENT. */
function exponentOf(value: number): number {
  return Math.max(-MOST_EXPONENT, Math.min(MOST_EXPONENT, Math.log10(value)));
}

function scaleOf(
  values: readonly number[],
  start: number,
  end: number
): IScale {
  const logs = values.map(exponentOf);
  const from = Math.floor(Math.min(...logs));
  const to = Math.max(from + 1, Math.ceil(Math.max(...logs)));
  const step = Math.ceil((to - from) / MOST_TICKS);
  const ticks: number[] = [];
  for (let exponent = from; exponent <= to; exponent += step) {
    ticks.push(exponent);
  }
  const at = (value: number): number =>
    start + ((exponentOf(value) - from) / (to - from)) * (end - start);
  return { from, to, ticks, at };
}

/** Lays out the roofline in a frame with these edges, in pixels. */
export function rooflineOf(
  machine: Machine,
  placement: IPlacement | null,
  frame: { left: number; right: number; top: number; bottom: number }
): IRoofline {
  const ridge = machine.flops / machine.bandwidth;
  const across = [ridge / 30, ridge * 30];
  if (placement !== null) {
    across.push(placement.intensity / 2, placement.intensity * 2);
  }
  const x = scaleOf(across, frame.left, frame.right);
  const up = [machine.flops * 1.5, machine.bandwidth * 10 ** x.from];
  if (placement?.reached) {
    up.push(placement.reached);
  }
  const y = scaleOf(up, frame.bottom, frame.top);
  const foot = machine.bandwidth * 10 ** x.from;
  return {
    x,
    y,
    ridge: [x.at(ridge), y.at(machine.flops)],
    roof: [
      [x.at(10 ** x.from), y.at(foot)],
      [x.at(ridge), y.at(machine.flops)],
      [x.at(10 ** x.to), y.at(machine.flops)]
    ]
  };
}
