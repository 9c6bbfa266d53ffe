/** Shows a text that changes in the room of the widest one, so that nothing around it moves. */
import * as React from 'react';

export function Steady(props: {
  /** Read by nobody: it only takes the room. */
  widest: string;
  children: React.ReactNode;
}): JSX.Element {
  return (
    <span className="jp-JaxprSteady" data-widest={props.widest}>
      <span>{props.children}</span>
    </span>
  );
}

/**
 * A text that takes no less room than each of these texts, however the lines break: of the first words the longest,
 * then of the second words, and so on.
 */
export function widestOf(texts: Iterable<string>): string {
  const widest: string[] = [];
  for (const text of texts) {
    text.split(' ').forEach((word, at) => {
      if (word.length > (widest[at]?.length ?? -1)) {
        widest[at] = word;
      }
    });
  }
  return widest.join(' ');
}
