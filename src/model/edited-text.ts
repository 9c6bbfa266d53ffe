/** Decides whether the text of a cell was edited since the cell ran. */

/** True if two texts of a cell are equal; a new line at the end does not count as an edit. */
export function isUnedited(ran: string, present: string): boolean {
  return ran.trimEnd() === present.trimEnd();
}
