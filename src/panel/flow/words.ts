/**
 * A construct comes in; the words of its card go out: what it is, how often it runs, what its drawing shows.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { Control, Slot } from '../../protocol/snapshot';
import { grouped, operations } from '../../quantities';
import { shortened } from '../../parts/summary';
import { Reading } from './cards-of-program';

/** Longer names are cut in sentences. */
const LONGEST_NAME = 60;
/** More names are counted. */
const MOST_NAMES = 4;

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
/** A scope that only has a name: it decides nothing. */
export const isNamed = (control: Control): boolean => NAMED.has(control.kind);

/** What became of the branches: both sides run, and the result is selected. */
export const isSelected = (control: Control): boolean =>
  isBranch(control) && control.primitive.startsWith('select');

/** What JAX calls a construct of this kind; nothing where the user's word is to be told from JAX's. */
const OWN_PRIMITIVES: Partial<Record<Kind, string>> = {
  cond: 'cond',
  switch: 'cond',
  scan: 'scan',
  while_loop: 'while'
};

/** The primitive, where it is not what the user's word suggests; else null. */
export function otherPrimitive(control: Control): string | null {
  const { kind, primitive } = control;
  return primitive === '' ||
    isNamed(control) ||
    OWN_PRIMITIVES[kind] === primitive
    ? null
    : primitive;
}

/** The user's name for it; empty where it has none worth saying. */
export function titleOf(control: Control): string {
  return control.title === '<lambda>' ? '' : control.title;
}

/** Where a transformation made it. */
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

/** `100 steps`, `unknown number of steps`; null where there is nothing to count. */
export function tripsWords(
  control: Control,
  trans: TranslationBundle
): string | null {
  if (!isLoop(control)) {
    return null;
  }
  return control.trips === null
    ? trans.__('unknown number of steps')
    : trans
        ._n('%2 step', '%2 steps', control.trips, grouped(control.trips))
        .replace(' ', '\u00a0');
}

/** `80.0 kFLOP`, `12 FLOP a step`, `up to 12 FLOP`; null where that is not known. */
export function costWords(
  control: Control,
  trans: TranslationBundle
): string | null {
  const { step_flops: step, trips } = control;
  // What has no arithmetic has sines, comparisons and copies perhaps: none is not worth saying.
  if (step === null || step === 0) {
    return null;
  }
  if (isLoop(control)) {
    return trips === null
      ? trans.__('%1 a step', operations(step))
      : operations(step * trips);
  }
  return isBranch(control) && !isSelected(control)
    ? trans.__('up to %1', operations(step))
    : operations(step);
}

/** How many times, for a drawing: `× 100`. */
export function timesWords(control: Control, trans: TranslationBundle): string {
  const { trips, unroll } = control;
  const times =
    trips === null
      ? trans.__('unknown number of steps')
      : trans.__('× %1', grouped(trips));
  return unroll > 1 ? trans.__('%1, unroll %2', times, unroll) : times;
}

export function slotsOf(control: Control, ...roles: Slot['role'][]): Slot[] {
  return control.slots.filter(slot => roles.includes(slot.role));
}

/** `h, c`, `a, b, c, d and 3 more`. */
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

/** What the predicate or the index is: as the user wrote it, or else the variable. */
export function predicateWords(
  reading: Reading,
  control: Control
): string | null {
  return control.predicate_text ?? reading.operand(control, control.predicate);
}

/** The name of a card for a screen reader: `scan step, line 10`. */
export function cardName(
  reading: Reading,
  control: Control,
  trans: TranslationBundle
): string {
  const title = titleOf(control);
  const what =
    title === '' ? control.kind : trans.__('%1 %2', control.kind, title);
  const span = reading.span(control.frame);
  return span === null ? what : trans.__('%1, line %2', what, span.line);
}

/** What the drawing shows, in a sentence. */
export function drawingWords(
  reading: Reading,
  control: Control,
  trans: TranslationBundle
): string {
  if (isBranch(control)) {
    return branchWords(reading, control, trans);
  }
  const say = (...roles: Slot['role'][]): string =>
    namesWords(reading, control, slotsOf(control, ...roles), trans);
  const carry = say('carry');
  const xs = say('xs');
  const ys = say('ys');
  const parts: string[] = [];
  if (control.kind === 'associative_scan') {
    parts.push(
      trans.__('neighbours are combined in pairs, as a tree, not one by one')
    );
  } else if (carry !== '') {
    parts.push(
      control.trips === null
        ? trans.__('carry %1 goes round, unknown number of steps', carry)
        : trans._n(
            'carry %2 goes round %3 time',
            'carry %2 goes round %3 times',
            control.trips,
            carry,
            grouped(control.trips)
          )
    );
  } else if (control.trips !== null) {
    parts.push(
      trans._n(
        'runs %2 time',
        'runs %2 times',
        control.trips,
        grouped(control.trips)
      )
    );
  }
  if (control.primitive === 'while') {
    parts.push(
      control.condition_text === null
        ? trans.__('before each step its condition decides whether it goes on')
        : trans.__(
            'it goes on while %1',
            shortened(control.condition_text, 200)
          )
    );
  }
  if (xs !== '') {
    parts.push(
      control.reverse
        ? trans.__('each step takes a row of %1, the last row first', xs)
        : trans.__('each step takes a row of %1', xs)
    );
  }
  if (ys !== '') {
    parts.push(trans.__('each step gives a row of %1', ys));
  }
  return trans.__('%1: %2', control.kind, parts.join('; '));
}

function branchWords(
  reading: Reading,
  control: Control,
  trans: TranslationBundle
): string {
  const sides = control.branches
    .slice(0, MOST_NAMES)
    .map(({ label, name }) =>
      name === '' ? label : trans.__('%1 (%2)', label, name)
    );
  if (control.branches.length > MOST_NAMES) {
    sides.push(trans.__('%1 more', control.branches.length - MOST_NAMES));
  }
  const predicate = predicateWords(reading, control) ?? trans.__('a predicate');
  return isSelected(control)
    ? trans.__(
        '%1: all of %2 run, and %3 selects among their results',
        control.kind,
        sides.join(', '),
        shortened(predicate, 200)
      )
    : trans.__(
        '%1: %2 chooses one of %3',
        control.kind,
        shortened(predicate, 200),
        sides.join(', ')
      );
}
