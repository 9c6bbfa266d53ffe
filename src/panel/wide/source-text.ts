/**
 * A program comes in; the texts that its equations come from go out, one below the other: the cell that ran, other
 * cells, files.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Links } from '../../model/links';
import type { File, Snapshot } from '../../protocol/snapshot';

/** Lines that are named where a text is not known. */
const MOST_LINES = 12;

/** One file of the run. */
export interface ISourcePart {
  path: string;
  /** `Cell [7]`, or the name of a file. */
  title: string;
  /** The whole path of a file, where the title is not that. */
  hint: string;
  /** Why its text is not here; empty where it is. */
  missing: string;
  /** Line of the whole text at which this part begins, from 0, and how many lines it has; none where it is missing. */
  first: number;
  count: number;
}

/** All parts as one text. */
export interface ISourceText {
  text: string;
  parts: readonly ISourcePart[];
}

/** A place in one of the files, line from 1. */
export interface ISourcePlace {
  path: string;
  line: number;
}

export function sourceText(
  links: Links,
  trans: TranslationBundle
): ISourceText {
  const { snapshot } = links.equations;
  const files = filesOf(snapshot, links);
  const lines: string[] = [];
  const parts = files.map(file => {
    const text = links.spans.source(file);
    const own = text === null ? [] : text.replace(/\n+$/, '').split('\n');
    const part = {
      path: file.path,
      title: titleOf(file, snapshot, trans),
      hint: file.kind === 'cell' ? '' : file.path,
      missing: text === null ? missingWords(file, links, trans) : '',
      first: lines.length,
      count: own.length
    };
    lines.push(...own);
    return part;
  });
  return { text: lines.join('\n'), parts };
}

/** The place of a line of the whole text, from 0; null where there is none. */
export function placeOf(
  parts: readonly ISourcePart[],
  line: number
): ISourcePlace | null {
  const part = parts.find(
    ({ first, count }) => first <= line && line < first + count
  );
  return part ? { path: part.path, line: line - part.first + 1 } : null;
}

/** The line of the whole text, from 0, of a place; -1 where it is not in it. */
export function lineOf(
  parts: readonly ISourcePart[],
  { path, line }: ISourcePlace
): number {
  const part = parts.find(one => one.path === path);
  return part && line >= 1 && line <= part.count ? part.first + line - 1 : -1;
}

/** The cell that ran, then other cells, then files, each of which the program comes from; the cell always. */
function filesOf(snapshot: Snapshot, links: Links): File[] {
  const { cell } = snapshot;
  const from = snapshot.files.filter(
    ({ kind, path }) => kind !== 'library' && links.comesFrom(path)
  );
  const own: File | undefined =
    cell === null
      ? undefined
      : (snapshot.files.find(({ path }) => path === cell.file) ?? {
          path: cell.file,
          kind: 'cell',
          cell_id: cell.id,
          execution_count: cell.execution_count,
          source: null
        });
  const others = from.filter(({ path }) => path !== own?.path);
  return [
    ...(own ? [own] : []),
    ...others.filter(({ kind }) => kind === 'cell'),
    ...others.filter(({ kind }) => kind !== 'cell')
  ];
}

function titleOf(
  file: File,
  { cell }: Snapshot,
  trans: TranslationBundle
): string {
  if (file.kind !== 'cell') {
    return file.path.split(/[/\\]/).pop() ?? file.path;
  }
  const count =
    file.path === cell?.file ? cell.execution_count : file.execution_count;
  return count === null ? trans.__('Cell') : trans.__('Cell [%1]', count);
}

function missingWords(
  file: File,
  links: Links,
  trans: TranslationBundle
): string {
  const lines = links.linesOf(file.path);
  const named =
    lines.slice(0, MOST_LINES).join(', ') +
    (lines.length > MOST_LINES ? ', …' : '');
  return trans._n(
    'Its text is not in this document. The program comes from line %2.',
    'Its text is not in this document. The program comes from lines %2.',
    lines.length,
    named
  );
}
