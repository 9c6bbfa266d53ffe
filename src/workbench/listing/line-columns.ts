/** Counts the characters that fit side by side in a line of a listing. */
import { EditorView } from '@codemirror/view';

/**
 * The pixels of a line's width that hold no text: number, marker, hanging indent, badge; the indentation comes on top.
 */
const AROUND = 28 + 14 + 18 + 30;
const STEP = 12;
const DEEPEST = 16;

/** The number of characters of a line that fit side by side; null before the view has a width. */
export function columnsOf(view: EditorView, depth: number): number | null {
  const width = view.contentDOM.clientWidth;
  return width === 0
    ? null
    : (width - AROUND - STEP * Math.min(depth, DEEPEST)) /
        view.defaultCharacterWidth;
}
