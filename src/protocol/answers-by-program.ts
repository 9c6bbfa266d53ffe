/**
 * Checks the answers that a document can hold once for each program, such as its shardings: one check reads both a
 * reply and a document.
 *
 * A new request whose answer is about a program needs one line here.
 */
import { IDocumentSizes } from './document-sizes';
import { checkExactLinks } from './exact-links';
import { checkProgramPasses } from './passes';
import { checkProgramShardings } from './shardings';

export const ANSWERS_BY_PROGRAM = {
  exact_links: (value: unknown, field: string, sizes: IDocumentSizes) =>
    checkExactLinks(value, field, sizes.programs),
  passes: (value: unknown, field: string, sizes: IDocumentSizes) =>
    checkProgramPasses(value, field, sizes.programs),
  shardings: checkProgramShardings
} as const;
