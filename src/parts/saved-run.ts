/** Makes the content and the name of the file in which a run is saved. */
import type { IJaxprModel } from '../tokens';

/** True if the document of the run can be saved: from its kernel, or from a saved copy. */
export function canCopy(model: IJaxprModel | null): boolean {
  return (
    model !== null &&
    // A document with values that are only for the panel is not saved as it is; the kernel removes the values.
    (model.requests !== null || model.snapshot?.values !== 'live')
  );
}

/** Returns the document as JSON: the kernel's, which has all texts, or else the document in view. */
export async function documentText({
  requests,
  snapshot,
  program
}: IJaxprModel): Promise<string> {
  return requests === null || snapshot === null
    ? JSON.stringify(snapshot)
    : requests.ask('export', {
        snapshot: snapshot.id,
        program,
        format: 'document'
      });
}

/** Returns a file name that every file system accepts. */
export function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 100) || 'program';
}
