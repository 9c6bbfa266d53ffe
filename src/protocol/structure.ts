/**
 * Any decoded JSON comes in; the same value typed goes out, or a `Mismatch` that names the field.
 *
 * Nothing here copies: what passes is the value itself, so a document of a million numbers costs one look at each.
 */

/** What was found is not what the document or the message promises. Caught inside this room. */
export class Mismatch extends Error {
  constructor(
    readonly field: string,
    readonly expected: string
  ) {
    super(`${field}: ${expected}`);
  }
}

/** No list of an honest document is longer: a program of a million equations stays below. */
const LONGEST_LIST = 20_000_000;

/** No single text of an honest document is longer, in UTF-16 code units. */
const LONGEST_TEXT = 64_000_000;

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
  if (value.length > LONGEST_TEXT) {
    throw new Mismatch(field, `a text of at most ${LONGEST_TEXT} characters`);
  }
  return value;
}

export function flag(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') {
    throw new Mismatch(field, 'true or false');
  }
  return value;
}

/** Any number but infinity and NaN. */
export function finite(value: unknown, field: string): number {
  return seconds(value, field);
}

export function seconds(value: unknown, field: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new Mismatch(field, 'a number');
  }
  return value;
}

export function integer(
  value: unknown,
  field: string,
  from: number,
  below: number = Number.MAX_SAFE_INTEGER
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

/** Null passes; anything else is looked at by `check`. */
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
  if (value.length > LONGEST_LIST) {
    throw new Mismatch(field, `a list of at most ${LONGEST_LIST} entries`);
  }
  return value;
}

/** A list that is not longer than honest ones of its kind. */
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

/** A row of fixed length. */
export function row(
  value: unknown,
  field: string,
  length: number
): readonly unknown[] {
  const entries = list(value, field);
  if (entries.length !== length) {
    throw new Mismatch(field, `a row of ${length}`);
  }
  return entries;
}

export function each(
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
