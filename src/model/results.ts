/**
 * Puts an answer of the kernel into the document that the answer is about.
 *
 * The kernel changes its own copy in the same way (jupyter_jaxpr/document/merge.py), so a page that is loaded later has
 * the same facts.
 */
import type { Answer, RequestName } from '../protocol/request-types';
import { REQUESTS } from '../protocol/request-table';
import type { Snapshot } from '../protocol/snapshot';

/**
 * Put an answer into its field of the document, in place of an older answer about the same subject.
 *
 * The document is changed in place and stays the same object, because facts that a page keeps about a document, such as
 * its links, are stored by that object.
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
  const subject = subjectOf(answer, by);
  const otherAnswers = answersIn(document, name).filter(
    stored => inOrder(subjectOf(stored, by), subject) !== 0
  );
  fields[into] = [...otherAnswers, answer].sort((a, b) =>
    inOrder(subjectOf(a, by), subjectOf(b, by))
  );
}

/** The subject of an answer: the values of its fields by their paths, such as `after.program`. */
type Subject = readonly (string | number)[];

function subjectOf(answer: unknown, by: readonly string[]): Subject {
  const valueAt = (path: string): unknown =>
    path
      .split('.')
      .reduce<unknown>(
        (object, field) => (object as Record<string, unknown>)[field],
        answer
      );
  return by.map(path => valueAt(path) as string | number);
}

/**
 * The order in which the kernel sorts answers: negative if the first subject comes before the second, 0 if both are
 * equal.
 */
function inOrder(a: Subject, b: Subject): number {
  const place = a.findIndex((value, index) => value !== b[index]);
  return place < 0 ? 0 : a[place] < b[place] ? -1 : 1;
}

/** The answers to a request that a document holds. */
function answersIn(document: Snapshot, name: RequestName): unknown[] {
  const { into, by } = REQUESTS[name];
  const stored =
    into === null || into === 'document'
      ? null
      : (document as unknown as Record<string, unknown>)[into];
  return (stored ? (by === null ? [stored] : stored) : []) as unknown[];
}

/**
 * Copy the answers of an older document of a run into a newer document that the kernel made before the answers arrived.
 * An answer names a program by its index, so answers are left out if the programs differ.
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
    const newerAnswers = answersIn(newer, name);
    const isHeld = (answer: unknown): boolean =>
      newerAnswers.some(
        own =>
          by === null ||
          inOrder(subjectOf(own, by), subjectOf(answer, by)) === 0
      );
    answersIn(older, name)
      .filter(answer => !isHeld(answer))
      .forEach(answer => merge(newer, name, answer as Answer<typeof name>));
  }
}
