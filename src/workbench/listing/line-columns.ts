/** Counts the characters that fit side by side in a line of a listing. */
import { EditorView, ViewPlugin, ViewUpdate } from '@codemirror/view';

/** The pixels that the number and the marker of a line take before its text; the indentation takes further pixels. */
const BEFORE = 28 + 14;
const DEEPEST = 16;

/** The stylesheet's lengths, in pixels, for a line in a wide panel; rules for narrow panels replace these lengths. */
const EDGE = 30;
const HANG = 18;
const STEP = 12;

/** The width of a character of a badge, in characters of the text, and the pixels around a badge; as in program.css. */
const BADGE_LETTER = 10 / 12;
const AROUND_BADGE = 14;

/** The numbers of characters that fit side by side on the screen lines of an equation. */
export interface IColumns {
  /** The number of characters in the first screen line of an equation. */
  first: number;
  /** The number of characters in each further screen line, which has a hanging indent. */
  further: number;
  /** True if the stylesheet's rules for a narrow panel apply. */
  isNarrow: boolean;
}

/**
 * Stores, in pixels, the width of the editor's lines and of their margins. The plugin reads these widths only when the
 * editor reports a changed geometry: at other times, the browser would have to lay out the whole page.
 */
export const lineWidth = ViewPlugin.define(view => new LineWidth(view));

class LineWidth {
  constructor(view: EditorView) {
    this._read(view);
  }

  update({ geometryChanged, view }: ViewUpdate): void {
    if (geometryChanged) {
      this._read(view);
    }
  }

  pixels = 0;
  edge = EDGE;
  hang = HANG;
  step = STEP;

  private _read({ contentDOM }: EditorView): void {
    const style = getComputedStyle(contentDOM);
    const read = (name: string, otherwise: number): number => {
      const pixels = parseFloat(style.getPropertyValue(name));
      return pixels >= 0 ? pixels : otherwise;
    };
    this.pixels = contentDOM.clientWidth;
    this.edge = read('--jjx-edge', EDGE);
    this.hang = read('--jjx-hang', HANG);
    this.step = read('--jjx-step', STEP);
  }
}

/**
 * The numbers of characters of a line that fit side by side, beside the line's badge; null before the view has a width.
 */
export function columnsOf(
  view: EditorView,
  depth: number,
  badge: string | undefined
): IColumns | null {
  const width = view.plugin(lineWidth);
  if (width === null || width.pixels === 0) {
    return null;
  }
  const { pixels, hang, step } = width;
  const letter = view.defaultCharacterWidth;
  const badgeEdge = (badge?.length ?? 0) * BADGE_LETTER * letter + AROUND_BADGE;
  const edge = Math.max(width.edge, badgeEdge);
  const room = pixels - BEFORE - edge - step * Math.min(depth, DEEPEST);
  return {
    first: room / letter,
    further: (room - hang) / letter,
    isNarrow: step < STEP
  };
}
