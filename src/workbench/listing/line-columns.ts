/** Counts the characters that fit side by side in a line of a listing. */
import { EditorView, ViewPlugin, ViewUpdate } from '@codemirror/view';

/** The pixels of a line's width before the text: number and marker; the indentation comes on top. */
const BEFORE = 28 + 14;
const DEEPEST = 16;

/** The pixels of a line as the stylesheet has them where no rule for a narrow panel sets them. */
const EDGE = 30;
const HANG = 18;
const STEP = 12;

/** The numbers of characters that fit side by side. */
export interface IColumns {
  /** In the first line of an equation. */
  first: number;
  /** In each further line, which hangs. */
  further: number;
  /** True if the stylesheet has the rule for a narrow panel. */
  isNarrow: boolean;
}

/**
 * Keeps the width of the lines. It is read only after the editor has measured its size: at other times, the browser
 * would have to lay out the whole page first.
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

/** The numbers of characters of a line that fit side by side; null before the view has a width. */
export function columnsOf(view: EditorView, depth: number): IColumns | null {
  const width = view.plugin(lineWidth);
  if (width === null || width.pixels === 0) {
    return null;
  }
  const { pixels, edge, hang, step } = width;
  const room = pixels - BEFORE - edge - step * Math.min(depth, DEEPEST);
  const letter = view.defaultCharacterWidth;
  return {
    first: room / letter,
    further: (room - hang) / letter,
    isNarrow: step < STEP
  };
}
