/** Explains the word under the mouse. */
import type { EditorView } from '@codemirror/view';

import type { IListing } from './listing';

/** The tooltip of the word at a position; null if the word has none. */
export function wordTooltip(
  listing: IListing,
  view: EditorView,
  position: number,
  side: number
): { pos: number; end: number; create: () => { dom: HTMLElement } } | null {
  const line = view.state.doc.lineAt(position);
  const column = position - line.from;
  const described = listing.describe(line.number - 1, column);
  if (
    !described ||
    (column === described.from && side < 0) ||
    (column === described.to && side > 0)
  ) {
    return null;
  }
  return {
    pos: line.from + described.from,
    end: line.from + described.to,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'jp-JaxprProgram-tip';
      dom.append(described.node);
      return { dom };
    }
  };
}
