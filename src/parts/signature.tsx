/**
 * A program comes in; its arguments and result go out, types coloured, long ones folded.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Argument, Program } from '../protocol/snapshot';
import { argumentName } from './summary';

/** Longer signatures are folded, and cut even when unfolded: a tree may have a million leaves. */
const FOLD_FROM = 360;
const LONGEST = 20_000;

/** A type such as f32[8,4], key<fry>[] or bf16[8]. */
const TYPE = /[A-Za-z_]\w*(?:<[^<>]*>)?\[[^\]]*\]/g;

interface IPiece {
  text: string;
  type: boolean;
}

/** The signature as pieces of plain text and of types, in order. */
export function signaturePieces(
  program: Program,
  trans: TranslationBundle
): IPiece[] {
  const pieces: IPiece[] = [];
  const plain = (text: string): void => {
    pieces.push({ text, type: false });
  };
  const argument = (one: Argument): void => {
    plain(argumentName(one));
    if (one.static) {
      plain(one.type);
      plain(` ${trans.__('static')}`);
    } else {
      pieces.push(...typePieces(one.type));
    }
    if (one.donated) {
      plain(` ${trans.__('donated')}`);
    }
  };
  program.arguments.forEach((one, i) => {
    if (i > 0) {
      plain(', ');
    }
    argument(one);
  });
  if (program.arguments.length === 0) {
    plain('()');
  }
  if (program.result !== null) {
    plain(' → ');
    argument(program.result);
  }
  return pieces.filter(piece => piece.text !== '');
}

function typePieces(text: string): IPiece[] {
  const pieces: IPiece[] = [];
  let end = 0;
  for (const match of text.slice(0, LONGEST).matchAll(TYPE)) {
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

export function Signature(props: {
  program: Program;
  trans: TranslationBundle;
}): JSX.Element {
  const { program, trans } = props;
  const [unfolded, setUnfolded] = React.useState(false);
  const pieces = signaturePieces(program, trans);
  const length = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
  const shown = cut(pieces, unfolded ? LONGEST : FOLD_FROM);
  return (
    <div className="jp-JaxprPanel-signature">
      {shown.map((piece, i) =>
        piece.type ? (
          <span key={i} className="jp-JaxprPanel-type">
            {piece.text}
          </span>
        ) : (
          piece.text
        )
      )}
      {length > FOLD_FROM && (
        <button
          className="jp-JaxprPanel-fold"
          aria-expanded={unfolded}
          aria-label={
            unfolded
              ? trans.__('Fold the signature')
              : trans.__('Show the whole signature')
          }
          onClick={() => setUnfolded(!unfolded)}
        >
          …
        </button>
      )}
    </div>
  );
}
