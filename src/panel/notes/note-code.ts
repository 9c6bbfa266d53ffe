/** Finds the lines of a cell that a note is about, if the document has the cell's text. */
import { Note, Snapshot } from '../../protocol/snapshot';
import { IMark } from '../../parts/code-excerpt';
import { indentOf } from '../../parts/shared-indent';

export interface IExcerpt {
  lines: string[];
  /** The number of the excerpt's first line in the cell. */
  first: number;
  marks: IMark[];
}

/** The largest number of lines of a loop that are shown. */
const MOST = 16;
const LOOPS = ['unrolled_loop', 'short_loop'];
const ERRORS = ['trace_raised', 'raised', 'untraceable', 'target'];

/** The lines of the cell; null if the document does not have its text. */
export function excerptOf(snapshot: Snapshot, note: Note): IExcerpt | null {
  if (note.frame < 0) {
    return null;
  }
  const [fileIndex, , line, column, endLine, endColumn] =
    snapshot.frames[note.frame];
  const file = snapshot.files[fileIndex];
  const own = snapshot.cell !== null && snapshot.cell.file === file.path;
  const source = own ? (snapshot.cell?.source ?? null) : file.source;
  if (file.kind !== 'cell' || source === null) {
    return null;
  }
  const lines = source.split('\n');
  if (line < 1 || line > lines.length) {
    return null;
  }
  let [first, last] = [line, line];
  if (LOOPS.includes(note.kind)) {
    last = Math.min(Math.max(line, endLine), line + MOST - 1);
  } else if (ERRORS.includes(note.kind)) {
    first = Math.max(1, line - 1);
    last = Math.max(line + 2, Math.min(endLine, line + MOST));
  }
  last = Math.min(last, lines.length);
  while (last > line && lines[last - 1].trim() === '') {
    last--;
  }
  while (first < line && lines[first - 1].trim() === '') {
    first++;
  }
  const shown = lines.slice(first - 1, last);
  const margin = indentOf(shown);
  const marks = LOOPS.includes(note.kind)
    ? []
    : [
        {
          line,
          column: column < 0 ? -1 : column - margin,
          endColumn:
            column < 0
              ? -1
              : endLine > line
                ? lines[line - 1].length - margin
                : endColumn - margin
        }
      ];
  return { lines: shown.map(line => line.slice(margin)), first, marks };
}
