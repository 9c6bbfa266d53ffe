/**
 * Draws a card for a width: a loop arrow for the carry, rails for xs and ys, a fork for branches, a gate before a
 * while.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { ForkDrawer } from './fork-drawing';
import { LoopDrawer } from './loop-drawing';
import { ICard, Reading } from './cards-of-program';
import { IDrawing } from '../../parts/drawn-pieces';
import { isBranch, isNamed } from './words';

/**
 * A drawing is at least the first and at most the second number of pixels wide: it does not grow further, because its
 * letters keep their size.
 */
export const NARROWEST = 240;
export const WIDEST = 480;

/** The drawing of a card; null for a card without a drawing, such as a scope that is only a name. */
export function drawingOf(
  reading: Reading,
  card: ICard,
  width: number,
  trans: TranslationBundle
): IDrawing | null {
  const w = Math.round(Math.min(Math.max(width, NARROWEST), WIDEST));
  const { control } = card;
  if (isNamed(control)) {
    return null;
  }
  if (isBranch(control)) {
    return control.branches.length === 0
      ? null
      : new ForkDrawer(reading, card, w, trans).fork();
  }
  const loop = new LoopDrawer(reading, card, w, trans);
  if (control.kind === 'associative_scan') {
    return loop.tree();
  }
  return control.primitive === 'while' ? loop.gated() : loop.loop();
}
