/**
 * Measured times come in, the sentences of the Time view go out.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import {
  Program,
  ProgramTiming,
  Stages,
  WarmTime
} from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { duration, ends, factor, grouped } from '../../quantities';
import { IStage, stageList } from '../../parts/stage-bar';
import { bold } from '../../parts/stretches';

/** Longer names and sentences are cut: a saved notebook may hold anything. */
export const LONGEST = 1000;

/** The one sentence; numbers are marked as bold. */
export function lead(
  program: Program,
  timing: ProgramTiming | null,
  trans: TranslationBundle
): string {
  const { stages } = program;
  const warm = timing?.warm ?? null;
  const first = firstWords(stages, trans);
  if (timing === null || warm === null) {
    return (
      first ??
      (program.origin === 'traced'
        ? trans.__('This program was only traced: it was not called.')
        : trans.__('What the first call took is unknown.'))
    );
  }
  const sentences = [
    trans.__('A warm call takes %1.', bold(duration(warm.median)))
  ];
  if (stages === null || stages.total === null) {
    sentences.push(trans.__('The time of the first call is unknown.'));
    return sentences.join(' ');
  }
  sentences.push(
    trans.__('The first call took %1.', bold(duration(stages.total)))
  );
  if (stages.from_disk) {
    sentences.push(trans.__('Its compile was read from the persistent cache.'));
  }
  if (timing.eager !== null) {
    sentences.push(paysWords(timing.pays_after, trans));
  }
  return sentences.join(' ');
}

/** After how many calls the first call has paid for itself; null: never. */
function paysWords(calls: number | null, trans: TranslationBundle): string {
  if (calls === null) {
    return trans.__(
      'The first call does not pay for itself: without jit a call is not slower.'
    );
  }
  if (calls <= 1) {
    return trans.__('The first call pays for itself at once.');
  }
  return trans._n(
    'The first call pays for itself after %2 call.',
    'The first call pays for itself after %2 calls.',
    calls,
    bold(grouped(calls))
  );
}

/** What the first call took, and where most of it went; null where that is unknown. */
function firstWords(
  stages: Stages | null,
  trans: TranslationBundle
): string | null {
  if (stages === null || stages.total === null) {
    return null;
  }
  const took = bold(duration(stages.total));
  const most = longest(stages, trans);
  if (most === null || stages.total <= 0) {
    return trans.__('The first call took %1.', took);
  }
  const part = bold(percent(most.seconds / stages.total));
  if (most.key === 'rest') {
    return trans.__(
      'The first call took %1. JAX reports no stage for %2 of it.',
      took,
      part
    );
  }
  if (most.key === 'compile' && stages.from_disk) {
    return trans.__(
      'The first call took %1, %2 of it to read the executable from the persistent cache.',
      took,
      part
    );
  }
  return trans.__(
    'The first call took %1, %2 of it in %3.',
    took,
    part,
    most.label
  );
}

function longest(
  stages: Stages,
  trans: TranslationBundle
): (IStage & { seconds: number }) | null {
  let found: (IStage & { seconds: number }) | null = null;
  for (const stage of stageList(stages, trans)) {
    const { seconds } = stage;
    if (seconds !== null && seconds > (found?.seconds ?? 0)) {
      found = { ...stage, seconds };
    }
  }
  return found;
}

/** `62 %`, and below one `< 1 %`. */
export function percent(share: number): string {
  const whole = Math.round(100 * share);
  return whole === 0 && share > 0 ? '<\u00a01\u00a0%' : `${whole}\u00a0%`;
}

/** What happens in a stage, in a few words. */
export function stageWords(
  stage: IStage['key'],
  stages: Stages,
  trans: TranslationBundle
): string {
  switch (stage) {
    case 'trace':
      return trans.__('Python ran once, on tracers');
    case 'lower':
      return trans.__('jaxpr to StableHLO');
    case 'compile':
      return stages.from_disk
        ? trans.__('read from the persistent compilation cache')
        : trans.__('XLA: StableHLO to an executable');
    case 'first-run':
      return trans.__('until the call returned; its work may go on');
    case 'rest':
      return trans.__('between the stages; no event of JAX explains it');
  }
}

/** `12 to 19 times`, and whether that is faster; null where the two were not both measured. */
export function ratioWords(
  timing: ProgramTiming,
  trans: TranslationBundle
): string | null {
  if (timing.ratio === null) {
    return null;
  }
  const [low, high] = [...timing.ratio].sort((a, b) => a - b);
  if (low <= 1 && high >= 1) {
    return trans.__(
      'No clear difference: %1 as fast as eager.',
      bold(range(low, high, trans))
    );
  }
  return low > 1
    ? trans.__('%1 faster than eager.', bold(range(low, high, trans)))
    : trans.__('%1 slower than eager.', bold(range(1 / high, 1 / low, trans)));
}

/** `12 to 19 times`; one number where both read alike. */
function range(low: number, high: number, trans: TranslationBundle): string {
  const [from, to] = [factor(low), factor(high)];
  return from === to
    ? trans.__('%1 times', from)
    : trans.__('%1 to %2 times', from, to);
}

/** `5.2 to 6.9 ms`, the unit said once where both have it. */
export function middleHalf(time: WarmTime, trans: TranslationBundle): string {
  const [low, high] = ends(duration(time.lower), duration(time.upper));
  return trans.__('%1 to %2', low, high);
}

/** How often it ran: `100 runs`, `12,800 runs in batches of 512`. */
export function runsWords(time: WarmTime, trans: TranslationBundle): string {
  const runs = trans._n('%2 run', '%2 runs', time.runs, grouped(time.runs));
  const batch = time.batch ?? 1;
  return batch > 1
    ? trans.__('%1 in batches of %2', runs, grouped(batch))
    : runs;
}

/** Whether a call returned before its work was done; below this part of the whole it clearly did. */
const EARLY = 0.8;

export function dispatchWords(
  warm: WarmTime,
  trans: TranslationBundle
): string {
  const returns = bold(duration(warm.dispatch));
  return warm.dispatch < EARLY * warm.median
    ? trans.__(
        'A warm call returns after %1, before its work is done.',
        returns
      )
    : trans.__('A warm call returns after %1, its work done.', returns);
}

/** Why nothing can be run again; null where it can. */
export function whyNot(
  model: IJaxprModel,
  trans: TranslationBundle
): string | null {
  if (model.requests !== null) {
    return null;
  }
  if (model.fromSaved) {
    return trans.__(
      'This run was read from the saved notebook. Run its cell to measure it.'
    );
  }
  const { status } = model;
  if (status.kind === 'stale') {
    return trans.__('%1. %2', status.reason, status.cure);
  }
  return trans.__('No kernel answers. Start one and run the cell again.');
}
