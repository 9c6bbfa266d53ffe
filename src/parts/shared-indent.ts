/** Measures the indentation that all lines of a source excerpt share. */

/** The number of spaces with which every line begins, ignoring empty lines. */
export function indentOf(lines: readonly string[]): number {
  const indents = lines
    .filter(line => line.trim() !== '')
    .map(line => line.length - line.trimStart().length);
  return indents.length === 0 ? 0 : Math.min(...indents);
}
