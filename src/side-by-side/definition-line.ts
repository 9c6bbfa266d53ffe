/** Brings the function of a program into view, in a text that begins above the function. */
import type { EditorView } from '@codemirror/view';

import type { Snapshot } from '../protocol/snapshot';
import { ISourcePart, lineOf } from './source-text';

/** The line of the program's function in the whole text, from 1; null if the text does not contain the function. */
export function definitionLine(
  parts: readonly ISourcePart[],
  snapshot: Snapshot,
  program: number
): number | null {
  const { definition } = snapshot.programs[program];
  if (definition < 0) {
    return null;
  }
  const [file, , line] = snapshot.frames[definition];
  const { path } = snapshot.files[file];
  const at = lineOf(parts, { path, line });
  return at < 0 ? null : at + 1;
}

/** Scrolls to a line of a text that has not been scrolled yet, if the line is below the visible part. */
export function scrollToLine(view: EditorView, line: number): void {
  view.requestMeasure({
    read: () => {
      const { from } = view.state.doc.line(line);
      const { top, bottom } = view.lineBlockAt(from);
      return bottom > view.scrollDOM.clientHeight ? top : 0;
    },
    write: top => {
      if (top > 0 && view.scrollDOM.scrollTop === 0) {
        view.scrollDOM.scrollTop = top;
      }
    }
  });
}
