/** Chooses the lines of each level that belong to the selection, and finds which lines belong together. */
import { TranslationBundle } from '@jupyterlab/translation';

import { ILinkedSpan, Links, TextLevel } from '../model/links';
import { sourceFilesOf } from '../model/source-files';
import type { Selection } from '../tokens';
import { badgeText, whereOf } from '../workbench/words/describe';
import type { ProgramListings } from '../workbench/levels/program-listings';
import { levelTitle } from '../workbench/reading/toolbar';

/** A line of the excerpt: a line of the source, or of a text of the program. */
export interface IExcerptLine {
  /**
   * The text at the left edge: the number of the equation or line; for a line of the source, its place, such as
   * `model.py, line 20`.
   */
  number: string;
  /** The text of the line, without its indentation. */
  text: string;
  indent: number;
  /** True if XLA does not state the origin of the line, so that the kernel has inferred it. */
  inferred: boolean;
}

/** A column of the excerpt: the chosen lines of the source, or of one level. */
export interface IExcerptColumn {
  title: string;
  lines: IExcerptLine[];
  /** The number of further lines that the column leaves out. */
  more: number;
}

/** A link between a line of a column (`from`) and a line of the next column (`to`). */
export interface IExcerptLink {
  column: number;
  from: number;
  to: number;
  inferred: boolean;
}

export interface IExcerpt {
  columns: IExcerptColumn[];
  links: IExcerptLink[];
}

/**
 * At most this many lines of a level are drawn, and the rest are counted; longer lines than this many characters are
 * cut.
 */
const MOST_LINES = 24;
const LONGEST = 96;

/** The excerpt of the selection; null if nothing is linked to the selection. */
export function excerptOf(
  listings: ProgramListings,
  selection: Selection,
  trans: TranslationBundle
): IExcerpt | null {
  const { links, jaxpr } = listings;
  const linked = links.resolve(selection);
  const rows = [...linked.equations]
    .map(id => ({ id, row: jaxpr.rows.rowOfId(id) }))
    .filter(({ row }) => row !== undefined)
    .sort((a, b) => (a.row?.index ?? 0) - (b.row?.index ?? 0));
  const kept = rows.slice(0, MOST_LINES);
  const spans = linesOf(links, [...linked.spans, ...linked.fileSpans], trans);
  const columns: IExcerptColumn[] = [
    {
      title: trans.__('Source'),
      lines: spans.slice(0, MOST_LINES).map(({ line }) => line),
      more: Math.max(0, spans.length - MOST_LINES)
    },
    {
      title: trans.__('jaxpr'),
      lines: kept.flatMap(({ row }) =>
        row
          ? [
              lineOf(
                row.number > 0 ? `${row.number}` : '',
                jaxpr.described.printer.text(row),
                row.depth
              )
            ]
          : []
      ),
      more: rows.length - kept.length
    }
  ];
  const keys: string[][] = [
    spans.map(({ key }) => key),
    kept.map(({ id }) => `${id}`)
  ];
  for (const level of ['stablehlo', 'hlo'] as const) {
    const text = listings.texts.get(level);
    const numbers = [...linked.lines[level]].sort((a, b) => a - b);
    if (!text || numbers.length === 0) {
      continue;
    }
    const lines = text.document();
    const shown = numbers.slice(0, MOST_LINES);
    columns.push({
      title: levelTitle(level, trans),
      lines: shown.map(line => ({
        ...lineOf(
          `${line + 1}`,
          withoutPlace(lines.line(line + 1).text),
          text.indentation(line).length >> 1
        ),
        inferred: links.isInferred(level, line)
      })),
      more: numbers.length - shown.length
    });
    keys.push(shown.map(line => `${level}:${line}`));
  }
  const of = kept.map(({ id, row }) => [
    `${id}`,
    ...belonging(links, row?.scope ?? 0, row?.equation ?? 0, linked, trans)
  ]);
  const present = columns
    .map((column, i) => ({ column, keys: keys[i] }))
    .filter(({ column }) => column.lines.length > 0);
  return present.length === 0
    ? null
    : {
        columns: present.map(({ column }) => unindented(column)),
        links: present.slice(1).flatMap((right, column) => {
          const left = present[column];
          return pairs(left.keys, right.keys, of).map(([from, to]) => ({
            column,
            from,
            to,
            inferred:
              (left.column.lines[from]?.inferred ?? false) ||
              (right.column.lines[to]?.inferred ?? false)
          }));
        })
      };
}

/** Removes the indentation that all lines of a column have in common. */
function unindented({ lines, ...column }: IExcerptColumn): IExcerptColumn {
  const least = Math.min(...lines.map(({ indent }) => indent));
  return {
    ...column,
    lines: lines.map(line => ({ ...line, indent: line.indent - least }))
  };
}

/** The lines that belong to an equation and to the selection: lines of the source, of StableHLO and of HLO. */
function belonging(
  links: Links,
  scope: number,
  equation: number,
  within: ReturnType<Links['resolve']>,
  trans: TranslationBundle
): string[] {
  const { spans, fileSpans, lines } = links.resolve({
    kind: 'equations',
    equations: [{ scope, equation }]
  });
  const lineKeys = linesOf(links, [...spans, ...fileSpans], trans).map(
    ({ key }) => key
  );
  for (const level of ['stablehlo', 'hlo'] as readonly TextLevel[]) {
    for (const line of lines[level]) {
      if (within.lines[level].has(line)) {
        lineKeys.push(`${level}:${line}`);
      }
    }
  }
  return lineKeys;
}

/** The pairs of a left line and a right line that belong to the same equation. */
function pairs(
  left: readonly string[],
  right: readonly string[],
  of: readonly (readonly string[])[]
): [number, number][] {
  const linePairs: [number, number][] = [];
  left.forEach((leftKey, from) =>
    right.forEach((rightKey, to) => {
      if (of.some(keys => keys.includes(leftKey) && keys.includes(rightKey))) {
        linePairs.push([from, to]);
      }
    })
  );
  return linePairs;
}

/** The lines of some spans, each once, in the order of their files. */
function linesOf(
  links: Links,
  spans: readonly ILinkedSpan[],
  trans: TranslationBundle
): { key: string; line: IExcerptLine }[] {
  const { snapshot } = links.equations;
  const files = sourceFilesOf(snapshot);
  const linesByKey = new Map<string, IExcerptLine>();
  const ordered = [...spans].sort((a, b) =>
    a.file.path === b.file.path
      ? a.line - b.line
      : a.file.path < b.file.path
        ? -1
        : 1
  );
  for (const span of ordered) {
    const { file, line } = span;
    const text =
      links.spans.source(file)?.split('\n')[line - 1] ??
      files.line(file.path, line);
    const bare = (text ?? '').trimStart();
    linesByKey.set(`${file.path}:${line}`, {
      ...lineOf(
        file.kind === 'cell'
          ? badgeText(links, span)
          : whereOf(links, span, trans),
        text === null || text === undefined ? span.function : bare,
        ((text ?? '').length - bare.length) >> 1
      )
    });
  }
  return [...linesByKey].map(([key, line]) => ({ key, line }));
}

function lineOf(number: string, text: string, indent: number): IExcerptLine {
  return {
    number,
    text: text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text,
    indent,
    inferred: false
  };
}

/** Cuts the metadata of an instruction, because the drawing itself shows the links. */
function withoutPlace(line: string): string {
  return line.split(', metadata={', 1)[0].replace(/ loc\([^)]*\)+$/, '');
}
