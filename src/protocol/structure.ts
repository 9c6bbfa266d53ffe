/**
 * Checks the types of decoded JSON; a `Mismatch` names the wrong field.
 *
 * The checks copy nothing and return the checked value itself, so the check of a million numbers only reads each number
 * once.
 */

import { LIMITS } from './limits';

/** The value differs from the value that the document or the message promises. Caught inside this room. */
export class Mismatch extends Error {
  constructor(
    readonly field: string,
    readonly expected: string
  ) {
    super(`${field}: ${expected}`);
  }
}

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown, field: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Mismatch(field, 'an object');
  }
  return value as Fields;
}

export function text(value: unknown, field: string): string {
  if (typeof value !== 'string') {
    throw new Mismatch(field, 'a text');
  }
  if (value.length > LIMITS.TEXT) {
    throw new Mismatch(field, `a text of at most ${LIMITS.TEXT} characters`);
  }
  // A text with half of a surrogate pair is refused: the kernel neither writes nor reads such JSON. Older browsers lack
  // the method `isWellFormed`.
  const { isWellFormed } = value as { isWellFormed?: () => boolean };
  if (isWellFormed?.call(value) === false) {
    throw new Mismatch(field, 'a text of whole characters');
  }
  return value;
}

export function flag(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') {
    throw new Mismatch(field, 'true or false');
  }
  return value;
}

/** Checks a number of the user's: any number except infinity and NaN. */
export function finite(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new Mismatch(field, 'a number');
  }
  return value;
}

/** Checks a number, also negative, that is small enough to be added up. */
export function seconds(value: unknown, field: string): number {
  const number = finite(value, field);
  if (Math.abs(number) > LIMITS.AMOUNT) {
    throw new Mismatch(field, `a number up to ${LIMITS.AMOUNT}`);
  }
  return number;
}

/** Check seconds, operations or bytes: a number from 0 that can be added up. */
export function amount(value: unknown, field: string): number {
  const number = seconds(value, field);
  if (number < 0) {
    throw new Mismatch(field, 'a number from 0');
  }
  return number;
}

/** Check a number of operations or bytes, which may exceed the integers that JavaScript holds exactly. */
export function counted(value: unknown, field: string): number {
  const number = amount(value, field);
  if (!Number.isInteger(number)) {
    throw new Mismatch(field, 'an integer from 0');
  }
  return number;
}

export function integer(
  value: unknown,
  field: string,
  from: number,
  below: number = LIMITS.INTEGER + 1
): number {
  if (
    typeof value !== 'number' ||
    !Number.isInteger(value) ||
    value < from ||
    value >= below
  ) {
    throw new Mismatch(field, `an integer from ${from} to ${below - 1}`);
  }
  return value;
}

export function oneOf<T extends string>(
  value: unknown,
  field: string,
  choices: readonly T[]
): T {
  if (!choices.includes(value as T)) {
    throw new Mismatch(field, choices.join(', '));
  }
  return value as T;
}

/**
 * The value of a field, or the value `inEarlier` if the field is missing: documents of earlier versions lack the field.
 */
export function withDefault(value: unknown, inEarlier: unknown): unknown {
  return value === undefined ? inEarlier : value;
}

/** Accept null; pass any other value to `check`. */
export function orNull<T>(
  value: unknown,
  field: string,
  check: (value: unknown, field: string) => T
): T | null {
  return value === null ? null : check(value, field);
}

export function list(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new Mismatch(field, 'a list');
  }
  if (value.length > LIMITS.LIST) {
    throw new Mismatch(field, `a list of at most ${LIMITS.LIST} entries`);
  }
  return value;
}

/** Checks that a value is a list of at most `most` entries. */
export function upTo(
  most: number,
  value: unknown,
  field: string
): readonly unknown[] {
  const entries = list(value, field);
  if (entries.length > most) {
    throw new Mismatch(field, `a list of at most ${most} entries`);
  }
  return entries;
}

/** Checks a row of this many entries; a later version may add entries at its end. */
export function row(
  value: unknown,
  field: string,
  length: number
): readonly unknown[] {
  const entries = list(value, field);
  if (entries.length < length) {
    throw new Mismatch(field, `a row of ${length}`);
  }
  return entries;
}

export function checkEach(
  value: unknown,
  field: string,
  check: (value: unknown, field: string) => unknown
): readonly unknown[] {
  const entries = list(value, field);
  for (let i = 0; i < entries.length; i++) {
    check(entries[i], field);
  }
  return entries;
}

/** A list of indices into a pool of `size`; `from` is -1 where an entry may be missing. */
export function indices(
  value: unknown,
  field: string,
  from: number,
  size: number
): readonly number[] {
  const entries = list(value, field);
  for (let i = 0; i < entries.length; i++) {
    integer(entries[i], field, from, size);
  }
  return entries as readonly number[];
}

export function sameLength(
  entries: readonly unknown[],
  field: string,
  length: number
): void {
  if (entries.length !== length) {
    throw new Mismatch(field, `${length} entries`);
  }
}

export function count(value: unknown, field: string): number {
  return integer(value, field, 0);
}
