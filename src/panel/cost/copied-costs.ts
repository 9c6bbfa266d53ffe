/**
 * A cost comes in; its table goes out as a text of columns, or as Markdown.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { Measure, percent } from '../../model/heat';
import { code } from '../../parts/copying';
import { plain } from '../../parts/stretches';
import { whereAndWhen } from '../../parts/summary';
import { CostReading, Group, IRow, Order } from './cost-rows';
import { asides, cellWords, groupName, labelOf, lead, placeOf } from './words';

/** Heads, rows and sums, as texts; the label is the second column. */
function tableOf(
  reading: CostReading,
  group: Group,
  order: Order,
  measure: Measure,
  trans: TranslationBundle
): { heads: string[]; rows: string[][] } {
  const total = reading.total(measure);
  const cells = (row: IRow): string[] => {
    const { number, where } = placeOf(reading, row, trans);
    const share = total > 0 ? row.amounts[measure] / total : 0;
    return [
      number,
      '  '.repeat(row.level - 1) +
        [labelOf(row), where].filter(Boolean).join(' · '),
      cellWords(row, 'flops', trans),
      cellWords(row, 'transcendentals', trans),
      cellWords(row, 'bytes', trans),
      percent(Math.min(1, share))
    ].map(spaced);
  };
  return {
    heads: [
      group === 'primitive' ? '' : trans.__('line'),
      group === 'line' ? trans.__('expression') : groupName(group, trans),
      trans.__('FLOPs'),
      trans.__('transcendentals'),
      trans.__('bytes'),
      trans.__('share')
    ],
    rows: reading.rows(group, order).map(cells)
  };
}

/** A space that does not break is not wanted in a plain text. */
function spaced(text: string): string {
  return text.replace(/\u00a0/g, ' ');
}

/** Columns for a mail or a terminal. */
export function costText(
  reading: CostReading,
  group: Group,
  order: Order,
  measure: Measure,
  trans: TranslationBundle
): string {
  const { heads, rows } = tableOf(reading, group, order, measure, trans);
  const all = [heads, ...rows];
  const widths = heads.map((_, at) =>
    Math.max(...all.map(row => row[at].length))
  );
  const line = (row: string[]): string =>
    row
      .map((cell, at) =>
        at === 1 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])
      )
      .join('  ')
      .trimEnd();
  const sentences = [plain(lead(reading, trans)), ...asides(reading, trans)];
  return `${[
    spaced(sentences[0]),
    '',
    ...all.map(line),
    '',
    ...sentences.slice(1).map(spaced)
  ].join('\n')}\n`;
}

/** A table for an issue or a chat. Lines of code are never markup. */
export function costMarkdown(
  reading: CostReading,
  group: Group,
  order: Order,
  measure: Measure,
  trans: TranslationBundle
): string {
  const { heads, rows } = tableOf(reading, group, order, measure, trans);
  const row = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const sentence = lead(reading, trans)
    .map(({ text, bold }) => (bold ? `**${text}**` : text))
    .join('');
  return `${[
    spaced(sentence),
    [
      row(heads),
      row(heads.map((_, at) => (at === 1 ? '---' : '---:'))),
      ...rows.map(([number, label, ...amounts]) =>
        row([number, code(label.trimEnd()).replace(/\|/g, '\\|'), ...amounts])
      )
    ].join('\n'),
    ...asides(reading, trans).map(spaced),
    whereAndWhen(reading.snapshot, trans)
  ].join('\n\n')}\n`;
}
