/** Draws a sentence with its marked numbers in bold. */
import * as React from 'react';

/** A text with some words in bold. */
export interface IStretch {
  text: string;
  bold: boolean;
}

// The text between the two marks is bold. Only numbers and our own code are marked, and they contain neither mark.
const FROM = '\ue000';
const TO = '\ue001';

/** Marks a part of a sentence before it is put into the sentence, so that the translator sees one sentence. */
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
