/** Draws a line of Python in the colours of the notebook's cells. */
import * as React from 'react';

import { pythonPieces } from '../../parts/python-text';

export function Source({ text }: { text: string }): JSX.Element {
  return (
    <code className="jp-JaxprCost-source">
      {pythonPieces(text).map(({ text: piece, kind }, at) => (
        <span key={at} className={kind === null ? undefined : `jp-mod-${kind}`}>
          {piece}
        </span>
      ))}
    </code>
  );
}
