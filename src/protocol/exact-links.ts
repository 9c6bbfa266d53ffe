/** Checks the exact links of a document; a `Mismatch` names the wrong field. */
import type { ExactLinks } from './snapshot';
import {
  amount,
  checkEach,
  fields,
  flag,
  integer,
  oneOf,
  orNull,
  text
} from './structure';

/** Check the exact links of a program; `programs` is the number of programs in the document. */
export function checkExactLinks(
  value: unknown,
  field: string,
  programs: number
): ExactLinks {
  const links = fields(value, field);
  integer(links.program, `${field}.program`, 0, programs);
  amount(links.lower_seconds, `${field}.lower_seconds`);
  amount(links.compile_seconds, `${field}.compile_seconds`);
  integer(links.equations, `${field}.equations`, 0);
  integer(links.reached, `${field}.reached`, 0);
  checkEach(links.levels, `${field}.levels`, (value, where) => {
    const level = fields(value, where);
    oneOf(level.name, `${where}.name`, ['stablehlo', 'hlo'] as const);
    for (const count of [
      'lines',
      'instructions',
      'linked',
      'single',
      'inferred'
    ]) {
      integer(level[count], `${where}.${count}`, 0);
    }
    orNull(level.same, `${where}.same`, flag);
    text(level.words, `${where}.words`);
  });
  return links as unknown as ExactLinks;
}
