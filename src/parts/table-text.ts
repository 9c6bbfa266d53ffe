/** Prints a table as plain text with aligned columns, or as Markdown. */
import { code } from './copying';

/** Plain text, without the spaces that do not break. */
export function spaced(text: string): string {
  return text.replace(/\u00a0/g, ' ');
}

/**
 * A function that prints rows as lines.
 *
 * @param rows All rows of the table, its heads too: each column is as wide as its longest text.
 * @param words Columns of words, which begin below each other; numbers end below each other.
 */
export function lineOf(
  rows: readonly (readonly string[])[],
  words: readonly number[]
): (row: readonly string[]) => string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((most, row) => Math.max(most, row[column].length), 0)
  );
  return row =>
    row
      .map((text, column) =>
        words.includes(column)
          ? text.padEnd(widths[column])
          : text.padStart(widths[column])
      )
      .join('  ')
      .trimEnd();
}

/** A table as Markdown has it; its texts are Markdown already. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  words: readonly number[]
): string {
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
  const rule = heads.map((_, at) => (words.includes(at) ? '---' : '---:'));
  return [heads, rule, ...rows].map(line).join('\n');
}

/** A code span that may stand in a table. */
export function codeInTable(text: string): string {
  return code(text).replace(/\|/g, '\\|');
}
