/** Draws a sentence in which marked numbers are bold. */
import * as React from 'react';

/** A part of a text that is bold or not. */
export interface IStretch {
  text: string;
  bold: boolean;
}

// Text between these two characters is bold. Only numbers and code of this extension are marked; they never contain the
// characters.
const FROM = '\ue000';
const TO = '\ue001';

/** Marks a word as bold before it is put into a sentence, so that the translator sees one sentence. */
export function bold(text: string): string {
  return `${FROM}${text}${TO}`;
}

export function stretches(text: string): IStretch[] {
  return text
    .split(/[\ue000\ue001]/)
    .map((part, at) => ({ text: part, bold: at % 2 === 1 }))
    .filter(part => part.text !== '');
}

export function plain(parts: readonly { text: string }[]): string {
  return parts.map(part => part.text).join('');
}

export function Stretches(props: { parts: readonly IStretch[] }): JSX.Element {
  return (
    <>
      {props.parts.map(({ text, bold }, at) =>
        bold ? <b key={at}>{text}</b> : <span key={at}>{text}</span>
      )}
    </>
  );
}
