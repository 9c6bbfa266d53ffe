/** Reserves the space of the widest possible text for a text that changes, so that nothing around it moves. */
import * as React from 'react';

export function Steady(props: {
  /** The widest text; it takes the space and is invisible. */
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
 * Returns a text that takes at least the space of each of `texts`, however lines break: the longest of their first
 * words, then the longest of their second words, and so on.
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
