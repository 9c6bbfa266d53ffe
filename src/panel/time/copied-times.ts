/** Copies the table of a sweep as text columns or as Markdown. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Snapshot, Sweep } from '../../protocol/snapshot';
import { code } from '../../parts/markdown-code';
import { shortened, whereAndWhen } from '../../parts/summary';
import {
  codeInTable,
  lineOf,
  markdownTable,
  spaced
} from '../../parts/table-text';
import { LONGEST_NAME, growthOf } from './series';
import { allColumns, valueWords } from './sweep-rows';
import { LONGEST } from './words';

interface ITable {
  heads: string[];
  rows: { cells: string[]; error: string | null }[];
}

function tableOf(sweep: Sweep, trans: TranslationBundle): ITable {
  const columns = allColumns(sweep, trans);
  const many = sweep.functions.length > 1;
  return {
    heads: [
      ...(many ? [trans.__('function')] : []),
      shortened(sweep.name, LONGEST_NAME),
      ...columns.map(({ label }) => label)
    ],
    rows: sweep.points.map(point => ({
      cells: [
        ...(many ? [shortened(point.function, LONGEST_NAME)] : []),
        valueWords(point),
        ...columns.map(({ words }) =>
          spaced(
            words(point) ?? (point.error === null ? trans.__('unknown') : '')
          )
        )
      ],
      error:
        point.error === null
          ? null
          : trans.__('the call raised %1', shortened(point.error, LONGEST))
    }))
  };
}

function endings(sweep: Sweep): string[] {
  return [
    ...growthOf(sweep, 'time'),
    ...(sweep.stopped === null ? [] : [sweep.stopped]),
    ...sweep.notes
  ].map(line => shortened(line, LONGEST));
}

/** Prints the table of a sweep as text with aligned columns, for a mail or a terminal. */
export function sweepText(sweep: Sweep, trans: TranslationBundle): string {
  const { heads, rows } = tableOf(sweep, trans);
  const line = lineOf([heads, ...rows.map(({ cells }) => cells)], []);
  return [
    trans.__('Sweep of %1 over %2', shortened(sweep.call, LONGEST), sweep.name),
    '',
    line(heads),
    ...rows.map(({ cells, error }) =>
      error === null ? line(cells) : `${line(cells)}  ${error}`
    ),
    '',
    ...endings(sweep),
    ''
  ].join('\n');
}

/** Prints a table for an issue or a chat. Names and values are escaped, so they are never markup. */
export function sweepMarkdown(
  snapshot: Snapshot,
  sweep: Sweep,
  trans: TranslationBundle
): string {
  const { heads, rows } = tableOf(sweep, trans);
  const named = sweep.functions.length > 1 ? 2 : 1;
  const cell = (text: string, at: number): string =>
    at < named ? codeInTable(text) : text;
  const { jax, device } = snapshot.environment;
  const errors = rows.flatMap(({ cells, error }) =>
    error === null
      ? []
      : [
          `- ${cells.slice(0, named).map(codeInTable).join(' ')} ${codeInTable(error)}`
        ]
  );
  const lines = endings(sweep);
  return [
    trans.__(
      'Sweep of %1 over %2',
      code(shortened(sweep.call, LONGEST)),
      code(shortened(sweep.name, LONGEST_NAME))
    ),
    markdownTable(
      heads.map(cell),
      rows.map(({ cells }) => cells.map(cell)),
      []
    ),
    ...(errors.length > 0 ? [errors.join('\n')] : []),
    ...(lines.length > 0
      ? [lines.map(line => `- ${escaped(line)}`).join('\n')]
      : []),
    trans.__(
      '%1 · jax %2 on %3',
      whereAndWhen(snapshot, trans),
      jax ?? trans.__('unknown'),
      device ?? trans.__('unknown')
    ),
    ''
  ].join('\n\n');
}

/** Escapes a text so that it is not markup. */
function escaped(text: string): string {
  return text.replace(/[\\`*_<[\]|]/g, '\\$&');
}
