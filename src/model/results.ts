/**
 * An answer of the kernel comes in, and the document that it is about; the document holds the answer afterwards.
 *
 * The kernel does the same with its own copy (jupyter_jaxpr/document/merge.py), so a page that is loaded later has the
 * same facts.
 */
import type { Answer, RequestName } from '../protocol/questions';
import { REQUESTS } from '../protocol/requests';
import type { Snapshot } from '../protocol/snapshot';

/**
 * Put an answer into its field of the document, in the place of an older one about the same program or construct.
 *
 * The document itself changes and stays the same object: what a page knows of a document, such as its links, is kept by
 * that object.
 */
export function merge<Name extends RequestName>(
  document: Snapshot,
  name: Name,
  answer: Answer<Name>
): void {
  const { into, by } = REQUESTS[name];
  if (into === null || into === 'document') {
    return;
  }
  const fields = document as unknown as Record<string, unknown>;
  if (by === null) {
    fields[into] = answer;
    return;
  }
  const subject = (one: unknown): number =>
    (one as Record<typeof by, number>)[by];
  const others = ((fields[into] ?? []) as unknown[]).filter(
    one => subject(one) !== subject(answer)
  );
  fields[into] = [...others, answer].sort((a, b) => subject(a) - subject(b));
}
