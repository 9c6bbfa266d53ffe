/** Checks a cure of a document; a `Mismatch` names the wrong field. */
import { each, fields, given, integer, oneOf, orNull, text } from './structure';

const CURE_LEVELS = ['applies', 'choice', 'advice'] as const;

/**
 * Check a cure.
 *
 * @param field What it is called in the document.
 * @param frames How many frames the document has.
 */
export function checkCure(value: unknown, field: string, frames: number): void {
  const cure = fields(value, field);
  text(cure.name, `${field}.name`);
  orNull(cure.code, `${field}.code`, text);
  text(cure.text, `${field}.text`);
  checkCureLevel(given(cure.level, 'advice'), `${field}.level`);
  checkEdits(given(cure.edits, []), `${field}.edits`, frames);
}

/** Check how sure a cure is. */
export function checkCureLevel(value: unknown, field: string): void {
  oneOf(value, field, CURE_LEVELS);
}

/**
 * Check the edits of a cure.
 *
 * @param frames How many frames the document has.
 */
export function checkEdits(
  value: unknown,
  field: string,
  frames: number
): void {
  each(value, field, one => {
    const edit = fields(one, field);
    integer(edit.frame, `${field}.frame`, 0, frames);
    text(edit.text, `${field}.text`);
  });
}
