/** Draws an outcome, and a text with coloured types. */
import * as React from 'react';

import { LedgerMiss } from '../../protocol/snapshot';
import { IPart, isType, typedParts } from './changed-parts';

/** A filled diamond for a compile, a ring for a hit, an open diamond between them. Always beside its word. */
export function Sign(props: { outcome: LedgerMiss['outcome'] }): JSX.Element {
  return (
    <span
      className={`jp-JaxprCache-sign jp-mod-${props.outcome}`}
      aria-hidden="true"
    />
  );
}

/** Code with its types in their colour. */
export function Code(props: { text: string }): JSX.Element {
  return (
    <code>
      {typedParts(props.text).map(({ text, type }, at) => (
        <span key={at} className={type ? 'jp-JaxprPanel-type' : undefined}>
          {text}
        </span>
      ))}
    </code>
  );
}

/** Code with what changed in bold. */
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
