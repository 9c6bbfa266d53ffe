/** A table of this extension's count and XLA's count, with the reasons for the difference. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { CostDifference, ProgramCost, XlaCost } from '../../protocol/snapshot';
import { grouped } from '../../quantities';
import { shortened } from '../../parts/summary';
import { CostReading } from './cost-rows';

/** Sentences longer than this are cut. */
const LONGEST = 400;
/** The largest number of reasons that are shown; further reasons are counted. */
const MOST = 20;

/**
 * This extension's count and XLA's count, each without the parts that the reasons explain; null if a reason states only
 * one of the two parts.
 */
export function restOf(
  ours: number,
  xla: XlaCost
): { ours: number; xla: number } | null {
  let [left, right] = [ours, xla.flops ?? 0];
  for (const difference of xla.differences) {
    // a reason without numbers is shown as a sentence
    if (difference.ours === null && difference.xla === null) {
      continue;
    }
    if (difference.ours === null || difference.xla === null) {
      return null;
    }
    left -= difference.ours;
    right -= difference.xla;
  }
  return left < 0 || right < 0 || xla.differences.length === 0
    ? null
    : { ours: left, xla: right };
}

/** This extension's count by XLA's convention, which counts the branch of a cond with the most operations. */
function asXla({ flops, flops_most }: ProgramCost): number {
  return Math.max(flops, flops_most ?? 0);
}

export function XlaSection(props: {
  reading: CostReading;
  select: (frame: number) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { reading, trans } = props;
  const { cost } = reading;
  const xla = cost.xla;
  const xlaFlops = xla?.flops ?? null;
  if (xla === null || xlaFlops === null) {
    return (
      <section className="jp-JaxprCost-section">
        <h2>{trans.__("XLA's count of operations")}</h2>
        <p className="jp-JaxprPanel-small">
          {xla === null
            ? trans.__(
                "XLA's count of operations is unknown. The program was not compiled, or XLA gives no cost analysis."
              )
            : shortened(xla.text ?? '', LONGEST)}
        </p>
      </section>
    );
  }
  return (
    <section className="jp-JaxprCost-section">
      <h2>{trans.__("XLA's count of operations")}</h2>
      {xla.text && (
        <p className="jp-JaxprCost-sentence">{shortened(xla.text, LONGEST)}</p>
      )}
      {(Math.round(xlaFlops) !== asXla(cost) || xla.differences.length > 0) && (
        <Differences {...props} xla={xla} xlaFlops={xlaFlops} />
      )}
      <p className="jp-JaxprPanel-small">
        {trans.__(
          "XLA's cost_analysis() also gives: transcendentals %1, bytes accessed %2.",
          countWords(xla.transcendentals, trans),
          countWords(xla.bytes, trans)
        )}
      </p>
    </section>
  );
}

// The roles are set explicitly, because in a narrow panel a row takes two lines and is no table row.
function Differences(props: {
  reading: CostReading;
  xla: XlaCost;
  xlaFlops: number;
  select: (frame: number) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { reading, xla, xlaFlops, trans } = props;
  const { cost } = reading;
  const rest = restOf(asXla(cost), xla);
  const shown = xla.differences.slice(0, MOST);
  const left = xla.differences.length - shown.length;
  return (
    <table
      role="table"
      aria-label={trans.__('Operations counted by this panel and by XLA')}
      className="jp-JaxprCost-numbers jp-JaxprCost-xla"
    >
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">
            {trans.__('operations')}
          </th>
          <th role="columnheader" scope="col">
            {trans.__('this panel')}
          </th>
          <th role="columnheader" scope="col">
            {trans.__('XLA')}
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {shown.map((difference, at) => (
          <tr role="row" key={at} data-kind={difference.kind}>
            <th
              role="rowheader"
              scope="row"
              colSpan={inWords(difference) ? 3 : 1}
            >
              {shortened(difference.text, LONGEST)}{' '}
              <Line {...props} difference={difference} />
            </th>
            {!inWords(difference) && (
              <>
                <td role="cell">
                  <Part
                    amount={difference.ours}
                    runs={difference.runs}
                    trans={trans}
                  />
                </td>
                <td role="cell">
                  <Part
                    amount={difference.xla}
                    runs={difference.runs === null ? null : 1}
                    trans={trans}
                  />
                </td>
              </>
            )}
          </tr>
        ))}
        {left > 0 && (
          <tr role="row">
            <th role="rowheader" scope="row">
              {trans._n(
                '%1 more reason for the difference',
                '%1 more reasons for the difference',
                left
              )}
            </th>
            <td role="cell" />
            <td role="cell" />
          </tr>
        )}
        {rest !== null && (rest.ours > 0 || rest.xla > 0) && (
          <tr role="row">
            <th role="rowheader" scope="row">
              {trans.__('all other operations')}
            </th>
            <td role="cell">{grouped(rest.ours)}</td>
            <td role="cell">{grouped(rest.xla)}</td>
          </tr>
        )}
      </tbody>
      <tfoot role="rowgroup">
        <tr role="row">
          <th role="rowheader" scope="row">
            {trans.__('total')}
          </th>
          <td role="cell">{grouped(asXla(cost))}</td>
          <td role="cell">{grouped(xlaFlops)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function countWords(amount: number | null, trans: TranslationBundle): string {
  return amount === null ? trans.__('unknown') : grouped(amount);
}

/** True if a reason for the difference from XLA's count has no number, so that the reason is a sentence. */
function inWords({ ours, xla }: CostDifference): boolean {
  return ours === null && xla === null;
}

/** Prints `800 × 100`, a number, or the word for an unknown number. */
function Part(props: {
  amount: number | null;
  runs: number | null;
  trans: TranslationBundle;
}): JSX.Element {
  const { amount, runs, trans } = props;
  if (amount === null) {
    return <span className="jp-JaxprPanel-second">{trans.__('unknown')}</span>;
  }
  if (runs === null || runs < 1 || amount % runs !== 0) {
    return <>{grouped(amount)}</>;
  }
  return (
    <>
      {grouped(amount / runs)}{' '}
      <b className="jp-JaxprCost-times">{`×\u00a0${grouped(runs)}`}</b>
    </>
  );
}

function Line(props: {
  reading: CostReading;
  difference: CostDifference;
  select: (frame: number) => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { reading, difference, select, trans } = props;
  const span = reading.span(difference.frame);
  return span === null ? null : (
    <button
      className="jp-JaxprPanel-link"
      title={trans.__('Go to this line')}
      onClick={() => select(difference.frame)}
    >
      {trans.__('line %1', span.line)}
    </button>
  );
}
