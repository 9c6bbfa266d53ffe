/** Finds the values and the numbers of steps for a position in a recording. */
import { IPlace } from '../../../model/stepping';
import { GOES_ON } from '../../../protocol/steps';
import { Control, Leaf, Recording, Visit } from '../../../protocol/snapshot';

/** The step at a position in a recording: its visit, its index and its numbers. */
export interface IStep {
  place: IPlace;
  visit: Visit;
  /** The index of the step in the recording's columns; for a visit without a point, that of the next point. */
  point: number;
  /** The number of the step, from 1; 0 if no step ran. */
  number: number;
  /** The number of steps of the visit to which the step belongs. */
  of: number;
  /** The number of the step after which the next value was recorded: more than `number` if steps were left out. */
  afterStep: number;
}

/** A recording, with the order in which the slider goes through it. */
export class Walk {
  constructor(
    readonly card: Control,
    readonly recording: Recording
  ) {
    // The recording of a cond inside a loop has a visit for each execution; then the slider goes through visits rather
    // than points.
    this.byCalls =
      (card.kind === 'cond' || card.kind === 'switch') &&
      recording.visits.every(visit => visit.points <= 1);
    // The leaves of carries, xs and ys come before the leaves of the loop's condition.
    this.leaves = [
      ...recording.leaves.filter(({ role }) => !ASKED.includes(role)),
      ...ASKED.flatMap(lateRole =>
        recording.leaves.filter(({ role }) => role === lateRole)
      )
    ];
  }

  readonly leaves: readonly Leaf[];

  /** True if the slider goes through executions of a cond or switch, one in each visit. */
  readonly byCalls: boolean;

  /** The largest number of steps of a visit. */
  get mostSteps(): number {
    const { visits, visits_total } = this.recording;
    return this.byCalls
      ? visits_total
      : visits.reduce((most, { trips }) => Math.max(most, trips), 0);
  }

  /** The number of positions of the slider: one for each point of the visit, or one for each visit. */
  lengthAt(place: IPlace): number {
    return this.byCalls
      ? this.recording.visits.length
      : this._visit(place).points;
  }

  /** The position of the slider, from 0. */
  positionAt(place: IPlace): number {
    const { visit, offset } = this.within(place);
    return this.byCalls ? visit : offset;
  }

  placeAt(position: number, { visit }: IPlace): IPlace {
    return this.within(
      this.byCalls
        ? { visit: position, offset: 0 }
        : { visit, offset: position }
    );
  }

  /** The position itself if the recording has it, else the nearest position of the recording. */
  within({ visit, offset }: IPlace): IPlace {
    const inside = clamp(visit, this.recording.visits.length);
    const points = this.recording.visits[inside]?.points ?? 0;
    return { visit: inside, offset: clamp(offset, points) };
  }

  /** The position one step further or back, also in another visit; null at the end. */
  beside(place: IPlace, by: 1 | -1): IPlace | null {
    const { visit, offset } = this.within(place);
    if (offset + by >= 0 && offset + by < this._visit(place).points) {
      return { visit, offset: offset + by };
    }
    const { visits } = this.recording;
    for (let next = visit + by; next >= 0 && next < visits.length; next += by) {
      if (visits[next].points > 0 || this.byCalls) {
        return {
          visit: next,
          offset: by > 0 ? 0 : Math.max(0, visits[next].points - 1)
        };
      }
    }
    return null;
  }

  stepAt(where: IPlace): IStep {
    const place = this.within(where);
    const visit = this._visit(place);
    const point = visit.first_point + place.offset;
    const { step, visits_total } = this.recording;
    if (this.byCalls) {
      const number = place.visit + 1;
      return {
        place,
        visit,
        point,
        number,
        of: visits_total,
        afterStep: number
      };
    }
    const isLast = place.offset + 1 >= visit.points;
    return {
      place,
      visit,
      point,
      number: visit.points === 0 ? 0 : step[point] + 1,
      of: visit.trips,
      afterStep: isLast ? visit.trips : step[point + 1]
    };
  }

  /** The index of a leaf's value in its column: for a carry, the value before the step; else the value of the step. */
  before(leaf: Leaf, { point, place }: IStep): number {
    return GOES_ON.has(leaf.role) ? point + place.visit : point;
  }

  /** The index of a carry's value after the step, in its column. */
  after(leaf: Leaf, step: IStep): number {
    return this.before(leaf, step) + (step.visit.points === 0 ? 0 : 1);
  }

  /** The range of the column over which the slider goes; for a carry, it includes one value more. */
  rangeAt(leaf: Leaf, place: IPlace): [number, number] {
    if (this.byCalls) {
      return [0, leaf.texts.length];
    }
    const { visit } = this.within(place);
    const { first_point, points } = this._visit(place);
    return GOES_ON.has(leaf.role)
      ? [first_point + visit, first_point + visit + points + 1]
      : [first_point, first_point + points];
  }

  /** The index along the first axis of the x or y of a step; null for other leaves. */
  axisIndex(leaf: Leaf, step: IStep): number | null {
    const { reverse } = this.card;
    if ((leaf.role !== 'x' && leaf.role !== 'y') || step.number === 0) {
      return null;
    }
    // for a loop that the user stopped, the length of the axis is unknown
    if (reverse && !step.visit.finished) {
      return null;
    }
    return reverse ? step.of - step.number : step.number - 1;
  }

  private _visit(place: IPlace): Visit {
    return this.recording.visits[this.within(place).visit] ?? NEVER;
  }
}

const ASKED: readonly Leaf['role'][] = ['compared', 'condition'];

/** the visit of a construct that was never executed */
const NEVER: Visit = {
  first_point: 0,
  points: 0,
  trips: 0,
  outer: [],
  finished: true
};

function clamp(index: number, length: number): number {
  return Math.max(0, Math.min(index, length - 1));
}
