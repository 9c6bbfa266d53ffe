/** Checks XLA's passes and the pages of their diffs; a `Mismatch` names the wrong field. */
import type { PassDiff, ProgramPasses } from './snapshot';
import { amount, each, fields, integer, text } from './structure';

/** Check the passes of a program; `programs` is how many the document has. */
export function checkProgramPasses(
  value: unknown,
  field: string,
  programs: number
): ProgramPasses {
  const found = fields(value, field);
  integer(found.program, `${field}.program`, 0, programs);
  amount(found.seconds, `${field}.seconds`);
  integer(found.left_out, `${field}.left_out`, 0);
  each(found.passes, `${field}.passes`, (value, name) => {
    const one = fields(value, name);
    text(one.name, `${name}.name`);
    text(one.pipeline, `${name}.pipeline`);
    for (const count of ['before', 'after', 'added', 'removed']) {
      integer(one[count], `${name}.${count}`, 0);
    }
  });
  return found as unknown as ProgramPasses;
}

/** Check a page of what a pass changed. */
export function checkPassDiff(
  value: unknown,
  field: string,
  programs: number
): PassDiff {
  const page = fields(value, field);
  integer(page.program, `${field}.program`, 0, programs);
  for (const name of ['index', 'lines', 'first_line']) {
    integer(page[name], `${field}.${name}`, 0);
  }
  text(page.text, `${field}.text`);
  return page as unknown as PassDiff;
}
