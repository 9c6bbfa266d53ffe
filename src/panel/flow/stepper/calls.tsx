/** Shows a table of the cell's recorded calls, with the branches that each call took. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { CallBranches, CallTable } from '../../../protocol/snapshot';
import { grouped } from '../../../quantities';
import { shortened } from '../../../parts/summary';
import { LONGEST_VALUE } from './words';

/** The largest number of calls that are drawn; the kernel records fewer calls, but a saved document may have more. */
const MOST_ROWS = 50;
/** The least widths of the columns, in characters; a table of many operands scrolls in a narrow panel. */
const CALL = 9;
const COLUMN = 8;

export function Calls(props: {
  table: CallTable;
  trans: TranslationBundle;
}): JSX.Element {
  const { table, trans } = props;
  const rows = table.calls.slice(0, MOST_ROWS);
  return (
    <>
      <div className="jp-JaxprStepper-head">
        <h3>{trans.__('Calls of the cell')}</h3>
      </div>
      {rows.length > 0 && (
        <div
          className="jp-JaxprStepper-callsScroller"
          role="group"
          aria-label={trans.__('Calls of the cell')}
          tabIndex={0}
        >
          <table
            className="jp-JaxprStepper-values jp-JaxprStepper-calls"
            aria-label={trans.__('Calls of the cell and their branches')}
            style={{
              minWidth: `${CALL + COLUMN * (table.columns.length + 1)}ch`
            }}
          >
            <thead>
              <tr>
                <th scope="col">{trans.__('call')}</th>
                <th scope="col">{trans.__('branch')}</th>
                {table.columns.map((column, at) => (
                  <th scope="col" key={at}>
                    <code>{shortened(column, 80)}</code>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, at) => (
                <tr key={at}>
                  <th scope="row">
                    {row.call === 0
                      ? trans.__('unknown call')
                      : grouped(row.call)}
                  </th>
                  <td title={row.unknown ?? undefined}>
                    {branches(row, trans)}
                  </td>
                  {row.values.map((value, place) => (
                    <td key={place}>
                      <code>{shortened(value, LONGEST_VALUE)}</code>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {table.others !== null && (
        <p className="jp-JaxprPanel-small">{shortened(table.others, 1000)}</p>
      )}
    </>
  );
}

/** The branches of a call: the label alone if the call took one branch once, else with the number of times. */
function branches(row: CallBranches, trans: TranslationBundle): string {
  if (row.unknown !== null) {
    return trans.__('unknown branch');
  }
  if (row.taken.length === 0) {
    return trans.__('construct not reached');
  }
  if (row.taken.length === 1 && row.times[0] === 1) {
    return shortened(row.taken[0], 40);
  }
  return row.taken
    .slice(0, MOST_ROWS)
    .map((label, at) =>
      trans._n(
        '%2 (%3 time)',
        '%2 (%3 times)',
        row.times[at],
        shortened(label, 40),
        grouped(row.times[at])
      )
    )
    .join(', ');
}
