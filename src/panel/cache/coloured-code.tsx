/** Draws code with coloured types, and code with its changed parts in bold. */
import * as React from 'react';

import { IPart, isType, typedParts } from './changed-parts';

/** Code with coloured types; an argument stays on one line with its type if the line is long enough. */
export function Code(props: { text: string }): JSX.Element {
  return (
    <code className="jp-JaxprCache-signature" title={props.text}>
      {argumentsOf(props.text).map((argument, at) => (
        <React.Fragment key={at}>
          {at > 0 && ' '}
          <span className="jp-JaxprCache-argument">
            {typedParts(argument).map(({ text, type }, part) => (
              <span
                key={part}
                className={type ? 'jp-JaxprPanel-type' : undefined}
              >
                {text}
              </span>
            ))}
          </span>
        </React.Fragment>
      ))}
    </code>
  );
}

/** Splits a signature at commas outside of brackets and strings. */
export function argumentsOf(signature: string): string[] {
  const cuts: number[] = [];
  let depth = 0;
  let quote = '';
  for (let at = 0; at < signature.length; at++) {
    const letter = signature[at];
    if (quote !== '') {
      quote = letter === quote ? '' : quote;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
    } else if ('([{<'.includes(letter)) {
      depth++;
    } else if (')]}>'.includes(letter)) {
      depth--;
    } else if (depth === 0 && signature.startsWith(', ', at)) {
      cuts.push(at + 1);
    }
  }
  return [0, ...cuts.map(cut => cut + 1)].map((from, index) =>
    signature.slice(from, cuts[index] ?? signature.length)
  );
}

/** Code with the changed parts in bold. */
export function Changed(props: { parts: readonly IPart[] }): JSX.Element {
  const whole = props.parts.map(part => part.text).join('');
  return (
    <code className={isType(whole) ? 'jp-JaxprPanel-type' : undefined}>
      {props.parts.map(({ text, changed }, at) =>
        changed ? <b key={at}>{text}</b> : <span key={at}>{text}</span>
      )}
    </code>
  );
}
