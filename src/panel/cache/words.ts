/**
 * Makes the short texts on a ledger: counts, kinds of reasons, prices, stages, places.
 *
 * Whole sentences (cost of misses, reasons, cures, outcomes) come from the kernel.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { IAmount, bound, isUnknown } from '../../model/call-counts';
import {
  Cure,
  LedgerMiss,
  LedgerReason,
  Snapshot
} from '../../protocol/snapshot';
import { duration } from '../../quantities';
import { INotePlace, framePlace, shortened } from '../../parts/summary';
import { IMiss, Misses, calledFunction, priceOf } from './functions';

/** Names, values and sentences longer than this are cut: a saved notebook may hold anything. */
export const LONGEST = 400;

/** The text of a count, such as `4` or `≥4`; `unknown` if nothing is known about the count. */
export function countWords(of: IAmount, trans: TranslationBundle): string {
  return isUnknown(of) ? trans.__('unknown') : bound(of.value ?? 0, of.exact);
}

/** The kernel's text for the outcome of a call that missed the fast path. */
export function outcomeText(miss: LedgerMiss): string {
  return shortened(miss.outcome_text || miss.outcome, 60);
}

/** The name of a kind of reason. */
export function kindName(kind: string, trans: TranslationBundle): string {
  switch (kind) {
    case 'first_call':
      return trans.__('first call');
    case 'first_observed':
      return trans.__('first observed call');
    case 'shape':
      return trans.__('shape');
    case 'dtype':
      return trans.__('dtype');
    case 'weak_type':
      return trans.__('weak type');
    case 'pytree':
      return trans.__('pytree structure');
    case 'static_value':
      return trans.__('static value');
    case 'static_identity':
      return trans.__('new or changed static object');
    case 'call_style':
      return trans.__('call style of the arguments');
    case 'argument_type':
      return trans.__('argument class');
    case 'transform':
      return trans.__('transform');
    case 'sharding':
      return trans.__('sharding');
    case 'committed':
      return trans.__('device');
    case 'layout':
      return trans.__('memory layout');
    case 'config':
      return trans.__('JAX setting');
    case 'new_function':
      return trans.__('new function object');
    case 'cell_rerun':
      return trans.__('cell run again');
    case 'reloaded':
      return trans.__('module reloaded');
    case 'redefined':
      return trans.__('function defined again');
    case 'no_fast_path':
      return trans.__('no fast path');
    case 'cleared':
      return trans.__('cache entry gone');
    case 'unknown':
      return trans.__('unknown reason');
    default:
      return shortened(kind.replace(/_/g, ' '), 40);
  }
}

/** A reason in parts: `shape batch[0]: f32[32,3] → f32[17,3]`, or a kind and a sentence. */
export type ReasonWords =
  | {
      form: 'change';
      kind: string;
      /** The name of the called function, such as `jax.grad(loss)`, as `calledFunction` returns it; may be empty. */
      called: string;
      argument: string;
      before: string;
      after: string;
    }
  | { form: 'sentence'; kind: string; sentence: string }
  | { form: 'signature'; kind: string; signature: string };

/** The kinds of reasons that are shown as the kernel's sentence, which says more than the values before and after. */
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
      called: shortened(calledFunction(miss), LONGEST),
      argument: shortened(argument, LONGEST),
      before: shortened(before, LONGEST),
      after: shortened(after, LONGEST)
    };
  }
  // The kernel's sentence on a first call is shown if it says more than "first call", as for a wrapped function.
  if (reason.kind === 'first_call' && after === null) {
    return { form: 'signature', kind, signature: signature(miss) };
  }
  return { form: 'sentence', kind, sentence: shortened(reason.text, LONGEST) };
}

export function signature(miss: { signature: string }): string {
  return shortened(miss.signature, LONGEST);
}

/** The cures of one miss or of several similar misses, without repetition. */
export function curesOf(misses: readonly IMiss[]): string[] {
  const all = misses.flatMap(({ miss }) =>
    miss.reasons.flatMap(({ cure }) => cure ?? [])
  );
  return [...new Set(all)].map(cure => shortened(cure, LONGEST));
}

/** The edits that cure a miss, or several similar misses: the edits of the newest miss. */
export function editsOf(misses: readonly IMiss[]): readonly Cure[] {
  return misses[misses.length - 1].miss.cures ?? [];
}

/** The price of misses: `155 ms`; empty if nothing was traced, lowered or compiled. */
export function priceWords(
  misses: Misses,
  trans: TranslationBundle
): { sum: string; priceOfEach: string } {
  const prices = misses.flatMap(({ miss }) => priceOf(miss) ?? []);
  if (prices.length === 0) {
    const nothing = ['dispatch_only', 'inlined'].includes(
      misses[0].miss.outcome
    );
    return { sum: nothing ? '' : trans.__('unknown'), priceOfEach: '' };
  }
  const least = duration(Math.min(...prices));
  const most = duration(Math.max(...prices));
  return {
    sum: duration(prices.reduce((sum, price) => sum + price, 0)),
    priceOfEach:
      prices.length === 1
        ? ''
        : least === most
          ? trans.__('%1 per miss', least)
          : trans.__('%1 to %2 per miss', least, most)
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
    [trans.__('the whole call took'), miss.total]
  ];
  return stages
    .flatMap(([stage, time]) =>
      time === null ? [] : `${stage} ${duration(time)}`
    )
    .join(' · ');
}

/** The label of a frame's place in a cell or a file: `line 2`, `line 2 of cell [3]`, `line 12 of model.py`. */
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

/** How many hits used the entry that a miss made; null if unknown or zero. */
export function hitsAfter(
  { miss, index }: IMiss,
  all: readonly LedgerMiss[],
  entries: readonly { hits: number | null }[]
): number | null {
  const { entry } = miss;
  const first = all.findIndex(listedMiss => listedMiss.entry === entry);
  return entry < 0 || first !== index ? null : entries[entry].hits || null;
}
