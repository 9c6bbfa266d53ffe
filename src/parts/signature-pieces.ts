/** Splits the signature of a program into pieces: complete, or with pytrees shortened to their number of arrays. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Argument, Program, Snapshot } from '../protocol/snapshot';
import { argumentName } from './summary';
import { ITree, numbersIn, rootOf, treeWords } from './tree-words';

/** Even a complete signature is cut after this many characters, because a pytree may have a million leaves. */
const LONGEST = 20_000;

/**
 * At most this many characters of a type are read. The kernel cuts a type at 1,000 characters, but a saved notebook may
 * contain any text.
 */
const LONGEST_FOLDED = 2000;

/** A static value, or a type without arrays, with more characters than this is cut in a folded signature. */
const LONG_VALUE = 48;

/** Matches a type such as f32[8,4], key<fry>[] or bf16[8]. */
const TYPE = /[A-Za-z_]\w*(?:<[^<>]*>)?\[([^\]]*)\]/g;

export interface IPiece {
  text: string;
  type: boolean;
}

/** How far a signature is folded. */
export interface IFolding {
  /** How many arguments are folded, longest first; the result counts as an argument. */
  folded: number;
  /** How many arguments are shown; the others are only counted. */
  shown: number;
}

/** The folding of a signature that the user has unfolded: all arguments are shown, on any number of lines. */
export const WHOLE: IFolding = { folded: 0, shown: Infinity };

/** The first folding that is tried: all arguments are shown, if two lines are enough for the signature. */
const UNFOLDED: IFolding = { folded: 0, shown: Infinity };

/** The ways to fold a signature, each shorter than the previous way. */
export function foldings(program: Program): IFolding[] {
  const { length } = program.arguments;
  const parts = length + 1;
  const folded = [1, 2, 3, 5, 8, parts].filter(
    (count, i, all) => count <= parts && all.indexOf(count) === i
  );
  const shown = [24, 16, 12, 8, 6, 5, 4, 3, 2, 1].filter(
    count => count < length
  );
  return [
    UNFOLDED,
    ...folded.map(count => ({ folded: count, shown: Infinity })),
    ...shown.map(count => ({ folded: parts, shown: count }))
  ];
}

/** The signature as pieces of plain text and of types, in order. */
export function signaturePieces(
  program: Program,
  snapshot: Snapshot | null,
  folding: IFolding,
  trans: TranslationBundle
): IPiece[] {
  const pieces: IPiece[] = [];
  const plain = (text: string): void => {
    pieces.push({ text, type: false });
  };
  const longestText = folding === WHOLE ? LONGEST : LONGEST_FOLDED;
  const longest = [...program.arguments, ...listed(program.result)]
    .sort((a, b) => b.type.length - a.type.length)
    .slice(0, folding.folded);
  const argument = (input: Argument): void => {
    plain(argumentName(input));
    const short = longest.includes(input)
      ? shortType(input, program, snapshot, trans)
      : null;
    if (short !== null) {
      plain(short);
    } else if (input.static) {
      plain(input.type);
    } else {
      pieces.push(...typePieces(input.type, longestText));
    }
    if (input.static) {
      plain(` ${trans.__('static')}`);
    }
    if (input.donated) {
      plain(` ${trans.__('donated')}`);
    }
  };
  const { length } = program.arguments;
  program.arguments.slice(0, folding.shown).forEach((input, i) => {
    if (i > 0) {
      plain(', ');
    }
    argument(input);
  });
  if (folding.shown < length) {
    plain(`, +${length - folding.shown}`);
  }
  if (length === 0) {
    plain('()');
  }
  if (program.result !== null) {
    plain(' → ');
    argument(program.result);
  }
  return cut(
    pieces.filter(piece => piece.text !== ''),
    longestText
  );
}

/** Returns the number of arrays in a pytree, or the beginning of a long value; null if the type is short. */
function shortType(
  argument: Argument,
  program: Program,
  snapshot: Snapshot | null,
  trans: TranslationBundle
): string | null {
  const { type } = argument;
  const tree = argument.static ? null : treeOf(argument, program, snapshot);
  if (tree !== null && tree.arrays > 1) {
    return treeWords({ ...tree, name: '' }, trans);
  }
  if (type.length <= LONG_VALUE) {
    return null;
  }
  const end = type.lastIndexOf(' ', LONG_VALUE);
  return `${type.slice(0, end > 0 ? end : LONG_VALUE)} …`;
}

/** Returns what is known of the arrays in an argument; null if their number is unknown. */
function treeOf(
  { name, type }: Argument,
  program: Program,
  snapshot: Snapshot | null
): ITree | null {
  if (type.length <= LONGEST_FOLDED && !type.includes('…')) {
    const shapes = [...type.matchAll(TYPE)].map(([, axes]) =>
      axes === '' ? [] : axes.split(',').map(axis => asNumber(axis))
    );
    return treeOfShapes(shapes);
  }
  // The kernel cuts the type of a large pytree, but the document has all inputs of the program.
  const scope = snapshot?.scopes[program.scope];
  const { input_names: paths } = program;
  if (!snapshot || !scope || name === '' || paths.length !== scope.inputs) {
    return null;
  }
  const shapes = paths.flatMap((path, i) => {
    const aval = snapshot.avals[scope.variable_avals[scope.constants + i]];
    return rootOf(path) === name && aval ? [aval.shape] : [];
  });
  return shapes.length === 0 ? null : treeOfShapes(shapes);
}

function treeOfShapes(shapes: (number | string)[][]): ITree {
  return {
    name: '',
    arrays: shapes.length,
    numbers: shapes.reduce<number | null>((sum, shape) => {
      const numbers = numbersIn(shape);
      return sum === null || numbers === null ? null : sum + numbers;
    }, 0)
  };
}

/** Converts an axis to a number; a symbolic axis stays a string. */
function asNumber(axis: string): number | string {
  return /^\d+$/.test(axis) ? Number(axis) : axis;
}

function listed(argument: Argument | null): Argument[] {
  return argument === null ? [] : [argument];
}

function typePieces(whole: string, longest: number): IPiece[] {
  const text = whole.slice(0, longest);
  const pieces: IPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(TYPE)) {
    pieces.push({ text: text.slice(end, match.index), type: false });
    pieces.push({ text: match[0], type: true });
    end = (match.index ?? 0) + match[0].length;
  }
  pieces.push({ text: text.slice(end), type: false });
  return pieces;
}

function cut(pieces: IPiece[], longest: number): IPiece[] {
  const kept: IPiece[] = [];
  let left = longest;
  for (const piece of pieces) {
    if (left <= 0) {
      break;
    }
    kept.push({ ...piece, text: piece.text.slice(0, left) });
    left -= piece.text.length;
  }
  return kept;
}
