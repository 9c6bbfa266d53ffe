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

/**
 * Put the answers of an older document of the same run into a newer one that lacks them.
 *
 * The newer one may have been made before an answer came, or anew. Answers are about programs by their index: they are
 * left out where the programs are others.
 */
export function carry(older: Snapshot, newer: Snapshot): void {
  const isSame = older.programs.every(
    ({ name, equations }, index) =>
      newer.programs[index]?.name === name &&
      newer.programs[index].equations === equations
  );
  if (!isSame || older.id !== newer.id) {
    return;
  }
  const [from, to] = [older, newer] as unknown as Record<string, unknown>[];
  for (const name of Object.keys(REQUESTS) as RequestName[]) {
    const { into, by } = REQUESTS[name];
    if (into === null || into === 'document') {
      continue;
    }
    if (by === null) {
      to[into] ??= from[into] ?? null;
      continue;
    }
    const subject = (one: unknown): number =>
      (one as Record<typeof by, number>)[by];
    const held = (to[into] ?? []) as unknown[];
    const known = new Set(held.map(subject));
    const lacking = ((from[into] ?? []) as unknown[]).filter(
      one => !known.has(subject(one))
    );
    if (lacking.length > 0) {
      to[into] = [...held, ...lacking].sort((a, b) => subject(a) - subject(b));
    }
  }
}
