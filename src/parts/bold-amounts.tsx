/** Draws a sentence of the kernel with its amounts in bold, as the first sentence of a view has them. */
import * as React from 'react';

/**
 * An amount with its unit: `314 ms`, `64 %`, `2 compiles`, `80.1 k operations`. A number alone, such as a line's, is no
 * amount.
 */
const FIGURE =
  /≥?\d[\d,.]*(?:\u00a0[kMGTPE] operations|\u00a0(?:%|[kMGTPEµ]?[A-Za-z]+)| compiles?\b| operations?(?= per call| and ))/g;

export function Figures(props: { text: string }): JSX.Element {
  const { text } = props;
  const pieces: React.ReactNode[] = [];
  let end = 0;
  for (const { 0: figure, index } of text.matchAll(FIGURE)) {
    const at = index ?? 0;
    pieces.push(
      text.slice(end, at),
      <b key={at} className="jp-JaxprPanel-figure">
        {figure}
      </b>
    );
    end = at + figure.length;
  }
  return (
    <>
      {pieces}
      {text.slice(end)}
    </>
  );
}
