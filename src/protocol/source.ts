/** Checks a page of a source file; a `Mismatch` names the wrong field. */
import type { SourcePage } from './snapshot';
import {
  Mismatch,
  checkEach,
  fields,
  integer,
  orNull,
  text
} from './structure';

/** Check the text of a file: its stretches of lines are ascending, do not overlap, and end within the file. */
export function checkSourcePage(value: unknown, field: string): SourcePage {
  const page = fields(value, field);
  text(page.path, `${field}.path`);
  const lines = integer(page.lines, `${field}.lines`, 0);
  let next = 1;
  checkEach(page.stretches, `${field}.stretches`, (value, name) => {
    const stretch = fields(value, name);
    const first = integer(stretch.first_line, `${name}.first_line`, next);
    next = first + text(stretch.text, `${name}.text`).split('\n').length;
  });
  if (next > lines + 1) {
    throw new Mismatch(`${field}.stretches`, 'lines of the file');
  }
  orNull(page.missing, `${field}.missing`, text);
  return page as unknown as SourcePage;
}
