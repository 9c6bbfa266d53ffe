/**
 * Splits a line of Python into keywords, defined names, strings, numbers and comments.
 *
 * It is meant for a few lines; of a string over several lines, only the first line is coloured.
 */
export type PieceKind =
  'keyword' | 'definition' | 'string' | 'number' | 'comment' | null;

export interface IPiece {
  text: string;
  kind: PieceKind;
}

const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' ')
);

const TOKEN =
  /(?<comment>#.*)|(?<string>(?:\b[rbuft]{1,2})?(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?))|(?<number>\b\d[\w.]*)|(?<name>[\p{L}_][\p{L}\p{N}_]*)/giu;

export function pythonPieces(line: string): IPiece[] {
  const pieces: IPiece[] = [];
  let end = 0;
  let before = '';
  const add = (text: string, kind: PieceKind): void => {
    const last = pieces[pieces.length - 1];
    if (last !== undefined && last.kind === null && kind === null) {
      last.text += text;
    } else if (text !== '') {
      pieces.push({ text, kind });
    }
  };
  for (const match of line.matchAll(TOKEN)) {
    add(line.slice(end, match.index), null);
    end = match.index + match[0].length;
    const { comment, string, number } = match.groups ?? {};
    let kind: PieceKind = null;
    if (comment !== undefined) {
      kind = 'comment';
    } else if (string !== undefined) {
      kind = 'string';
    } else if (number !== undefined) {
      kind = 'number';
    } else if (KEYWORDS.has(match[0])) {
      kind = 'keyword';
    } else if (before === 'def' || before === 'class') {
      kind = 'definition';
    }
    before = match[0];
    add(match[0], kind);
  }
  add(line.slice(end), null);
  return pieces;
}
