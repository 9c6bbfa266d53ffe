/** Draws a stepper for tests, and reads and moves the drawn stepper. */
import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';

import { JaxprModel } from '../../../../model/model';
import {
  AnyReply,
  FakeChannel,
  answered
} from '../../../../model/__tests__/fake-channel';
import { NO_DOCUMENT } from '../../../../protocol/document-sizes';
import { isUnreadable } from '../../../../protocol/document';
import { readReply } from '../../../../protocol/messages';
import { Control, Recording, Snapshot } from '../../../../protocol/snapshot';
import { snapshot } from '../../../../protocol/__tests__/documents';
import { act, render, words } from '../../../../parts/__tests__/render';
import { Stepper } from '..';
import { card } from './recordings';

export const trans = nullTranslator.load('jupyter_jaxpr');

export interface IShown {
  node: HTMLElement;
  redraw: (element: JSX.Element) => void;
  model: JaxprModel;
  document: Snapshot;
}

/** Draws the stepper of a card whose recording is in the document. */
export function shown(
  construct: Control,
  recorded: Recording | null,
  saved = true
): IShown {
  if (recorded !== null) {
    // The recording of the test must pass the check that the panel makes of the kernel's replies.
    const read = readReply(answered(recorded), 'steps', NO_DOCUMENT);
    expect(isUnreadable(read)).toBe(false);
  }
  const document = snapshot({
    control_flow: [construct],
    recordings: recorded === null ? [] : [recorded]
  });
  const model = new JaxprModel(trans);
  model.show(document, saved);
  const element = (
    <Stepper model={model} card={construct} index={0} trans={trans} />
  );
  return { ...render(element), model, document };
}

/** Draws the stepper of a card in a notebook with a kernel that answers. */
export function live(construct: Control = card()): IShown & {
  kernel: FakeChannel;
  answers: (reply: AnyReply) => Promise<void>;
} {
  const model = new JaxprModel(trans);
  const kernel = new FakeChannel();
  model.setChannel(kernel);
  kernel.greets();
  const document = snapshot({ control_flow: [construct], recordings: [] });
  kernel.sends(document);
  let answer: (reply: AnyReply) => void = () => undefined;
  kernel.answer = () => new Promise(resolve => (answer = resolve));
  return {
    ...render(
      <Stepper model={model} card={construct} index={0} trans={trans} />
    ),
    model,
    document,
    kernel,
    answers: reply => act(async () => answer(reply))
  };
}

/** Lists the rows of a table, one in a line. */
export function rows(table: Element | undefined): string[] {
  return [...(table?.querySelectorAll('tr') ?? [])].map(row =>
    [...row.querySelectorAll('th, td')].map(words).join(' | ')
  );
}

export function values(node: HTMLElement, at: number): string[] {
  return rows(node.querySelectorAll('.jp-JaxprStepper-values')[at]);
}

export const heading = (node: HTMLElement): string =>
  words(node.querySelector('h3'));
export const announced = (node: HTMLElement): string =>
  words(node.querySelectorAll('.jp-JaxprStepper-said')[1]);
/**
 * Lists the words below the chart: the start of its axis, the name of the drawn number, the value at the step, the end
 * of the axis.
 */
export const axis = (node: HTMLElement): string[] =>
  [...node.querySelectorAll('.jp-JaxprStepper-axis > *')].map(part =>
    words(part.querySelector('option:checked') ?? part)
  );
export const slider = (node: HTMLElement): HTMLInputElement =>
  node.querySelector('input[type=range]') as HTMLInputElement;

export function slide(node: HTMLElement, to: number): void {
  const input = slider(node);
  const set = Object.getOwnPropertyDescriptor(
    HTMLInputElement.prototype,
    'value'
  )?.set;
  act(() => {
    set?.call(input, String(to));
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
}
