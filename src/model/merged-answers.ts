/**
 * Puts an answer of the kernel into the document that the answer is about.
 *
 * The kernel changes its own copy in the same way (jupyter_jaxpr/document/merged_answers.py), so a page that is loaded later has
 * the same facts.
 */
import type { Answer, RequestName } from '../protocol/request-types';
import { REQUESTS } from '../protocol/request-table';
import type { Snapshot } from '../protocol/snapshot';

/**
 * Puts an answer into its field of the document; an older answer about the same subject is replaced.
 *
 * The document is changed in place and stays the same object, because the page stores further data, such as links,
 * under this object.
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

/** What an answer is about: the values of the fields that identify it, such as `after.program`. */
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

/** Compares two subjects in the kernel's order: negative if the first one comes first, 0 if they are equal. */
function inOrder(a: Subject, b: Subject): number {
  const place = a.findIndex((value, index) => value !== b[index]);
  return place < 0 ? 0 : a[place] < b[place] ? -1 : 1;
}

/** The answers to a kind of request that are in a document. */
function answersIn(document: Snapshot, name: RequestName): unknown[] {
  const { into, by } = REQUESTS[name];
  const stored =
    into === null || into === 'document'
      ? null
      : (document as unknown as Record<string, unknown>)[into];
  return (stored ? (by === null ? [stored] : stored) : []) as unknown[];
}

/**
 * Copies answers from an older document of a run to a newer one that the kernel made before the answers existed.
 * Answers refer to programs by index, so none is copied if the programs differ.
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
