/** Colours Python as the page's theme does, for the columns that show source. */
import type { Extension } from '@codemirror/state';
import { RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  ViewPlugin,
  ViewUpdate
} from '@codemirror/view';

import { PieceKind, pythonPieces } from '../parts/python-text';

const MARKS = new Map<PieceKind, Decoration>(
  (['keyword', 'definition', 'string', 'number', 'comment'] as const).map(
    kind => [kind, Decoration.mark({ class: `jp-JaxprWidget-${kind}` })]
  )
);

/**
 * Makes the decorations that colour the lines on screen, without a parser of Python, which would make the script of the
 * widget larger by 25 kB.
 */
function marksOf(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      let start = line.from;
      for (const { text, kind } of pythonPieces(line.text)) {
        const mark = MARKS.get(kind);
        if (mark !== undefined) {
          builder.add(start, start + text.length, mark);
        }
        start += text.length;
      }
      at = line.to + 1;
    }
  }
  return builder.finish();
}

const COLOURS = ViewPlugin.fromClass(
  class {
    constructor(view: EditorView) {
      this.marks = marksOf(view);
    }
    marks: DecorationSet;
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) {
        this.marks = marksOf(update.view);
      }
    }
  },
  { decorations: plugin => plugin.marks }
);

export async function pythonColours(): Promise<Extension> {
  return COLOURS;
}
