/** Decides whether the kernel's answer is about the run, the program or the file that the request names. */
import type { Answer, Params, RequestName } from '../protocol/request-types';
import { REQUESTS } from '../protocol/request-table';

/** If an answer has one of these fields, the value must equal that of the request. */
const ABOUT = ['snapshot', 'program', 'control', 'index', 'path'];

/** True if the answer may be put into the document of the run for which it was requested. */
export function fitsRequest<Name extends RequestName>(
  name: Name,
  params: Params<Name>,
  answer: Answer<Name>
): boolean {
  const requested = params as Readonly<Record<string, unknown>>;
  const answered = Object(answer) as Readonly<Record<string, unknown>>;
  return REQUESTS[name].into === 'document'
    ? answered.id === requested.snapshot
    : ABOUT.every(
        field => !(field in answered) || answered[field] === requested[field]
      );
}
