/** Decides whether the text of a cell was edited since the cell ran. */

/** True if two texts of a cell are equal, ignoring a line break at the end. */
export function isUnedited(ran: string, present: string): boolean {
  return ran.trimEnd() === present.trimEnd();
}
