/** Makes the texts on the measured times in the Time view. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Program, Stages, WarmTime } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { duration, ends, grouped } from '../../quantities';
import { IStage, stageList } from '../../parts/stage-bar';
import { missingKernelWords } from '../../parts/states/missing-kernel';
import { bold } from '../../parts/bold-numbers';

/** Names and sentences longer than this are cut: a saved notebook may hold anything. */
export const LONGEST = 1000;

/** The time of the first call and its longest stage; numbers are marked as bold. */
export function firstCallWords(
  program: Program,
  trans: TranslationBundle
): string {
  const { stages } = program;
  if (stages === null || stages.total === null) {
    if (program.origin === 'recorded') {
      return trans.__(
        'This program is a recording: JAX ran each equation of the program separately, so the program has no first call.'
      );
    }
    return program.origin === 'traced'
      ? trans.__('This program was only traced: the program was not called.')
      : trans.__('The time of the first call is unknown.');
  }
  const took = bold(duration(stages.total));
  const most = longest(stages, trans);
  if (most === null || stages.total <= 0) {
    return trans.__('The first call took %1.', took);
  }
  const part = bold(percent(most.seconds / stages.total));
  if (most.key === 'rest') {
    return trans.__(
      'The first call took %1. JAX reports no stage for %2 of that time.',
      took,
      part
    );
  }
  if (most.key === 'compile' && stages.from_disk) {
    return trans.__(
      'The first call took %1. JAX read the executable from the persistent cache in %2 of that time.',
      took,
      part
    );
  }
  return trans.__(
    'The first call took %1. The longest stage is “%3”, with %2 of that time.',
    took,
    part,
    most.label
  );
}

function longest(
  stages: Stages,
  trans: TranslationBundle
): (IStage & { seconds: number }) | null {
  let longest: (IStage & { seconds: number }) | null = null;
  for (const stage of stageList(stages, trans)) {
    const { seconds } = stage;
    if (seconds !== null && seconds > (longest?.seconds ?? 0)) {
      longest = { ...stage, seconds };
    }
  }
  return longest;
}

/** Prints `62 %`; below one percent, `< 1 %`. */
export function percent(share: number): string {
  const whole = Math.round(100 * share);
  return whole === 0 && share > 0 ? '<\u00a01\u00a0%' : `${whole}\u00a0%`;
}

/** A few words about what happens in a stage. */
export function stageWords(
  stage: IStage['key'],
  stages: Stages,
  trans: TranslationBundle
): string {
  switch (stage) {
    case 'trace':
      return trans.__('JAX runs the Python code on tracers');
    case 'lower':
      return trans.__('JAX turns the jaxpr into StableHLO');
    case 'compile':
      return stages.from_disk
        ? trans.__('JAX reads the executable from the persistent cache')
        : trans.__('XLA turns StableHLO into an executable');
    case 'first-run':
      return trans.__(
        'the first run ends when the call returns; the work of the call may end later'
      );
    case 'rest':
      return trans.__('time that belongs to no stage that JAX reports');
  }
}

/** Prints the range `5.2 to 6.9 ms`; the unit is printed once if both ends share it; a dash for a single timed call. */
export function middleHalf(time: WarmTime, trans: TranslationBundle): string {
  if (time.runs === 1) {
    return '–';
  }
  const [low, high] = ends(duration(time.lower), duration(time.upper));
  return trans.__('%1 to %2', low, high);
}

/** The sentence on the timed calls without jit: their number, the size of a batch, and the fastest call. */
export function eagerCallsWords(
  time: WarmTime,
  trans: TranslationBundle
): string {
  const [runs, fastest] = [grouped(time.runs), duration(time.minimum)];
  const batch = time.batch ?? 1;
  return batch > 1
    ? trans.__(
        '%1 eager calls were timed in batches of %2. In the fastest batch, a call took %3.',
        runs,
        grouped(batch),
        fastest
      )
    : trans._n(
        '%2 eager call was timed.',
        '%2 eager calls were timed. The fastest call took %3.',
        time.runs,
        runs,
        fastest
      );
}

/** The sentence on the timed warm calls: their number, the size of a batch, and the fastest call. */
export function warmCallsWords(
  time: WarmTime,
  trans: TranslationBundle
): string {
  const [runs, fastest] = [grouped(time.runs), duration(time.minimum)];
  const batch = time.batch ?? 1;
  return batch > 1
    ? trans.__(
        '%1 warm calls were timed in batches of %2. In the fastest batch, a call took %3.',
        runs,
        grouped(batch),
        fastest
      )
    : trans._n(
        '%2 warm call was timed.',
        '%2 warm calls were timed. The fastest call took %3.',
        time.runs,
        runs,
        fastest
      );
}

/**
 * A call that took less than this share of the time until its result was ready certainly returned before the work was
 * done.
 */
const EARLY = 0.8;

export function dispatchWords(
  warm: WarmTime,
  trans: TranslationBundle
): string {
  // The time until the return is of single calls, the median of calls in batches, which take less time. So the first may
  // be the longer one, and is left out where the call waits for its work.
  return warm.dispatch < EARLY * warm.median
    ? trans.__(
        'A warm call returns after %1, before its work is done.',
        bold(duration(warm.dispatch))
      )
    : trans.__('A warm call returns when its work is done.');
}

/** The reason why no call of a program can run again: the program is a recording; null for any other program. */
export function noValues(
  { origin }: Program,
  trans: TranslationBundle
): string | null {
  return origin === 'recorded'
    ? trans.__(
        'A recording holds no values, so no call can run again. To time a loop or a jitted function, choose its own program.'
      )
    : null;
}

/** The reason why the kernel cannot run a call of the run in view again; null if the kernel can. */
export function whyNot(
  model: IJaxprModel,
  trans: TranslationBundle
): string | null {
  if (model.requests !== null) {
    return null;
  }
  if (model.fromSaved) {
    return trans.__(
      'This run comes from a saved copy. Run the cell again to measure times.'
    );
  }
  return missingKernelWords(model, trans);
}
