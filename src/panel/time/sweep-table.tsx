/** The table of a sweep with copy buttons: columns if the panel is wide enough, else two lines for each point. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Snapshot, Sweep, SweepPoint } from '../../protocol/snapshot';
import { CopyTable } from '../../parts/copy-table';
import { shortened } from '../../parts/summary';
import { sweepMarkdown, sweepText } from './copied-times';
import { Choice, LONGEST_NAME } from './series';
import { IColumn, shownColumns, valueWords } from './sweep-rows';
import { LONGEST } from './words';

interface ITableProps {
  snapshot: Snapshot;
  sweep: Sweep;
  choice: Choice;
  trans: TranslationBundle;
}

export function SweepTable(props: ITableProps): JSX.Element {
  const { sweep, choice, trans } = props;
  const columns = shownColumns(sweep, choice, trans);
  const many = sweep.functions.length > 1;
  const name = shortened(sweep.name, LONGEST_NAME);
  return (
    <div className="jp-JaxprTime-points">
      <Copies {...props} />
      <table>
        <caption className="jp-JaxprTime-hidden">
          {trans.__('Sweep over %1', name)}
        </caption>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {many && (
              <th scope="col" className="jp-JaxprTime-function">
                {trans.__('function')}
              </th>
            )}
            {columns.map(column => (
              <th key={column.name} scope="col">
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sweep.points.map((point, at) => (
            <tr key={at}>
              <th scope="row">{valueWords(point)}</th>
              {many && (
                <td className="jp-JaxprTime-function">
                  {shortened(point.function, LONGEST_NAME)}
                </td>
              )}
              {point.error !== null ? (
                <td colSpan={columns.length} className="jp-JaxprTime-raised">
                  {trans.__(
                    'the call raised %1',
                    shortened(point.error, LONGEST)
                  )}
                </td>
              ) : (
                columns.map(column => (
                  <td key={column.name} className={`jp-mod-${column.name}`}>
                    {column.words(point) ?? trans.__('unknown')}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <ul
        className="jp-JaxprTime-lines"
        aria-label={trans.__('Sweep over %1', name)}
      >
        {sweep.points.map((point, at) => (
          <li key={at}>
            <TwoLines
              point={point}
              name={name}
              many={many}
              columns={columns}
              trans={trans}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Columns that do not fit into the line stand below it, with their names. */
function TwoLines(props: {
  point: SweepPoint;
  name: string;
  many: boolean;
  columns: readonly IColumn[];
  trans: TranslationBundle;
}): JSX.Element {
  const { point, name, many, columns, trans } = props;
  const head = columns.find(column => column.name === 'warm') ?? columns[0];
  const rest = columns.filter(column => column !== head);
  const words = (column: IColumn): string =>
    trans.__(
      '%1: %2',
      column.label,
      column.words(point) ?? trans.__('unknown')
    );
  return (
    <>
      <span className="jp-JaxprTime-line">
        <b>{`${name} = ${valueWords(point)}`}</b>
        {many && <span>{shortened(point.function, LONGEST_NAME)}</span>}
        {point.error === null && head !== undefined && (
          <span className="jp-JaxprTime-number">{words(head)}</span>
        )}
      </span>
      <span className="jp-JaxprTime-below">
        {point.error !== null
          ? trans.__('the call raised %1', shortened(point.error, LONGEST))
          : rest.map(words).join(' · ')}
      </span>
    </>
  );
}

function Copies(props: ITableProps): JSX.Element {
  const { snapshot, sweep, trans } = props;
  return (
    <div
      className="jp-JaxprTime-copies"
      role="group"
      aria-label={trans.__('Sweep table')}
    >
      <CopyTable
        text={() => sweepText(sweep, trans)}
        markdown={() => sweepMarkdown(snapshot, sweep, trans)}
        trans={trans}
      />
    </div>
  );
}
