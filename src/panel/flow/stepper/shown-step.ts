/** Finds what the cell shows of a step: the equations that the step computes, and its values. */
import { TranslationBundle } from '@jupyterlab/translation';

import { IShownStep } from '../../../model/stepping';
import { GOES_ON } from '../../../protocol/steps';
import { Leaf } from '../../../protocol/snapshot';
import { IEquationRef } from '../../../tokens';
import { grouped } from '../../../quantities';
import { shortened } from '../../../parts/summary';
import { Reading } from '../cards-of-program';
import { IStep, Walk } from './places';
import { leafAt, shortValue, valueText } from './words';

/**
 * The end of a line shows at most the first number of leaves, the tooltip at most the second number; both count the
 * others.
 */
const SHOWN = 4;
const LISTED = 20;

/**
 * The equations that a step computes: those of the loop's condition and body, or of the taken branch; if there are
 * none, those of the construct itself.
 */
export function equationsOfStep(
  reading: Reading,
  walk: Walk,
  branch: string
): IEquationRef[] {
  const { card } = walk;
  const scopes =
    card.branches.length > 0
      ? card.branches
          .filter(({ label }) => label === branch)
          .map(({ scope }) => scope)
      : [card.condition, card.body];
  const equations = scopes
    .filter(scope => scope >= 0)
    .flatMap(scope => reading.rowsOf(scope))
    .filter(({ kind }) => kind === 'equation')
    .map(({ scope, equation }) => ({ scope, equation }));
  return equations.length > 0 ? equations : reading.equationsOf(card);
}

/** The equations and the values that the cell shows for a step. */
export function shownStep(
  walk: Walk,
  step: IStep,
  equations: readonly IEquationRef[],
  trans: TranslationBundle
): Pick<IShownStep, 'equations' | 'frame' | 'before' | 'after'> {
  const { leaves } = walk;
  const branch = walk.recording.branch_taken[step.point] ?? '';
  const goesOn = leaves.filter(({ role }) => GOES_ON.has(role));
  const within = leaves.filter(({ role }) => !GOES_ON.has(role));
  const isOut = ({ role }: Leaf): boolean => role === 'y' || role === 'result';
  const number = grouped(step.number);
  const at = (list: readonly Leaf[], index: (leaf: Leaf) => number): IValue[] =>
    list.map(leaf => ({
      name: leafAt(walk, leaf, step, trans),
      short: shortValue(leaf, index(leaf)),
      whole: valueText(leaf, index(leaf))
    }));
  const before = [
    ...at([...goesOn, ...within.filter(leaf => !isOut(leaf))], leaf =>
      walk.before(leaf, step)
    ),
    ...(branch === ''
      ? []
      : [{ name: trans.__('branch'), short: branch, whole: branch }])
  ];
  const after = at([...goesOn, ...within.filter(isOut)], leaf =>
    GOES_ON.has(leaf.role) ? walk.after(leaf, step) : walk.before(leaf, step)
  );
  const { branches, body_frame } = walk.card;
  return {
    equations,
    frame:
      branches.length > 0
        ? (branches.find(({ label }) => label === branch)?.frame ?? -1)
        : body_frame,
    before: {
      text: listed(before, 'short', SHOWN),
      title: walk.byCalls
        ? trans.__(
            'Values before execution %1: %2',
            number,
            listed(before, 'whole', LISTED)
          )
        : trans.__(
            'Values before step %1: %2',
            number,
            listed(before, 'whole', LISTED)
          )
    },
    after: {
      text: listed(after, 'short', SHOWN),
      title: walk.byCalls
        ? trans.__(
            'Values after execution %1: %2',
            number,
            listed(after, 'whole', LISTED)
          )
        : trans.__(
            'Values after step %1: %2',
            number,
            listed(after, 'whole', LISTED)
          )
    }
  };
}

interface IValue {
  name: string;
  short: string;
  whole: string;
}

/** The values of leaves in words: `h = [0.46 0.97 … +14], x[3] = 2 … +1`. */
function listed(
  values: readonly IValue[],
  text: 'short' | 'whole',
  most: number
): string {
  const parts = values
    .slice(0, most)
    .map(value => `${value.name} = ${shortened(value[text], 120)}`);
  const rest = values.length - most;
  return parts.join(', ') + (rest > 0 ? ` … +${grouped(rest)}` : '');
}
