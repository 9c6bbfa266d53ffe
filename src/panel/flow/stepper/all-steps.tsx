/** The table of all steps of a recording; only the visible rows are drawn. */
import { Clipboard } from '../../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IPlace } from '../../../model/stepping';
import { GOES_ON } from '../../../protocol/steps';
import { Icon } from '../../../parts/icons';
import { grouped } from '../../../quantities';
import { columnsOf, stepsTabSeparated, stepsText } from './copied-steps';
import { Walk } from './places';

/** The height of a row in pixels; the style sheet has the same value. */
const ROW = 20;
/** How many rows are drawn: the visible rows, and a few above and below. */
const WINDOW = 14;
const MARGIN = 6;
/** The width of the column of step numbers, and the space between columns, in characters. */
const FIRST = 8;
const ROOM = 2;
/** The table starts open if it has at most this many steps. */
const OPEN_UP_TO = 12;
/** The table shows at most this many columns; a copy has all. */
const MOST_COLUMNS = 30;

interface IAllStepsProps {
  walk: Walk;
  place: IPlace;
  goTo: (place: IPlace) => void;
  trans: TranslationBundle;
}

export function AllSteps(props: IAllStepsProps): JSX.Element | null {
  const { walk, place, trans } = props;
  const length = walk.lengthAt(place);
  const [open, setOpen] = React.useState(length <= OPEN_UP_TO);
  if (length < 2) {
    return null;
  }
  return (
    <details className="jp-JaxprStepper-all" open={open}>
      <summary
        onClick={event => {
          // React opens and closes the element, not the browser, because rows are only drawn while the table is open.
          event.preventDefault();
          setOpen(!open);
        }}
      >
        {walk.byCalls
          ? walk.recording.thinned !== null
            ? trans.__(
                'The %1 recorded executions of the construct',
                grouped(length)
              )
            : trans.__('All %1 executions of the construct', grouped(length))
          : length < walk.stepAt(place).of
            ? trans.__('The %1 recorded steps', grouped(length))
            : trans.__('All %1 steps', grouped(length))}
      </summary>
      {open && (
        <>
          <Copies walk={walk} trans={trans} />
          <Table {...props} length={length} />
        </>
      )}
    </details>
  );
}

function Copies(props: { walk: Walk; trans: TranslationBundle }): JSX.Element {
  const { walk, trans } = props;
  const [copied, setCopied] = React.useState('');
  const copy = (text: string, notice: string): void => {
    Clipboard.copyToSystem(text);
    setCopied(notice);
  };
  return (
    <div className="jp-JaxprStepper-copies">
      <button
        className="jp-JaxprPanel-action"
        aria-label={trans.__('Copy the steps as text')}
        title={trans.__('Copy the steps as text')}
        onClick={() =>
          copy(
            stepsText(walk, trans),
            trans.__('The steps were copied as text.')
          )
        }
      >
        <Icon name="copy" />
      </button>
      <button
        className="jp-JaxprPanel-action jp-JaxprStepper-tsv"
        aria-label={trans.__('Copy the steps for a spreadsheet')}
        title={trans.__('Copy the steps for a spreadsheet')}
        onClick={() =>
          copy(
            stepsTabSeparated(walk, trans),
            trans.__('The steps were copied for a spreadsheet.')
          )
        }
      >
        {trans.__('TSV')}
      </button>
      <span className="jp-JaxprPanel-notice" role="status">
        {copied}
      </span>
    </div>
  );
}

function Table(props: IAllStepsProps & { length: number }): JSX.Element {
  const { walk, place, goTo, length, trans } = props;
  const { recording } = walk;
  const all = React.useMemo(() => columnsOf(walk, trans), [walk, trans]);
  const columns = all.slice(0, MOST_COLUMNS);
  const goesOn =
    !walk.byCalls && recording.leaves.some(({ role }) => GOES_ON.has(role));
  const rows = length + (goesOn ? 1 : 0);
  const wide = columns.reduce((sum, { width }) => sum + width + ROOM, FIRST);
  const current = walk.positionAt(place);
  const scroller = React.useRef<HTMLDivElement>(null);
  const [top, setTop] = React.useState(0);
  const from = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const below = Math.min(rows, from + WINDOW + 2 * MARGIN);

  // Scrolls so that the step in view stays visible.
  React.useLayoutEffect(() => {
    const node = scroller.current;
    if (node === null) {
      return;
    }
    const above = current * ROW;
    const room = node.clientHeight - 2 * ROW;
    if (above < node.scrollTop) {
      node.scrollTop = above;
    } else if (above > node.scrollTop + room) {
      node.scrollTop = above - room;
    }
  }, [current, place.visit]);

  return (
    <>
      <div
        className="jp-JaxprStepper-scroller"
        ref={scroller}
        role="group"
        aria-label={trans.__('All steps')}
        tabIndex={0}
        onScroll={event => setTop(event.currentTarget.scrollTop)}
      >
        <table aria-rowcount={rows + 1} style={{ width: `${wide}ch` }}>
          <colgroup>
            <col style={{ width: `${FIRST}ch` }} />
            {columns.map(({ width }, at) => (
              <col key={at} style={{ width: `${width + ROOM}ch` }} />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">
                {walk.byCalls ? trans.__('execution') : trans.__('step')}
              </th>
              {columns.map(({ head }, at) => (
                <th key={at} scope="col">
                  <code title={head}>{head}</code>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Gap rows={from} columns={columns.length + 1} />
            {Array.from({ length: below - from }, (_, row) => {
              const at = from + row;
              const isAfter = at === length;
              const step = walk.stepAt(
                walk.placeAt(isAfter ? length - 1 : at, place)
              );
              return (
                <tr
                  key={at}
                  aria-rowindex={at + 2}
                  aria-current={!isAfter && at === current ? 'step' : undefined}
                  onClick={() => !isAfter && goTo(step.place)}
                >
                  <th scope="row">
                    {isAfter ? trans.__('at end') : grouped(step.number)}
                  </th>
                  {columns.map(({ cell }, column) => {
                    const text = cell(step.point, step.place.visit, isAfter);
                    return (
                      <td key={column} title={text}>
                        {text}
                      </td>
                    );
                  })}
                </tr>
              );
            })}
            <Gap rows={rows - below} columns={columns.length + 1} />
          </tbody>
        </table>
      </div>
      {goesOn && (
        <p className="jp-JaxprPanel-small">
          {trans.__(
            'Each row shows the carry before its step. The last row shows the carry after the last step.'
          )}
        </p>
      )}
      {all.length > MOST_COLUMNS && (
        <p className="jp-JaxprPanel-small">
          {trans._n(
            '%2 more leaf is not shown. A copy of the table holds all leaves.',
            '%2 more leaves are not shown. A copy of the table holds all leaves.',
            all.length - MOST_COLUMNS,
            grouped(all.length - MOST_COLUMNS)
          )}
        </p>
      )}
    </>
  );
}

/** The empty space in place of rows that are not drawn. */
function Gap(props: { rows: number; columns: number }): JSX.Element | null {
  return props.rows <= 0 ? null : (
    <tr aria-hidden="true" className="jp-JaxprStepper-gap">
      <td colSpan={props.columns} style={{ height: props.rows * ROW }} />
    </tr>
  );
}
