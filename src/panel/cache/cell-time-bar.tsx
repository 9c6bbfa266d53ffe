/** Draws how much of the cell's time the misses of a run took, for each stage. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Ledger } from '../../protocol/snapshot';
import { listOf } from '../../parts/list-of';
import { duration } from '../../quantities';

/** The seconds of each stage of the listed misses; null if they do not add up to the total. */
export function stagesOf(
  ledger: Ledger
): { trace: number; lower: number; compile: number } | null {
  const stages = { trace: 0, lower: 0, compile: 0 };
  for (const { misses } of ledger.functions) {
    for (const miss of misses) {
      if (miss.this_run) {
        stages.trace += miss.trace ?? 0;
        stages.lower += miss.lower ?? 0;
        stages.compile += miss.compile ?? 0;
      }
    }
  }
  const sum = stages.trace + stages.lower + stages.compile;
  return Math.abs(sum - ledger.seconds) <= 0.01 * ledger.seconds
    ? stages
    : null;
}

export function CostBar(props: {
  ledger: Ledger;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { ledger, trans } = props;
  const small = ledger.small_seconds ?? 0;
  if (ledger.seconds + small <= 0) {
    return null;
  }
  const stages = stagesOf(ledger);
  const named: [string, string, number][] =
    stages === null
      ? [['compile', trans.__('cache misses'), ledger.seconds]]
      : [
          ['trace', trans.__('trace'), stages.trace],
          ['lower', trans.__('lower'), stages.lower],
          ['compile', trans.__('compile'), stages.compile]
        ];
  named.push(['first-run', trans.__('small programs outside of jit'), small]);
  const rest = Math.max(0, (ledger.cell_seconds ?? 0) - ledger.seconds - small);
  if (rest > 0) {
    named.push(['rest', trans.__('the rest of the time of the cell'), rest]);
  }
  const shown = named.filter(([, , time]) => time > 0);
  const sum = shown.reduce((seconds, [, , time]) => seconds + time, 0);
  const label = listOf(
    shown.map(([, name, time]) => trans.__('%1: %2', name, duration(time))),
    trans
  );
  return (
    <div className="jp-JaxprCache-cost">
      <div
        className="jp-JaxprPanel-bar"
        role="img"
        aria-label={label}
        title={label}
      >
        {shown.map(([stage, , time]) => (
          <span
            key={stage}
            className={`jp-JaxprPanel-stage jp-mod-${stage}`}
            // A flex box is not filled if its grow factors sum to less than 1; with the factor 100, they sum to 100.
            style={{ flexGrow: (100 * time) / sum }}
          />
        ))}
      </div>
      <p className="jp-JaxprPanel-small" aria-hidden="true">
        {shown.map(([stage, name, time]) => (
          <span key={stage} className="jp-JaxprCache-stage">
            <span className={`jp-JaxprPanel-key jp-mod-${stage}`} />
            {name} <b>{duration(time)}</b>
          </span>
        ))}
      </p>
    </div>
  );
}
