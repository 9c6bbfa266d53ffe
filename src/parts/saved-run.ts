/** Makes the files that a run is saved as. */
import type { IJaxprModel } from '../tokens';

/** True if the document of the run can be had, from its kernel or from a saved copy. */
export function canCopy(model: IJaxprModel | null): boolean {
  return (
    model !== null &&
    // Values that are for the panel alone are not saved; the kernel leaves them out.
    (model.requests !== null || model.snapshot?.values !== 'live')
  );
}

/** The document as JSON: the kernel's document, which has all texts, else the document in view. */
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

/** The name of a file, with letters that every file system takes. */
export function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, 100) || 'program';
}
