/** Makes the texts on a card, such as the name of the construct, its number of steps and its cost. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Control, Slot } from '../../protocol/snapshot';
import { grouped, operations } from '../../quantities';
import { shortened } from '../../parts/summary';
import { Reading } from './cards-of-program';

/** Names longer than this are cut in sentences. */
const LONGEST_NAME = 60;
/** The largest number of names that are listed; further names are counted. */
const MOST_NAMES = 4;

/** The head of the decision table, and the label of the buttons that open the table. */
export const choiceWords = (trans: TranslationBundle): string =>
  trans.__('Which control-flow function to choose');

export type Kind = Control['kind'];

const LOOPS: ReadonlySet<Kind> = new Set<Kind>([
  'scan',
  'while_loop',
  'fori_loop',
  'map'
]);
const BRANCHES: ReadonlySet<Kind> = new Set<Kind>(['cond', 'switch']);
const NAMED: ReadonlySet<Kind> = new Set<Kind>([
  'custom_jvp',
  'custom_vjp',
  'remat',
  'jit'
]);

export const isLoop = (control: Control): boolean => LOOPS.has(control.kind);
export const isBranch = (control: Control): boolean =>
  BRANCHES.has(control.kind);
/** True for a scope that is only a name, without control flow. */
export const isNamed = (control: Control): boolean => NAMED.has(control.kind);

/** True for a cond or a switch that JAX turned into a select: all branches run, and the select picks the results. */
export const isSelected = (control: Control): boolean =>
  isBranch(control) && control.primitive.startsWith('select');

/**
 * The usual primitive of a kind of construct; missing for kinds such as `fori_loop`, which JAX makes a scan or a while.
 */
const OWN_PRIMITIVES: Partial<Record<Kind, string>> = {
  cond: 'cond',
  switch: 'cond',
  scan: 'scan',
  while_loop: 'while'
};

/** The primitive of a construct if the function that the user called usually gives another primitive; else null. */
export function otherPrimitive(control: Control): string | null {
  const { kind, primitive } = control;
  return primitive === '' ||
    isNamed(control) ||
    OWN_PRIMITIVES[kind] === primitive
    ? null
    : primitive;
}

/** The user's name for the construct; empty if there is no meaningful name. */
export function titleOf(control: Control): string {
  return control.title === '<lambda>' ? '' : control.title;
}

/** The words for a construct of a derivative's backward or forward pass; null for other constructs. */
export function passWords(
  control: Control,
  trans: TranslationBundle
): string | null {
  if (control.name_stack.includes('transpose(')) {
    return trans.__('backward pass');
  }
  if (control.name_stack.includes('jvp(')) {
    return trans.__('forward pass of a gradient');
  }
  return null;
}

/**
 * Prints `100 steps` or `unknown number of steps`; null for a construct without steps.
 * @param recorded The fewest and the most steps of an execution in the recorded run.
 */
export function stepsWords(
  control: Control,
  recorded: readonly [number, number] | null,
  trans: TranslationBundle
): string | null {
  if (!isLoop(control)) {
    return null;
  }
  if (control.trips === null && recorded !== null) {
    const [least, most] = recorded;
    return least === most
      ? trans._n(
          '%2 step in the recorded run',
          '%2 steps in the recorded run',
          most,
          grouped(most)
        )
      : trans.__(
          '%1 to %2 steps in the recorded run',
          grouped(least),
          grouped(most)
        );
  }
  return control.trips === null
    ? trans.__('unknown number of steps')
    : trans._n(
        '%2\u00a0step',
        '%2\u00a0steps',
        control.trips,
        grouped(control.trips)
      );
}

/** Prints `80.0 kop`, `12 op per step`, `at most 12 op per execution`; null for an unknown cost. */
export function costWords(
  control: Control,
  trans: TranslationBundle
): string | null {
  const { step_flops: step, trips } = control;
  // A cost of 0 operations is left out: a construct without arithmetic may still compute sines, comparisons and copies.
  if (step === null || step === 0) {
    return null;
  }
  if (isLoop(control)) {
    return trips === null
      ? trans.__('%1 per step', operations(step))
      : operations(step * trips);
  }
  return isBranch(control) && !isSelected(control)
    ? trans.__('at most %1 per execution', operations(step))
    : operations(step);
}

/** The number of steps of a loop, for its drawing: `× 100`. */
export function timesWords(control: Control, trans: TranslationBundle): string {
  const { trips, unroll } = control;
  if (trips === null) {
    return trans.__('unknown number of steps');
  }
  if (unroll <= 1) {
    return trans.__('× %1', grouped(trips));
  }
  return unroll >= trips
    ? trans.__('× %1, unrolled', grouped(trips))
    : trans.__('× %1, unroll %2', grouped(trips), unroll);
}

export function slotsOf(control: Control, ...roles: Slot['role'][]): Slot[] {
  return control.slots.filter(slot => roles.includes(slot.role));
}

/** Names as a part of a sentence: `h, c`, `a, b, c, d and 3 more`. */
export function namesWords(
  reading: Reading,
  control: Control,
  slots: readonly Slot[],
  trans: TranslationBundle
): string {
  const names = slots.map(slot =>
    shortened(
      reading.nameOf(control, slot) ?? reading.type(slot.whole),
      LONGEST_NAME
    )
  );
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES
    ? trans.__('%1 and %2 more', shown, names.length - MOST_NAMES)
    : shown;
}

/** The predicate or the index: the user's expression, else the variable. */
export function predicateWords(
  reading: Reading,
  control: Control
): string | null {
  return control.predicate_text ?? reading.operand(control, control.predicate);
}

/** The name of a card for screen readers: `scan step, line 10`. */
export function cardName(
  reading: Reading,
  control: Control,
  trans: TranslationBundle
): string {
  const title = titleOf(control);
  const kindAndTitle = title === '' ? control.kind : `${control.kind} ${title}`;
  const span = reading.span(control.frame);
  return span === null
    ? kindAndTitle
    : trans.__('%1, line %2', kindAndTitle, span.line);
}

/** Describes in sentences what the drawing of a card shows. */
export function drawingWords(
  reading: Reading,
  control: Control,
  trans: TranslationBundle
): string {
  if (isBranch(control)) {
    return branchWords(reading, control, trans);
  }
  const names = (...roles: Slot['role'][]): string =>
    namesWords(reading, control, slotsOf(control, ...roles), trans);
  const carry = names('carry');
  const xs = names('xs');
  const ys = names('ys');
  const { trips } = control;
  const sentences = [trans.__('Drawing of %1.', control.kind)];
  if (control.kind === 'associative_scan') {
    sentences.push(
      trans.__('The scan combines neighbouring elements in pairs, as a tree.')
    );
  } else if (carry !== '') {
    sentences.push(
      trips === null
        ? trans.__(
            'The carry %1 passes through an unknown number of steps.',
            carry
          )
        : trans._n(
            'The carry %2 passes through %3 step.',
            'The carry %2 passes through %3 steps.',
            trips,
            carry,
            grouped(trips)
          )
    );
  } else if (trips !== null) {
    sentences.push(
      trans._n(
        'The loop runs %2 step.',
        'The loop runs %2 steps.',
        trips,
        grouped(trips)
      )
    );
  }
  if (control.primitive === 'while') {
    sentences.push(
      control.condition_text === null
        ? trans.__(
            'Before each step, the condition decides whether the loop continues.'
          )
        : trans.__(
            'The loop continues while %1.',
            shortened(control.condition_text, 200)
          )
    );
  }
  if (xs !== '') {
    sentences.push(
      control.reverse
        ? trans.__('Each step takes a row of %1, the last row first.', xs)
        : trans.__('Each step takes a row of %1.', xs)
    );
  }
  if (ys !== '') {
    sentences.push(trans.__('Each step returns a row of %1.', ys));
  }
  return sentences.join(' ');
}

function branchWords(
  reading: Reading,
  control: Control,
  trans: TranslationBundle
): string {
  const { kind } = control;
  const shown = control.branches
    .slice(0, MOST_NAMES)
    .map(({ label, name }) => (name === '' ? label : `${label} (${name})`));
  const more = control.branches.length - MOST_NAMES;
  const branches =
    more > 0
      ? trans.__('%1 and %2 more', shown.join(', '), more)
      : shown.join(', ');
  const predicate = predicateWords(reading, control);
  if (predicate === null) {
    return isSelected(control)
      ? trans.__(
          'Drawing of %1. All branches run: %2. A predicate selects the results.',
          kind,
          branches
        )
      : trans.__(
          'Drawing of %1. A predicate chooses one branch of: %2.',
          kind,
          branches
        );
  }
  const decides = shortened(predicate, 200);
  return isSelected(control)
    ? trans.__(
        'Drawing of %1. All branches run: %2. %3 selects the results.',
        kind,
        branches,
        decides
      )
    : trans.__(
        'Drawing of %1. %2 chooses one branch of: %3.',
        kind,
        decides,
        branches
      );
}
