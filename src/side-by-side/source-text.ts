/**
 * Collects the texts of a program's source, one below the other: the cell that ran, other cells, files, and opened
 * library files.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Links } from '../model/links';
import type { SourceFiles } from '../model/source-files';
import type { File, Snapshot } from '../protocol/snapshot';

/** If the text of a file is unknown, a sentence names at most this many of its lines from which equations come. */
const MOST_LINES = 12;

/** Some consecutive lines of one file of the run; most often the whole file. */
export interface ISourcePart {
  path: string;
  /** `Cell [7]`, or the name of a file and the lines of the file that the part has. */
  title: string;
  /** The whole path of a file, if the title is shorter. */
  hint: string;
  /** The reason why the text is missing; empty if the document has the text. */
  missing: string;
  /** True if the text is missing because the kernel did not answer; the user can request the text again. */
  canRetry: boolean;
  /** The line of the file at which this part begins, from 1. */
  from: number;
  /**
   * The first line of this part in the whole text, from 0, and the number of its lines; a missing text has no lines.
   */
  first: number;
  count: number;
}

/** The texts of all parts as one text. */
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
  files: SourceFiles,
  trans: TranslationBundle
): ISourceText {
  const { snapshot } = links.equations;
  const lines: string[] = [];
  const parts: ISourcePart[] = [];
  for (const file of filesOf(snapshot, links, files)) {
    const title = titleOf(file, snapshot, trans);
    const hint = file.kind === 'cell' ? '' : file.path;
    const { stretches, missing, canRetry } = textOf(file, links, files, trans);
    if (stretches.length === 0) {
      const first = lines.length;
      const at = { from: 1, first, count: 0 };
      parts.push({ path: file.path, title, hint, missing, canRetry, ...at });
    }
    for (const { from, own, isPart } of stretches) {
      const last = from + own.length - 1;
      parts.push({
        path: file.path,
        title: isPart
          ? trans.__('%1, lines %2 to %3', title, from, last)
          : title,
        hint,
        missing: '',
        canRetry: false,
        from,
        first: lines.length,
        count: own.length
      });
      lines.push(...own);
    }
  }
  return { text: lines.join('\n'), parts };
}

/** The texts after the first one, which is the text of the cell that ran. */
export function withoutFirst({ text, parts }: ISourceText): ISourceText {
  const [first, ...otherParts] = parts;
  const by = first?.count ?? 0;
  return {
    text: text.split('\n').slice(by).join('\n'),
    parts: otherParts.map(part => ({ ...part, first: part.first - by }))
  };
}

/** Asks the kernel for those of the user's files from which the program comes. */
export function readFiles(links: Links, files: SourceFiles): void {
  for (const { kind, path } of links.equations.snapshot.files) {
    if (
      kind === 'user' &&
      links.comesFrom(path) &&
      files.stateOf(path).kind === 'idle'
    ) {
      void files.ask(path);
    }
  }
}

/** The place in a file of a line of the whole text, counted from 0; null if there is none. */
export function placeOf(
  parts: readonly ISourcePart[],
  line: number
): ISourcePlace | null {
  const part = parts.find(
    ({ first, count }) => first <= line && line < first + count
  );
  return part ? { path: part.path, line: line - part.first + part.from } : null;
}

/** The line of a place in the whole text, from 0; -1 if the text does not contain the place. */
export function lineOf(
  parts: readonly ISourcePart[],
  { path, line }: ISourcePlace
): number {
  const part = parts.find(
    part =>
      part.path === path && part.from <= line && line < part.from + part.count
  );
  return part ? part.first + line - part.from : -1;
}

/** The cell that ran (always), then the other cells and the files from which the program comes. */
function filesOf(snapshot: Snapshot, links: Links, files: SourceFiles): File[] {
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
  const otherFiles = from.filter(({ path }) => path !== own?.path);
  return [
    ...(own ? [own] : []),
    ...otherFiles.filter(({ kind }) => kind === 'cell'),
    ...otherFiles.filter(({ kind }) => kind !== 'cell'),
    ...[...links.libraries.values()].filter(({ path }) => files.isOpen(path))
  ];
}

interface ITextOf {
  stretches: readonly { from: number; own: string[]; isPart: boolean }[];
  missing: string;
  canRetry: boolean;
}

function textOf(
  file: File,
  links: Links,
  files: SourceFiles,
  trans: TranslationBundle
): ITextOf {
  const whole = links.spans.source(file);
  if (whole !== null) {
    const own = whole.replace(/\n+$/, '').split('\n');
    return {
      stretches: [{ from: 1, own, isPart: false }],
      missing: '',
      canRetry: false
    };
  }
  const state = files.stateOf(file.path);
  const missing = (text: string, canRetry = false): ITextOf => ({
    stretches: [],
    missing: [text, linesWords(file, links, trans)].filter(Boolean).join(' '),
    canRetry
  });
  switch (state.kind) {
    case 'reading':
      return missing(trans.__('The kernel is reading the file …'));
    case 'failed':
      return missing(state.reason, files.canAsk);
    case 'read': {
      const { page } = state;
      if (page.missing !== null) {
        return missing(page.missing);
      }
      const stretches = page.stretches.map(({ first_line, text }) => {
        const own = text.split('\n');
        const isPart = own.length < page.lines;
        return { from: first_line, own, isPart };
      });
      return stretches.length > 0
        ? { stretches, missing: '', canRetry: false }
        : missing(trans.__('The file is empty.'));
    }
    case 'idle':
      return missing(
        trans.__('The document does not hold the text of this file.')
      );
  }
}

function titleOf(
  file: File,
  { cell }: Snapshot,
  trans: TranslationBundle
): string {
  if (file.kind === 'library') {
    return file.path; // the path is relative to the installation folder of the library
  }
  if (file.kind !== 'cell') {
    return file.path.split(/[/\\]/).pop() ?? file.path;
  }
  const count =
    file.path === cell?.file ? cell.execution_count : file.execution_count;
  return count === null ? trans.__('Cell') : trans.__('Cell [%1]', count);
}

function linesWords(
  file: File,
  links: Links,
  trans: TranslationBundle
): string {
  const lines = links.linesOf(file.path);
  if (lines.length === 0) {
    return '';
  }
  const named =
    lines.slice(0, MOST_LINES).join(', ') +
    (lines.length > MOST_LINES ? ', …' : '');
  return trans._n(
    'Equations of the program come from line %2.',
    'Equations of the program come from lines %2.',
    lines.length,
    named
  );
}
