/** Makes the texts on steps, leaves and numbers of a recording. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Speed } from '../../../model/play-speed';
import { Control, Leaf, Visit } from '../../../protocol/snapshot';
import { IJaxprModel } from '../../../tokens';
import { grouped } from '../../../quantities';
import { listOf } from '../../../parts/list-of';
import { missingKernelWords } from '../../../parts/states/missing-kernel';
import { shortened } from '../../../parts/summary';
import { GOES_ON } from '../../../protocol/steps';
import { IStep, Walk } from './places';

/** The kernel shortens values; a document from another source may hold longer ones, which are cut. */
export const LONGEST_VALUE = 600;

/** The number of a step or an execution: `Step 38 of 100`, `Execution 2 of 5 of this construct`. */
export function stepWords(
  walk: Walk,
  { number, of }: IStep,
  trans: TranslationBundle
): string {
  return walk.byCalls
    ? trans.__(
        'Execution %1 of %2 of this construct',
        grouped(number),
        grouped(of)
      )
    : trans.__('Step %1 of %2', grouped(number), grouped(of));
}

/** The name of a leaf: its path, else its role. */
export function leafName(
  { card }: Walk,
  leaf: Leaf,
  trans: TranslationBundle
): string {
  const path = leaf.path || writtenAs(card, leaf.role);
  return shortened(path, 80) || roleWords(leaf.role, trans);
}

/** The user's expression for a value that has no name; empty if unknown. */
function writtenAs(card: Control, role: Leaf['role']): string {
  switch (role) {
    case 'compared':
      return comparedIn(card.condition_text ?? '');
    case 'predicate':
    case 'index':
      return card.predicate_text ?? '';
    default:
      return '';
  }
}

/** The side of a condition that is no number: `jnp.abs(r)` in `jnp.abs(r) > 1e-5`; empty for other conditions. */
function comparedIn(condition: string): string {
  const parts = condition.split(/\s*(?:<=|>=|<|>)\s*/);
  const sides = parts.filter(part => part !== '' && isNaN(Number(part)));
  return parts.length === 2 && sides.length === 1 ? sides[0] : '';
}

/** The name of a leaf with its index along the first axis: `xs[37]`. */
export function leafAt(
  walk: Walk,
  leaf: Leaf,
  step: IStep,
  trans: TranslationBundle
): string {
  const index = walk.axisIndex(leaf, step);
  const name = leafName(walk, leaf, trans);
  return index === null || leaf.path === '' ? name : `${name}[${index}]`;
}

/** The longest name with an index that a leaf has in the recording. */
export function widestName(
  walk: Walk,
  leaf: Leaf,
  trans: TranslationBundle
): string {
  const name = leafName(walk, leaf, trans);
  return leaf.role === 'x' || leaf.role === 'y'
    ? `${name}[${walk.mostSteps}]`
    : name;
}

export function roleWords(
  role: Leaf['role'],
  trans: TranslationBundle
): string {
  switch (role) {
    case 'carry':
      return trans.__('carry');
    case 'x':
      return trans.__('step input');
    case 'y':
      return trans.__('step output');
    case 'index':
      return trans.__('index');
    case 'predicate':
      return trans.__('predicate');
    case 'condition':
      return trans.__('condition');
    case 'compared':
      return trans.__('compared value');
    case 'operand':
      return trans.__('operand');
    case 'result':
      return trans.__('result');
  }
}

export function valueText(leaf: Leaf, index: number): string {
  return shortened(leaf.texts[index] ?? '', LONGEST_VALUE);
}

/** A value whose array elements have at most three figures; a scalar is complete. */
export function shortValue(leaf: Leaf, index: number): string {
  const text = valueText(leaf, index);
  return leaf.elements === 1
    ? text
    : text.replace(FRACTION, number => figure(Number(number)));
}

/** Matches a number with a fraction that is not part of a longer word, such as a complex number. */
const FRACTION = /(?<![^\s[])-?\d+\.\d*(e[-+]?\d+)?(?![^\s\]])/g;

/** The summary of a long value: `min -0.8 · mean 0.1 · max 0.9 · 2 NaN`; empty if there is nothing to summarise. */
export function summaryOf(
  leaf: Leaf,
  index: number,
  trans: TranslationBundle
): string {
  const parts: string[] = [];
  const add = (text: string, value: number | null | undefined): void => {
    if (value !== null && value !== undefined) {
      parts.push(`${text}\u00a0${figure(value)}`);
    }
  };
  add(trans.__('min'), leaf.minimum?.[index]);
  add(trans.__('mean'), leaf.mean?.[index]);
  add(trans.__('max'), leaf.maximum?.[index]);
  if (leaf.elements > 1) {
    const nans = leaf.nans[index] ?? 0;
    const infinities = leaf.infinities[index] ?? 0;
    if (nans > 0) {
      parts.push(trans.__('%1 NaN', grouped(nans)));
    }
    if (infinities > 0) {
      parts.push(trans.__('%1 infinite', grouped(infinities)));
    }
  }
  return parts.join(' · ');
}

/** A number in at most three figures: `2.57`, `-0.82`, `1e-5`, `12,300`. */
export function figure(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    const [digits, exponent] = value.toExponential(2).split('e');
    return `${Number(digits)}e${Number(exponent)}`;
  }
  return size >= 1000 ? grouped(value) : String(Number(value.toPrecision(3)));
}

/** The text of a step for screen readers: its number, the taken branch, and the values of the first few leaves. */
export function spoken(
  walk: Walk,
  step: IStep,
  trans: TranslationBundle
): string {
  const branch = walk.recording.branch_taken[step.point] ?? '';
  const values = walk.leaves
    .filter(({ role }) => role !== 'compared')
    .slice(0, 4)
    .map(leaf => {
      const at = GOES_ON.has(leaf.role)
        ? walk.after(leaf, step)
        : walk.before(leaf, step);
      const text = shortened(leaf.texts[at] ?? '', 60);
      return trans.__('%1: %2', leafAt(walk, leaf, step, trans), text);
    });
  if (branch !== '') {
    values.unshift(trans.__('branch: %1', shortened(branch, 40)));
  }
  return listOf([stepWords(walk, step, trans), ...values], trans);
}

/**
 * The steps of the outer loops in which a visit happened: `outer step 4`, `outer steps 2, 4`; then its number of steps.
 */
export function visitWords(
  visit: Visit,
  index: number,
  trans: TranslationBundle
): string {
  const trips = trans._n(
    '%2 step',
    '%2 steps',
    visit.trips,
    grouped(visit.trips)
  );
  if (visit.outer.length === 0) {
    return trans.__('loop entry %1 · %2', grouped(index + 1), trips);
  }
  const numbers = visit.outer.map(step => grouped(step + 1)).join(', ');
  return trans._n(
    'outer step %2 · %3',
    'outer steps %2 · %3',
    visit.outer.length,
    numbers,
    trips
  );
}

/** The reason why a construct cannot run now, with what to do; null if it can. */
export function whyNot(
  model: IJaxprModel,
  steppable: string | null,
  trans: TranslationBundle
): string | null {
  if (steppable !== null) {
    return steppable;
  }
  if (model.requests !== null) {
    return null;
  }
  if (model.fromSaved) {
    return trans.__(
      'This run comes from a saved copy. Run the cell to step through the construct.'
    );
  }
  return missingKernelWords(model, trans);
}

/** The text while a recording stops. */
export const stoppingWords = (trans: TranslationBundle): string =>
  trans.__('Stopping. The steps recorded so far are kept.');

/** The text for a speed of playing, such as `2 steps/s`. */
export function speedWords(speed: Speed, trans: TranslationBundle): string {
  return speed === 0
    ? trans.__('play all steps in 12 s')
    : trans._n('%1 step/s', '%1 steps/s', speed);
}
