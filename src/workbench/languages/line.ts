/**
 * Types and helpers for the languages of the levels: a language finds the parts of a line that have a meaning, and the
 * parts that can be shortened.
 *
 * A language reads one line at a time, and only lines on screen, so a long text is not slower than a short one.
 */

/** The kind of a part of a line. Only types have a colour; the font weight distinguishes the other kinds. */
export type TokenKind = 'comment' | 'keyword' | 'operation' | 'type';

/** A part of a line, with its kind. */
export interface IToken {
  from: number;
  to: number;
  kind: TokenKind;
}

/** A part of a line that is shown as a few letters until the reader opens it. */
export interface ILineChip {
  from: number;
  to: number;
  label: string;
  /** The label in a line with little room; the label itself if undefined. */
  short?: string;
  /** Further parts of the line that are hidden and shown together with the chip. */
  also?: readonly (readonly [number, number])[];
}

/** The parts of a line that a language has found; tokens are in the order of the text. */
export interface IReadLine {
  tokens: IToken[];
  chips: ILineChip[];
}

/** The parser of one kind of text, such as HLO; it reads one line at a time. */
export interface ILineLanguage {
  /** The name of the level, such as `HLO`, in the label of a listing. */
  readonly name: string;
  read(line: string): IReadLine;
}

/** The position after the bracket that closes the bracket at `from`; the end of the line if no bracket closes it. */
export function closing(line: string, from: number): number {
  let depth = 0;
  for (let i = from; i < line.length; i++) {
    const sign = line[i];
    if (sign === '"') {
      i = endOfString(line, i) - 1;
    } else if ('([{<'.includes(sign)) {
      depth++;
    } else if (')]}'.includes(sign) || (sign === '>' && line[i - 1] !== '-')) {
      if (--depth === 0) {
        return i + 1;
      }
    }
  }
  return line.length;
}

/** The position after the string that starts at `from`. */
export function endOfString(line: string, from: number): number {
  for (let i = from + 1; i < line.length; i++) {
    if (line[i] === '\\') {
      i++;
    } else if (line[i] === '"') {
      return i + 1;
    }
  }
  return line.length;
}

/** The first position of `sought`, at or after `from`, that is not inside brackets or a string; -1 if there is none. */
export function outside(line: string, sought: string, from: number): number {
  let i = from;
  while (i < line.length) {
    if (line.startsWith(sought, i)) {
      return i;
    }
    const sign = line[i];
    if (sign === '"') {
      i = endOfString(line, i);
    } else if ('([{<'.includes(sign)) {
      i = closing(line, i);
    } else {
      i++;
    }
  }
  return -1;
}

/** Makes a token of every match of a pattern. */
export function tokensOf(
  line: string,
  pattern: RegExp,
  kind: TokenKind
): IToken[] {
  return [...line.matchAll(pattern)].map(match => ({
    from: match.index as number,
    to: (match.index as number) + match[0].length,
    kind
  }));
}

/** Sorts tokens in the order of the text, and drops tokens inside other tokens. */
export function inOrder(tokens: readonly IToken[]): IToken[] {
  const sorted = [...tokens].sort((a, b) => a.from - b.from || b.to - a.to);
  const kept: IToken[] = [];
  let end = 0;
  for (const token of sorted) {
    if (token.from >= end && token.to > token.from) {
      kept.push(token);
      end = token.to;
    }
  }
  return kept;
}
