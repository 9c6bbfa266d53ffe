/** Copies the table of a cost as text columns or as Markdown. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Measure, percent } from '../../model/cost-shares';
import { whereAndWhen } from '../../parts/summary';
import {
  codeInTable,
  lineOf,
  markdownTable,
  spaced
} from '../../parts/table-text';
import { CostReading, Group, IRow, Order, amountIn } from './cost-rows';
import { asides, cellWords, groupName, labelOf, lead, placeOf } from './words';

/** The indices of the columns that hold words, not numbers: only the label. */
const WORDS = [1];

/** The head, the rows and the sums as texts; the label is the second column. */
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
    const share = total > 0 ? amountIn(row, measure) / total : 0;
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
      trans.__('operations'),
      trans.__('transcendentals'),
      trans.__('bytes'),
      trans.__('share')
    ],
    rows: reading.rows(group, order).map(cells)
  };
}

/** Prints the table of a cost as text with aligned columns, for a mail or a terminal. */
export function costText(
  reading: CostReading,
  group: Group,
  order: Order,
  measure: Measure,
  trans: TranslationBundle
): string {
  const { heads, rows } = tableOf(reading, group, order, measure, trans);
  const all = [heads, ...rows];
  const sentences = lead(reading);
  return `${[
    ...(sentences.length > 0 ? [spaced(sentences.join(' ')), ''] : []),
    ...all.map(lineOf(all, WORDS)),
    '',
    ...asides(reading, trans).map(spaced)
  ].join('\n')}\n`;
}

/** Prints a table for an issue or a chat. Lines of code are escaped, so they are never markup. */
export function costMarkdown(
  reading: CostReading,
  group: Group,
  order: Order,
  measure: Measure,
  trans: TranslationBundle
): string {
  const { heads, rows } = tableOf(reading, group, order, measure, trans);
  const sentences = lead(reading);
  return `${[
    ...(sentences.length > 0 ? [spaced(sentences.join(' '))] : []),
    markdownTable(
      heads,
      rows.map(([number, label, ...amounts]) => [
        number,
        codeInTable(label.trimEnd()),
        ...amounts
      ]),
      WORDS
    ),
    ...asides(reading, trans).map(spaced),
    whereAndWhen(reading.snapshot, trans)
  ].join('\n\n')}\n`;
}
