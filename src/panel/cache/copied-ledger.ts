/** Makes the text of the ledger's table for the clipboard: aligned columns, or Markdown. */
import { TranslationBundle } from '@jupyterlab/translation';

import { bound } from '../../model/call-counts';
import { Ledger, LedgerFunction, Snapshot } from '../../protocol/snapshot';
import { code } from '../../parts/markdown-code';
import { duration } from '../../quantities';
import { shortened, whereAndWhen } from '../../parts/summary';
import {
  codeInTable,
  lineOf,
  markdownTable,
  spaced
} from '../../parts/table-text';
import {
  IMiss,
  Misses,
  countsOf,
  entriesOf,
  grouped,
  isOfThisRun,
  totalsOf
} from './functions';
import {
  LONGEST,
  curesOf,
  hitsAfter,
  countWords,
  outcomeText,
  placeWords,
  priceWords,
  signature
} from './words';

/** The indices of the columns that hold words: only the first column, with the name of the function. */
const WORDS = [0];

/** The table of this run's functions as texts: headings, a row for each function, and totals. */
interface ITable {
  heads: string[];
  functions: { ledgerFunction: LedgerFunction; cells: string[] }[];
  totals: string[] | null;
}

function tableOf(snapshot: Snapshot, trans: TranslationBundle): ITable {
  const { ledger } = snapshot;
  const exact = (value: number): string => bound(value, true);
  const functions = (ledger?.functions ?? [])
    .filter(isOfThisRun)
    .map(ledgerFunction => {
      const counts = countsOf(ledgerFunction);
      const { calls_exact } = counts;
      const place = placeWords(snapshot, ledgerFunction.definition, trans);
      const name = shortened(ledgerFunction.name, 120);
      return {
        ledgerFunction,
        cells: [
          place === null ? name : `${name} (${place.label})`,
          countWords({ value: counts.calls, exact: calls_exact }, trans),
          countWords({ value: counts.hits, exact: calls_exact }, trans),
          countWords(entriesOf(ledgerFunction), trans),
          exact(counts.compiles),
          counts.seconds > 0 ? spaced(duration(counts.seconds)) : ''
        ]
      };
    });
  const totals = ledger ? totalsOf(ledger) : null;
  return {
    heads: [
      trans.__('function'),
      trans.__('calls'),
      trans.__('hits'),
      trans.__('entries'),
      trans.__('compiles'),
      trans.__('price')
    ],
    functions,
    totals:
      totals === null || totals.functions < 2
        ? null
        : [
            trans._n('%1 function', '%1 functions', totals.functions),
            countWords(totals.calls, trans),
            countWords(totals.hits, trans),
            countWords(totals.entries, trans),
            exact(totals.compiles),
            spaced(duration(totals.seconds))
          ]
  };
}

/** The text of a miss or of several similar misses: one line, and sentences below it. */
interface IMissText {
  sign: string;
  /** The signature of the call, the outcome, and the counts, in one line. */
  labels: string;
  price: string;
  /** The sentences about the miss: its reasons and its cures. */
  sentences: string[];
}

const SIGNS = {
  compiled: '◆',
  compiled_from_disk: '◇',
  lowered: '◇',
  dispatch_only: '○',
  inlined: '·',
  raised: '×'
} as const;

function missTexts(
  ledgerFunction: LedgerFunction,
  trans: TranslationBundle
): IMissText[] {
  const misses = ledgerFunction.misses
    .map((miss, index): IMiss => ({ miss, index }))
    .filter(({ miss }) => miss.this_run);
  return grouped(misses).map(group => missText(ledgerFunction, group, trans));
}

function missText(
  ledgerFunction: LedgerFunction,
  misses: Misses,
  trans: TranslationBundle
): IMissText {
  const last = misses[misses.length - 1];
  const { reasons, outcome } = last.miss;
  const price = priceWords(misses, trans);
  const hits =
    misses.length > 1
      ? null
      : hitsAfter(last, ledgerFunction.misses, ledgerFunction.entries);
  const labels = [
    signature(last.miss),
    ...(misses.length > 1 ? [`× ${misses.length}`] : []),
    ...(outcome === 'compiled' ? [] : [outcomeText(last.miss)]),
    ...(hits === null
      ? []
      : [
          trans._n(
            '%2 later hit',
            '%2 later hits',
            hits,
            bound(hits, countsOf(ledgerFunction).calls_exact)
          )
        ]),
    ...(price.priceOfEach === '' ? [] : [spaced(price.priceOfEach)])
  ];
  return {
    sign: SIGNS[outcome],
    labels: labels.join(' · '),
    price: spaced(price.sum),
    sentences: [
      ...reasons.map(({ text }) => shortened(text, LONGEST)),
      ...curesOf(misses)
    ]
  };
}

/** The kernel's sentences above the table. */
function notesOf(ledger: Ledger): string[] {
  return [ledger.lead ?? '', ledger.calls_note ?? '']
    .filter(note => note !== '')
    .map(note => shortened(note, LONGEST));
}

/** Prints the ledger with aligned columns, for a mail or a terminal. */
export function ledgerText(
  snapshot: Snapshot,
  trans: TranslationBundle
): string {
  const { ledger } = snapshot;
  if (!ledger) {
    return '';
  }
  const { heads, functions, totals } = tableOf(snapshot, trans);
  const rows = [heads, ...functions.map(({ cells }) => cells)];
  if (totals !== null) {
    rows.push(totals);
  }
  const line = lineOf(rows, WORDS);
  const lines = notesOf(ledger).map(spaced);
  if (functions.length > 0) {
    lines.push('', line(heads));
  }
  for (const { ledgerFunction, cells } of functions) {
    lines.push(line(cells));
    for (const { sign, labels, price, sentences } of missTexts(
      ledgerFunction,
      trans
    )) {
      lines.push(`  ${sign} ${labels}${price === '' ? '' : ` · ${price}`}`);
      lines.push(...sentences.map(sentence => `    ${sentence}`));
    }
  }
  if (totals !== null) {
    lines.push(line(totals));
  }
  return `${lines.join('\n')}\n`;
}

/** Prints the ledger as a Markdown table and a list. Names and values are escaped. */
export function ledgerMarkdown(
  snapshot: Snapshot,
  trans: TranslationBundle
): string {
  const { ledger } = snapshot;
  if (!ledger) {
    return '';
  }
  const { heads, functions, totals } = tableOf(snapshot, trans);
  const named = ([name, ...numbers]: string[]): string[] => [
    codeInTable(name),
    ...numbers
  ];
  const blocks = notesOf(ledger).map(note => code(spaced(note)));
  if (functions.length > 0) {
    const rows = functions.map(({ cells }) => named(cells));
    if (totals !== null) {
      rows.push(totals.map(cell => `**${cell}**`));
    }
    blocks.push(markdownTable(heads, rows, WORDS));
  }
  const lists = functions.flatMap(({ ledgerFunction, cells }) => {
    const misses = missTexts(ledgerFunction, trans).map(
      ({ sign, labels, price, sentences }) =>
        `- ${sign} ${code(labels)}${price === '' ? '' : ` ${price}`}` +
        sentences.map(sentence => `\n  ${code(sentence)}`).join('')
    );
    return misses.length === 0
      ? []
      : [`${code(cells[0])}\n\n${misses.join('\n')}`];
  });
  blocks.push(...lists, whereAndWhen(snapshot, trans));
  return `${blocks.join('\n\n')}\n`;
}
