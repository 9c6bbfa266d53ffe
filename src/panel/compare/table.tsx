/**
 * The table of a comparison with its verdict: columns if the panel is wide enough, else two lines for each function,
 * which unfold.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Variant, VariantComparison } from '../../protocol/snapshot';
import { duration, grouped } from '../../quantities';
import { shortened } from '../../parts/summary';
import {
  ICell,
  IRow,
  agreementWords,
  derivativeWords,
  modeWords,
  readyAfter,
  rowsOf
} from './words';

/** Shows a program in the panel; null if there is no panel to show it. */
type Open = ((program: number) => void) | null;

export function Side(props: {
  comparison: VariantComparison;
  open: Open;
  trans: TranslationBundle;
}): JSX.Element {
  const { comparison, open, trans } = props;
  const rows = rowsOf(comparison, trans);
  const { variants } = comparison;
  const first = variants.findIndex(variant => variant.result !== null);
  return (
    <div className="jp-JaxprCompare-side">
      {comparison.stopped !== null && (
        <p className="jp-JaxprCompare-stopped">
          {shortened(comparison.stopped, 500)}
        </p>
      )}
      {comparison.verdict.length > 0 && (
        <ul
          className="jp-JaxprCompare-verdict"
          aria-label={trans.__('Result of the comparison')}
        >
          {comparison.verdict.map((sentence, index) => (
            <li key={index}>{shortened(sentence, 1000)}</li>
          ))}
        </ul>
      )}
      <div
        className="jp-JaxprCompare-wide"
        role="group"
        aria-label={trans.__('Functions side by side')}
        tabIndex={0}
      >
        <Columns {...props} rows={rows} />
      </div>
      <ul className="jp-JaxprCompare-narrow" aria-label={trans.__('Functions')}>
        {variants.map((variant, index) => (
          <li key={index}>
            <details>
              <summary>
                <TwoLines
                  variant={variant}
                  first={index === first}
                  trans={trans}
                />
              </summary>
              <dl>
                {rows.map(row => (
                  <div key={row.key} className={`jp-mod-${row.key}`}>
                    <dt title={row.about}>{row.label}</dt>
                    <dd>
                      <CellWords cell={row.cells[index]} />
                    </dd>
                  </div>
                ))}
              </dl>
              {open !== null && variant.program >= 0 && (
                <button
                  className="jp-JaxprPanel-link jp-JaxprCompare-open"
                  onClick={() => open(variant.program)}
                >
                  {trans.__('Show the program')}
                </button>
              )}
            </details>
          </li>
        ))}
      </ul>
      <Remarks variants={variants} trans={trans} />
      {comparison.arguments && (
        <p className="jp-JaxprPanel-small">
          {shortened(comparison.arguments, 300)}
        </p>
      )}
    </div>
  );
}

function Columns(props: {
  comparison: VariantComparison;
  rows: readonly IRow[];
  open: Open;
  trans: TranslationBundle;
}): JSX.Element {
  const { comparison, rows, open, trans } = props;
  return (
    <table className="jp-JaxprCompare-table">
      <thead>
        <tr>
          <td />
          {comparison.variants.map((variant, index) => (
            <th key={index} scope="col">
              {open !== null && variant.program >= 0 ? (
                <button
                  className="jp-JaxprPanel-link"
                  title={trans.__('Show the program')}
                  onClick={() => open(variant.program)}
                >
                  {shortened(variant.name, 80)}
                </button>
              ) : (
                shortened(variant.name, 80)
              )}
              <Mode variant={variant} trans={trans} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.key} className={`jp-mod-${row.key}`}>
            <th scope="row" title={row.about}>
              {row.label}
            </th>
            {row.cells.map((cell, index) => (
              <td key={index}>
                <CellWords cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function CellWords({ cell }: { cell: ICell }): JSX.Element {
  return (
    <>
      {cell.text ?? '–'}
      {cell.part !== undefined && (
        <span className="jp-JaxprCompare-bar" aria-hidden="true">
          <span style={{ width: `${Math.max(cell.part * 100, 1)}%` }} />
        </span>
      )}
      {cell.more !== undefined && cell.more !== '' && (
        <span className="jp-JaxprCompare-more">{cell.more}</span>
      )}
    </>
  );
}

function Mode(props: {
  variant: Variant;
  trans: TranslationBundle;
}): JSX.Element | null {
  const words = modeWords(props.variant, props.trans);
  return words === null ? null : (
    <span className="jp-JaxprCompare-mode">{words}</span>
  );
}

/**
 * A function in two lines, such as `whiled  runs in 16 µs`, and below `compile time: 61 ms · 4 equations · same bits as the reference`.
 */
function TwoLines(props: {
  variant: Variant;
  first: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { variant, first, trans } = props;
  const ready = readyAfter(variant);
  const below = [
    ready === null ? null : trans.__('compile time: %1', duration(ready)),
    variant.equations === null
      ? null
      : trans._n(
          '%2 equation',
          '%2 equations',
          variant.equations,
          grouped(variant.equations)
        ),
    variant.differentiable === 'forward' || variant.differentiable === 'none'
      ? trans.__('derivative: %1', derivativeWords(variant, trans) ?? '')
      : null,
    first ? null : agreementWords(variant, first, trans)
  ];
  return (
    <>
      <span className="jp-JaxprCompare-line">
        <b>{shortened(variant.name, 60)}</b>
        <Mode variant={variant} trans={trans} />
        <span className="jp-JaxprCompare-time">
          {variant.warm === null
            ? ''
            : trans.__('warm call: %1', duration(variant.warm.median))}
        </span>
      </span>
      <span className="jp-JaxprCompare-below">
        {below.filter(word => word !== null).join(' · ')}
      </span>
    </>
  );
}

function Remarks(props: {
  variants: readonly Variant[];
  trans: TranslationBundle;
}): JSX.Element | null {
  const { variants, trans } = props;
  const remarks = variants.flatMap(variant =>
    (variant.remarks?.length ? variant.remarks : (variant.notes ?? [])).map(
      remark => ({ name: variant.name, remark: shortened(remark, 1000) })
    )
  );
  if (remarks.length === 0) {
    return null;
  }
  return (
    <ul
      className="jp-JaxprCompare-remarks"
      aria-label={trans.__('Remarks on single functions')}
    >
      {remarks.map(({ name, remark }, index) => (
        <li key={index}>
          <b>{shortened(name, 60)}</b> {remark}
        </li>
      ))}
    </ul>
  );
}
