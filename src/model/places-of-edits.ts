/**
 * Finds where the edits of a cure are, and the text before and after them.
 *
 * The document gives lines and columns in the text that ran; a change has offsets into that text.
 */
import { Cure, Edit, File, Snapshot } from '../protocol/snapshot';

/** A change: the text between two offsets is replaced by a new text. */
export interface IChange {
  start: number;
  end: number;
  text: string;
}

/** The place where the edits of a cure are. */
export interface IEditPlace {
  file: File;
  /** The number in `In [n]`; null if the place is in no cell or the number is unknown. */
  executionCount: number | null;
  /** The id of the cell to edit; null if the place is in no cell. */
  cellId: string | null;
  /** The first line of each edit, ascending. */
  lines: number[];
  /** The text that ran and the changes to this text; null if the document does not have both. */
  edit: { ran: string; changes: IChange[] } | null;
}

/** A range of lines that a cure removes, and the lines that replace it. */
export interface IHunk {
  /** The number of the first removed line. */
  line: number;
  removed: string[];
  added: string[];
}

/** Find the place and the changes of a cure; null for a cure without edits or with edits in several files. */
export function editPlace(
  snapshot: Snapshot,
  edits: readonly Edit[]
): IEditPlace | null {
  const frames = edits.map(({ frame }) => snapshot.frames[frame]);
  const numbers = [...new Set(frames.map(([file]) => file))];
  if (numbers.length !== 1) {
    return null;
  }
  const file = snapshot.files[numbers[0]];
  const { cell } = snapshot;
  const isCell = file.kind === 'cell';
  const own = isCell && cell !== null && cell.file === file.path;
  const ran = !isCell ? null : own ? cell.source : file.source;
  const changes = ran === null ? null : changesOf(ran, snapshot, edits);
  return {
    file,
    executionCount: !isCell
      ? null
      : own
        ? cell.execution_count
        : file.execution_count,
    cellId: !isCell ? null : (file.cell_id ?? (own ? cell.id : null)),
    lines: [...new Set(frames.map(([, , line]) => line))].sort((a, b) => a - b),
    edit: ran === null || changes === null ? null : { ran, changes }
  };
}

/** The changes in the order of the text; null if a change is incomplete or two changes overlap. */
function changesOf(
  ran: string,
  snapshot: Snapshot,
  edits: readonly Edit[]
): IChange[] | null {
  const lines = ran.split('\n');
  const starts = [0];
  for (const line of lines) {
    starts.push(starts[starts.length - 1] + line.length + 1);
  }
  const offset = (line: number, column: number): number | null =>
    line >= 1 &&
    line <= lines.length &&
    column >= 0 &&
    column <= lines[line - 1].length
      ? starts[line - 1] + column
      : null;
  const changes: IChange[] = [];
  for (const { frame, text } of edits) {
    const [, , line, column, endLine, endColumn] = snapshot.frames[frame];
    const [start, end] = [offset(line, column), offset(endLine, endColumn)];
    if (start === null || end === null || end < start) {
      return null;
    }
    changes.push({ start, end, text });
  }
  changes.sort((a, b) => a.start - b.start || a.end - b.end);
  const overlap = changes.some(
    ({ end }, at) => at + 1 < changes.length && end > changes[at + 1].start
  );
  return overlap ? null : changes;
}

/** Apply changes to a text. */
export function changed(ran: string, changes: readonly IChange[]): string {
  return changes.reduceRight(
    (text, { start, end, text: now }) =>
      text.slice(0, start) + now + text.slice(end),
    ran
  );
}

/** The hunks of some changes; equal lines at the beginning and end of a hunk are left out. */
export function hunksOf(ran: string, changes: readonly IChange[]): IHunk[] {
  const groups: IChange[][] = [];
  for (const change of changes) {
    const last = groups[groups.length - 1];
    const end = last?.[last.length - 1].end ?? 0;
    // Two changes without an unchanged line between them form one hunk.
    if (last && !ran.slice(end, change.start).includes('\n')) {
      last.push(change);
    } else {
      groups.push([change]);
    }
  }
  return groups.map(group => hunkOf(ran, group));
}

function hunkOf(ran: string, group: readonly IChange[]): IHunk {
  const begin = ran.lastIndexOf('\n', group[0].start - 1) + 1;
  const stop = ran.indexOf('\n', group[group.length - 1].end);
  const end = stop < 0 ? ran.length : stop;
  const inside = group.map(({ start, end: last, text }) => ({
    start: start - begin,
    end: last - begin,
    text
  }));
  const before = ran.slice(begin, end);
  const removed = before.split('\n');
  const added = changed(before, inside).split('\n');
  let line = ran.slice(0, begin).split('\n').length;
  while (removed.length > 0 && added.length > 0 && removed[0] === added[0]) {
    removed.shift();
    added.shift();
    line++;
  }
  while (
    removed.length > 0 &&
    added.length > 0 &&
    removed[removed.length - 1] === added[added.length - 1]
  ) {
    removed.pop();
    added.pop();
  }
  return { line, removed, added };
}

/** The selection after the changes, as offsets into the new text. */
export interface ISelected {
  start: number;
  end: number;
}

/**
 * The selection after the changes: the first placeholder in capitals, which the user has to replace, or the end of the
 * first change.
 */
export function selectedAfter(
  ran: string,
  changes: readonly IChange[],
  level: Cure['level']
): ISelected {
  let shift = 0;
  if (level === 'choice') {
    for (const { start, end, text } of changes) {
      for (const match of text.matchAll(/(?<![\w.])[A-Z][A-Z0-9_]+\b/g)) {
        if (!new RegExp(`\\b${match[0]}\\b`).test(ran)) {
          const from = start + shift + match.index;
          return { start: from, end: from + match[0].length };
        }
      }
      shift += text.length - (end - start);
    }
  }
  const { start, text } = changes[0];
  const end = start + text.trimEnd().length;
  return { start: end, end };
}
