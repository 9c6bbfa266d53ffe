/** Checks XLA's passes and the pages of their diffs; a `Mismatch` names the wrong field. */
import type { PassDiff, ProgramPasses } from './snapshot';
import { amount, checkEach, fields, integer, text } from './structure';

/** Check the passes of a program; `programs` is the number of programs in the document. */
export function checkProgramPasses(
  value: unknown,
  field: string,
  programs: number
): ProgramPasses {
  const recorded = fields(value, field);
  integer(recorded.program, `${field}.program`, 0, programs);
  amount(recorded.seconds, `${field}.seconds`);
  integer(recorded.left_out, `${field}.left_out`, 0);
  checkEach(recorded.passes, `${field}.passes`, (value, name) => {
    const pass = fields(value, name);
    text(pass.name, `${name}.name`);
    text(pass.pipeline, `${name}.pipeline`);
    for (const count of ['before', 'after', 'added', 'removed']) {
      integer(pass[count], `${name}.${count}`, 0);
    }
  });
  return recorded as unknown as ProgramPasses;
}

/** Check a page of the diff between the texts before and after a pass. */
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
