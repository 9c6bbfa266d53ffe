/**
 * Facts of a ledger come in, the words that tell them go out: the one sentence, counts, reasons, outcomes, places.
 *
 * The same words on the screen and in what is copied.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { IAmount, amount, bound } from '../../model/call-counts';
import {
  Ledger,
  LedgerMiss,
  LedgerReason,
  Snapshot
} from '../../protocol/snapshot';
import { duration, grouped } from '../../quantities';
import { IStretch, bold, stretches } from '../../parts/stretches';
import { INotePlace, framePlace, shortened } from '../../parts/summary';
import { IMiss, Misses, priceOf, totalsOf } from './functions';

/** Longer names, values and sentences are cut: a saved notebook may hold anything. */
export const LONGEST = 400;

/** The one sentence: what the misses of this run cost, or that they cost nothing. */
export function lead(ledger: Ledger, trans: TranslationBundle): IStretch[] {
  return stretches(leadText(ledger, trans));
}

function leadText(ledger: Ledger, trans: TranslationBundle): string {
  const totals = totalsOf(ledger);
  const took = bold(duration(ledger.seconds));
  const whole =
    ledger.cell_seconds === null ? null : bold(duration(ledger.cell_seconds));
  if (ledger.compiles > 0) {
    const compiles = bold(
      amount(trans, 'compiles', { value: ledger.compiles, exact: true })
    );
    return whole === null
      ? trans.__('%1 took %2.', compiles, took)
      : trans.__("%1 took %2 of this cell's %3.", compiles, took, whole);
  }
  if (totals.functions === 0) {
    return trans.__('This run called no jitted function of yours.');
  }
  if (totals.fromDisk > 0) {
    const found = bold(
      trans._n(
        '%2 executable',
        '%2 executables',
        totals.fromDisk,
        grouped(totals.fromDisk)
      )
    );
    return trans.__(
      'Nothing compiled: %1 came from the persistent cache, in %2.',
      found,
      took
    );
  }
  const work = ledger.functions.some(
    ({ run }) => run.traces + run.lowerings > 0
  );
  if (work) {
    return whole === null
      ? trans.__('Nothing compiled; tracing and lowering took %1.', took)
      : trans.__(
          "Nothing compiled; tracing and lowering took %1 of this cell's %2.",
          took,
          whole
        );
  }
  if (totals.hits.value === null) {
    return trans.__('Nothing compiled. How many calls there were is unknown.');
  }
  const calls = bold(amount(trans, 'calls', totals.hits));
  return trans.__('Nothing compiled: %1 reused what was there.', calls);
}

/** The number of a column, or that it is unknown. */
export function known(of: IAmount, trans: TranslationBundle): string {
  return of.value === null ? trans.__('unknown') : bound(of.value, of.exact);
}

/** What became of a call that missed the fast path; empty where its sign and its price say it. */
export function outcomeWords(
  outcome: LedgerMiss['outcome'],
  trans: TranslationBundle
): string {
  switch (outcome) {
    case 'compiled':
      return '';
    case 'compiled_from_disk':
      return trans.__('from disk');
    case 'lowered':
      return trans.__('lowered again, executable reused');
    case 'dispatch_only':
      return trans.__('executable reused');
    case 'inlined':
      return trans.__('inlined into another trace');
    case 'raised':
      return trans.__('raised');
  }
}

/** The same for a screen reader and for a plain text, never empty. */
export function outcomeLabel(
  outcome: LedgerMiss['outcome'],
  trans: TranslationBundle
): string {
  return outcomeWords(outcome, trans) || trans.__('compiled');
}

/** The name of a kind of reason. */
export function kindName(kind: string, trans: TranslationBundle): string {
  switch (kind) {
    case 'first_call':
      return trans.__('first call');
    case 'first_observed':
      return trans.__('first call seen');
    case 'shape':
      return trans.__('shape');
    case 'dtype':
      return trans.__('dtype');
    case 'weak_type':
      return trans.__('weak type');
    case 'pytree':
      return trans.__('structure');
    case 'static_value':
      return trans.__('static');
    case 'static_identity':
      return trans.__('static object');
    case 'call_style':
      return trans.__('call style');
    case 'argument_type':
      return trans.__('argument type');
    case 'sharding':
      return trans.__('sharding');
    case 'committed':
      return trans.__('device');
    case 'layout':
      return trans.__('layout');
    case 'config':
      return trans.__('config');
    case 'new_function':
      return trans.__('new function');
    case 'cell_rerun':
      return trans.__('cell run again');
    case 'no_fast_path':
      return trans.__('no fast path');
    case 'cleared':
      return trans.__('cleared');
    case 'unknown':
      return trans.__('unknown');
    default:
      return shortened(kind.replace(/_/g, ' '), 40);
  }
}

/** A reason in its parts: `shape batch[0]: f32[32,3] → f32[17,3]`, or a kind and a sentence. */
export type ReasonWords =
  | {
      form: 'change';
      kind: string;
      argument: string;
      before: string;
      after: string;
    }
  | { form: 'sentence'; kind: string; sentence: string }
  | { form: 'signature'; kind: string; signature: string };

/** Kinds of which the two texts do not say what their sentence says. */
const SENTENCES = ['pytree', 'call_style', 'static_identity', 'new_function'];

export function reasonWords(
  reason: LedgerReason,
  miss: LedgerMiss,
  trans: TranslationBundle
): ReasonWords {
  const kind = kindName(reason.kind, trans);
  const { argument, before, after } = reason;
  if (
    argument !== null &&
    before !== null &&
    after !== null &&
    before !== after &&
    !SENTENCES.includes(reason.kind)
  ) {
    return {
      form: 'change',
      kind,
      argument: shortened(argument, LONGEST),
      before: shortened(before, LONGEST),
      after: shortened(after, LONGEST)
    };
  }
  // A first call of more than the function, such as a wrapped one, is said as it is.
  if (reason.kind === 'first_call' && after === null) {
    return { form: 'signature', kind, signature: signature(miss) };
  }
  return { form: 'sentence', kind, sentence: shortened(reason.text, LONGEST) };
}

export function signature(miss: { signature: string }): string {
  return shortened(miss.signature, LONGEST);
}

/** A reason as one text. */
export function reasonText(
  reason: LedgerReason,
  miss: LedgerMiss,
  trans: TranslationBundle
): string {
  const words = reasonWords(reason, miss, trans);
  switch (words.form) {
    case 'change':
      return `${words.kind} ${words.argument}: ${words.before} → ${words.after}`;
    case 'signature':
      return `${words.kind} ${words.signature}`.trim();
    case 'sentence':
      return `${words.kind}: ${words.sentence}`;
  }
}

/** What to do, each cure once, of one miss or of several alike. */
export function curesOf(misses: readonly IMiss[]): string[] {
  const all = misses.flatMap(({ one }) =>
    one.reasons.flatMap(({ cure }) => cure ?? [])
  );
  return [...new Set(all)].map(cure => shortened(cure, LONGEST));
}

/** What misses cost: `155 ms`; empty where nothing was traced, lowered or compiled. */
export function priceWords(
  misses: Misses,
  trans: TranslationBundle
): { sum: string; each: string } {
  const prices = misses.flatMap(({ one }) => priceOf(one) ?? []);
  if (prices.length === 0) {
    const nothing = ['dispatch_only', 'inlined'].includes(
      misses[0].one.outcome
    );
    return { sum: nothing ? '' : trans.__('unknown'), each: '' };
  }
  const least = duration(Math.min(...prices));
  const most = duration(Math.max(...prices));
  return {
    sum: duration(prices.reduce((sum, price) => sum + price, 0)),
    each:
      prices.length === 1
        ? ''
        : least === most
          ? trans.__('%1 each', least)
          : trans.__('%1 to %2 each', least, most)
  };
}

/** The stages of a miss: `trace 5.4 ms · lower 14 ms · compile 121 ms`. */
export function stageWords(miss: LedgerMiss, trans: TranslationBundle): string {
  const stages: [string, number | null][] = [
    [trans.__('trace'), miss.trace],
    [trans.__('lower'), miss.lower],
    [
      miss.outcome === 'compiled_from_disk'
        ? trans.__('from disk')
        : trans.__('compile'),
      miss.compile
    ],
    [trans.__('whole call'), miss.total]
  ];
  return stages
    .flatMap(([stage, time]) =>
      time === null ? [] : `${stage} ${duration(time)}`
    )
    .join(' · ');
}

/** A place in a cell or a file, as an aside: `line 2`, `line 2 of cell [3]`, `line 12 of model.py`. */
export function placeWords(
  snapshot: Snapshot,
  frame: number,
  trans: TranslationBundle
): { label: string; place: INotePlace } | null {
  const place = framePlace(snapshot, frame, trans);
  if (place === null) {
    return null;
  }
  const { file, line } = place.span;
  if (file.kind !== 'cell') {
    const path = shortened(file.path.split(/[\\/]/).pop() ?? file.path, 60);
    return { label: trans.__('line %1 of %2', line, path), place };
  }
  const own = snapshot.cell !== null && snapshot.cell.file === file.path;
  const label =
    own || file.execution_count === null
      ? trans.__('line %1', line)
      : trans.__('line %1 of cell [%2]', line, file.execution_count);
  return { label, place };
}

/** How many of the hits came after a miss, by the entry that it made; null where that is not known or none did. */
export function hitsAfter(
  miss: IMiss,
  all: readonly LedgerMiss[],
  entries: readonly { hits: number | null }[]
): number | null {
  const { entry } = miss.one;
  const first = all.findIndex(one => one.entry === entry);
  return entry < 0 || first !== miss.index ? null : entries[entry].hits || null;
}
