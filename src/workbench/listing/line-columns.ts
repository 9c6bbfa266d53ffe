/** Counts the characters that fit side by side in a line of a listing. */
import { EditorView, ViewPlugin, ViewUpdate } from '@codemirror/view';

/**
 * The pixels of a line's width that hold no text: number, marker, hanging indent, badge; the indentation comes on top.
 */
const AROUND = 28 + 14 + 18 + 30;
const STEP = 12;
const DEEPEST = 16;

/**
 * Keeps the width of the lines. The width is read only when the editor has measured its size: in a page that has changed
 * since, the browser would lay everything out for the answer.
 */
export const lineWidth = ViewPlugin.define(view => new LineWidth(view));

class LineWidth {
  constructor(view: EditorView) {
    this.pixels = view.contentDOM.clientWidth;
  }

  update({ geometryChanged, view }: ViewUpdate): void {
    if (geometryChanged) {
      this.pixels = view.contentDOM.clientWidth;
    }
  }

  pixels: number;
}

/** The number of characters of a line that fit side by side; null before the view has a width. */
export function columnsOf(view: EditorView, depth: number): number | null {
  const width = view.plugin(lineWidth)?.pixels ?? 0;
  return width === 0
    ? null
    : (width - AROUND - STEP * Math.min(depth, DEEPEST)) /
        view.defaultCharacterWidth;
}
