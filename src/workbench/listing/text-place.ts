/** Reads the user's reading position in a listing, with its closed folds, and restores a saved reading position. */
import { EditorView } from '@codemirror/view';

import type { ITextPlace } from '../../model/reading-place';
import { closedBetween, foldRange, setFolds } from './folding';
import type { IListedFold } from './listing';
import { openLines, setChips } from './listing-marks';

/** True if a fold of the view is closed. */
export function isClosed(view: EditorView, fold: IListedFold): boolean {
  const { from, to } = foldRange(view.state.doc, fold);
  return closedBetween(view.state, from, to).some(
    closed => closed.fold === fold
  );
}

/** Close or open some folds of the view. */
export function closeFolds(
  view: EditorView,
  folds: readonly IListedFold[],
  closed: boolean
): void {
  view.dispatch({ effects: setFolds.of({ folds, closed }) });
}

/** The user's reading position in a text. */
export function placeOf(
  view: EditorView,
  folds: readonly IListedFold[]
): ITextPlace {
  const { top } = view.scrollDOM.getBoundingClientRect();
  const block = view.lineBlockAtHeight(Math.max(0, top - view.documentTop));
  // The top of the first visible line is measured at its letters, because `goToPlace` measures it there, too.
  const at = view.coordsAtPos(block.from)?.top ?? view.documentTop + block.top;
  return {
    line: view.state.doc.lineAt(block.from).number - 1,
    above: Math.round(top - at),
    lines: view.state.doc.lines,
    closed: folds
      .filter(fold => isClosed(view, fold))
      .map(({ first, last }) => [first, last] as const),
    shown: openLines(view.state)
  };
}

/** Scroll a text to a saved reading position. If the text now has another number of lines, its folds do not change. */
export function goToPlace(
  view: EditorView,
  folds: readonly IListedFold[],
  { line, above, lines, closed, shown = [] }: ITextPlace
): void {
  const { doc } = view.state;
  const hasSameLines = lines === undefined || lines === doc.lines;
  if (hasSameLines) {
    const keys = new Set(closed.map(([first, last]) => `${first} ${last}`));
    const wasClosed = (fold: IListedFold): boolean =>
      keys.has(`${fold.first} ${fold.last}`);
    closeFolds(
      view,
      folds.filter(fold => !wasClosed(fold)),
      false
    );
    closeFolds(view, folds.filter(wasClosed), true);
  }
  view.dispatch({
    effects: [
      ...shown
        .filter(index => hasSameLines && index < doc.lines)
        .map(index =>
          setChips.of({ at: doc.line(index + 1).from, open: true })
        ),
      EditorView.scrollIntoView(doc.line(Math.min(line + 1, doc.lines)).from, {
        y: 'start',
        yMargin: -above
      })
    ]
  });
}
