/** Chooses the notes that have a sign at a line of the cell. */
import type { Snapshot } from '../protocol/snapshot';

/** The notes of a program, or of the whole run, that are about a line of the cell that ran. */
export function notesOfLines(
  snapshot: Snapshot,
  program: number
): { line: number; text: string }[] {
  const notes: { line: number; text: string }[] = [];
  for (const note of snapshot.notes) {
    if (note.frame < 0 || (note.program !== program && note.program >= 0)) {
      continue;
    }
    const [file, , line] = snapshot.frames[note.frame];
    if (snapshot.files[file].path === snapshot.cell?.file) {
      notes.push({ line, text: note.text });
    }
  }
  return notes;
}
