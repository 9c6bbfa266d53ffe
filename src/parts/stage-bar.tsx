/** Draws how long the stages of a call took: as a bar, as numbers and as a sentence. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Stages } from '../protocol/snapshot';
import { duration } from '../quantities';
import { Icon } from './icons';

export interface IStage {
  key: 'trace' | 'lower' | 'compile' | 'first-run' | 'rest';
  label: string;
  /** The seconds of the stage; null if JAX did not report them. */
  seconds: number | null;
}

/** Returns the stages in order; `rest` is the time outside of all stages. */
export function stageList(stages: Stages, trans: TranslationBundle): IStage[] {
  return [
    { key: 'trace', label: trans.__('trace'), seconds: stages.trace },
    { key: 'lower', label: trans.__('lower'), seconds: stages.lower },
    {
      key: 'compile',
      label: stages.from_disk ? trans.__('from disk') : trans.__('compile'),
      seconds: stages.compile
    },
    {
      key: 'first-run',
      label: trans.__('first run'),
      seconds: stages.first_run
    },
    { key: 'rest', label: trans.__('rest'), seconds: stages.rest }
  ];
}

/** Describes the bar of the stages in one sentence, for users who cannot see the bar. */
export function stageSentence(
  stages: Stages,
  trans: TranslationBundle
): string {
  const times = stageList(stages, trans).map(({ seconds }) =>
    durationOrUnknown(seconds, trans)
  );
  if (stages.total === null) {
    return stages.from_disk
      ? trans.__(
          'Stages of the first call: trace %1, lower %2, from disk %3, first run %4, rest %5.',
          ...times
        )
      : trans.__(
          'Stages of the first call: trace %1, lower %2, compile %3, first run %4, rest %5.',
          ...times
        );
  }
  const total = duration(stages.total);
  return stages.from_disk
    ? trans.__(
        'The first call took %1: trace %2, lower %3, from disk %4, first run %5, rest %6.',
        total,
        ...times
      )
    : trans.__(
        'The first call took %1: trace %2, lower %3, compile %4, first run %5, rest %6.',
        total,
        ...times
      );
}

/** The words on a button that measures the times of eager and warm calls. */
export function timeWords(again: boolean, trans: TranslationBundle): string {
  return again ? trans.__('Time the calls again') : trans.__('Time the calls');
}

export function durationOrUnknown(
  seconds: number | null,
  trans: TranslationBundle
): string {
  return seconds === null ? trans.__('unknown') : duration(seconds);
}

/** Draws only the bar of the stages, without the numbers. */
export function Bar(props: {
  stages: Stages;
  trans: TranslationBundle;
}): JSX.Element {
  const { stages, trans } = props;
  const list = stageList(stages, trans);
  // Shares are used in place of seconds, because a flex box is not filled if its grow factors sum to less than 1.
  const sum = list.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0);
  return (
    <div
      className="jp-JaxprPanel-bar"
      role="img"
      aria-label={stageSentence(stages, trans)}
    >
      {list.map(({ key, label, seconds }) =>
        seconds === null || seconds <= 0 ? null : (
          <span
            key={key}
            className={`jp-JaxprPanel-stage jp-mod-${key}`}
            style={{ flexGrow: (100 * seconds) / sum }}
            title={trans.__('%1: %2', label, duration(seconds))}
          />
        )
      )}
    </div>
  );
}

export function StageBar(props: {
  stages: Stages;
  /** The seconds of a warm call; null if it was not measured. */
  warm?: number | null;
  /** Measures the time of the calls; null if no kernel can. */
  measure?: (() => void) | null;
  trans: TranslationBundle;
}): JSX.Element {
  const { stages, warm = null, measure = null, trans } = props;
  return (
    <div className="jp-JaxprPanel-stages">
      <div className="jp-JaxprPanel-barRow">
        <Bar stages={stages} trans={trans} />
        {measure !== null && (
          <button
            className="jp-JaxprPanel-measure"
            aria-label={timeWords(warm !== null, trans)}
            title={timeWords(warm !== null, trans)}
            onClick={measure}
          >
            <Icon name="time" />
          </button>
        )}
      </div>
      <dl className="jp-JaxprPanel-stageNumbers">
        {stageList(stages, trans).map(({ key, label, seconds }) => (
          <div key={key} className={`jp-mod-${key}`}>
            <dt>
              <span className={`jp-JaxprPanel-key jp-mod-${key}`} />
              {label}
            </dt>
            <dd>{durationOrUnknown(seconds, trans)}</dd>
          </div>
        ))}
        {warm !== null && (
          <div className="jp-mod-warm">
            <dt>{trans.__('warm call')}</dt>
            <dd>{duration(warm)}</dd>
          </div>
        )}
        <div className="jp-mod-total">
          <dt>{trans.__('total')}</dt>
          <dd>{durationOrUnknown(stages.total, trans)}</dd>
        </div>
      </dl>
    </div>
  );
}
