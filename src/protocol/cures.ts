/** Checks a cure of a document; a `Mismatch` names the wrong field. */
import {
  checkEach,
  fields,
  withDefault,
  integer,
  oneOf,
  orNull,
  text
} from './structure';

const CURE_LEVELS = ['applies', 'choice', 'advice'] as const;

/**
 * Check a cure.
 *
 * @param field The path of the cure in the document, for the error.
 * @param frames The number of frames in the document.
 */
export function checkCure(value: unknown, field: string, frames: number): void {
  const cure = fields(value, field);
  text(cure.name, `${field}.name`);
  orNull(cure.code, `${field}.code`, text);
  text(cure.text, `${field}.text`);
  checkCureLevel(withDefault(cure.level, 'advice'), `${field}.level`);
  checkEdits(withDefault(cure.edits, []), `${field}.edits`, frames);
}

/** Check the level of a cure: `applies`, `choice` or `advice`. */
export function checkCureLevel(value: unknown, field: string): void {
  oneOf(value, field, CURE_LEVELS);
}

/**
 * Check the edits of a cure.
 *
 * @param frames The number of frames in the document.
 */
export function checkEdits(
  value: unknown,
  field: string,
  frames: number
): void {
  checkEach(value, field, entry => {
    const edit = fields(entry, field);
    integer(edit.frame, `${field}.frame`, 0, frames);
    text(edit.text, `${field}.text`);
  });
}
