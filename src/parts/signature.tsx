/** Draws the signature of a program on at most two lines, with coloured types and folded pytrees. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Program, Snapshot } from '../protocol/snapshot';
import { WHOLE, foldings, signaturePieces } from './signature-pieces';

const MOST_LINES = 2;
/** If the lines cannot be counted, as in a hidden panel, the signature gets at most this many characters. */
const MOST_LETTERS = 360;

export function Signature(props: {
  program: Program;
  snapshot?: Snapshot;
  trans: TranslationBundle;
}): JSX.Element {
  const { program, snapshot = null, trans } = props;
  const [unfolded, setUnfolded] = React.useState(false);
  /** The index of the present way to fold the signature. */
  const [way, setWay] = React.useState(0);
  const place = React.useRef<HTMLDivElement>(null);
  const ways = React.useMemo(() => foldings(program), [program]);
  const pieces = signaturePieces(
    program,
    snapshot,
    unfolded ? WHOLE : ways[way],
    trans
  );
  const width = useWidthOf(place, () => setWay(0));
  React.useLayoutEffect(() => {
    const node = place.current;
    if (node === null || unfolded) {
      return;
    }
    const letters = pieces.reduce((sum, { text }) => sum + text.length, 0);
    if (!isShort(node, letters) && way + 1 < ways.length) {
      setWay(way + 1);
    }
  }, [way, ways, unfolded, width]);
  return (
    <div ref={place} className="jp-JaxprPanel-signature">
      {pieces.map((piece, i) =>
        piece.type ? (
          <span key={i} className="jp-JaxprPanel-type">
            {piece.text}
          </span>
        ) : (
          piece.text
        )
      )}
      {way > 0 && (
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

/** True if the signature takes no more than the allowed lines. */
function isShort(node: HTMLElement, letters: number): boolean {
  const line = parseFloat(getComputedStyle(node).lineHeight);
  return node.scrollHeight === 0 || !(line > 0)
    ? letters <= MOST_LETTERS
    : node.scrollHeight < (MOST_LINES + 0.5) * line;
}

/** Calls `changed` whenever the width of a node changes. */
function useWidthOf(
  place: React.RefObject<HTMLElement>,
  changed: () => void
): number {
  const [width, setWidth] = React.useState(0);
  React.useLayoutEffect(() => {
    const node = place.current;
    if (node === null || typeof ResizeObserver === 'undefined') {
      return;
    }
    let before = node.clientWidth;
    const observer = new ResizeObserver(() => {
      // A hidden panel has the width 0; then the last width is kept.
      if (node.clientWidth > 0 && node.clientWidth !== before) {
        before = node.clientWidth;
        setWidth(before);
        changed();
      }
    });
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return width;
}
