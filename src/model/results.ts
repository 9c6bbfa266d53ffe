/**
 * Puts an answer of the kernel into the document that the answer is about.
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
  const others = answersIn(document, name).filter(
    one => one[by] !== (answer as unknown as Subjects)[by]
  );
  fields[into] = [...others, answer as unknown as Subjects].sort(
    (a, b) => a[by] - b[by]
  );
}

/** What an answer may be about, by its index. */
type Subjects = Readonly<Record<'program' | 'control', number>>;

/** The answers to a request that a document holds. */
function answersIn(document: Snapshot, name: RequestName): Subjects[] {
  const { into, by } = REQUESTS[name];
  const held =
    into === null || into === 'document'
      ? null
      : (document as unknown as Record<string, unknown>)[into];
  return (held ? (by === null ? [held] : held) : []) as Subjects[];
}

/**
 * Put the answers of an older document of a run into a newer one that was made before they came.
 *
 * Answers are about programs by their index: they are left out where the programs are others.
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
  for (const name of Object.keys(REQUESTS) as RequestName[]) {
    const { by } = REQUESTS[name];
    const held = answersIn(newer, name);
    answersIn(older, name)
      .filter(one => held.every(own => by !== null && own[by] !== one[by]))
      .forEach(one =>
        merge(newer, name, one as unknown as Answer<typeof name>)
      );
  }
}
