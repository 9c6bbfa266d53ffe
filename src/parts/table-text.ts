/** Prints a table as plain text with aligned columns, or as Markdown. */
import { code } from './markdown-code';

/** Replaces non-breaking spaces by spaces. */
export function spaced(text: string): string {
  return text.replace(/\u00a0/g, ' ');
}

/**
 * Returns a function that prints the rows of a table as lines. @param rows All rows, headings included; each column is
 * as wide as its longest text. @param words The indices of columns with words, which are aligned left; numbers are
 * aligned right.
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

/** Prints a Markdown table; its texts must be escaped already. */
export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  words: readonly number[]
): string {
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
  const rule = heads.map((_, at) => (words.includes(at) ? '---' : '---:'));
  return [heads, rule, ...rows].map(line).join('\n');
}

/** Returns a code span that can stand in a table. */
export function codeInTable(text: string): string {
  return code(text).replace(/\|/g, '\\|');
}
