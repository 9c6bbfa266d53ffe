/**
 * What a language says of one line: which parts have a meaning, and what can be shown as a few letters.
 *
 * The languages look at one line at a time and only at those on screen, so the length of a text costs nothing.
 */

/** What a part of a line is. Only types have a colour: the others are told apart by weight. */
export type TokenKind = 'comment' | 'keyword' | 'operation' | 'type';

/** A part of a line. */
export interface IToken {
  from: number;
  to: number;
  kind: TokenKind;
}

/** A part of a line that is shown as a few letters until it is opened. */
export interface ILineChip {
  from: number;
  to: number;
  label: string;
  /** Further parts that are hidden with it and shown with it. */
  also?: readonly (readonly [number, number])[];
}

/** A line as a language reads it; tokens in the order of the text. */
export interface IReadLine {
  tokens: IToken[];
  chips: ILineChip[];
}

/** Reads lines of one kind of text. */
export interface ILineLanguage {
  /** As it stands on the switch between levels. */
  readonly name: string;
  read(line: string): IReadLine;
}

/** Where the bracket that opens at `from` closes, exclusive; the end of the line where it does not. */
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

/** Where the string that opens at `from` ends, exclusive. */
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

/** Where `sought` stands outside every bracket, from `from` on; -1 where it does not. */
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

/** Every match of a pattern as a token. */
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

/** Tokens in the order of the text, without those inside another. */
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
