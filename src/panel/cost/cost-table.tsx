/**
 * The sortable table of costs; the arrow keys move between rows, and a chosen row marks its equations.
 *
 * Each row is a CSS grid with the columns of the table; in a narrow panel, a row's cells take two lines.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { COUNTED, Counted, Measure, percent } from '../../model/cost-shares';
import { shortCount } from '../../quantities';
import { useRoving } from '../../parts/arrow-key-focus';
import { CostReading, Group, IRow, Order, amountIn } from './cost-rows';
import { Source } from './python-line';
import {
  cellWords,
  groupName,
  labelOf,
  measureName,
  placeOf,
  times
} from './words';

interface ITableProps {
  reading: CostReading;
  group: Group;
  rows: readonly IRow[];
  measure: Measure;
  order: Order;
  setOrder: (order: Order) => void;
  /** The key of the row whose equations are chosen. */
  chosen: string;
  /** The keys of the rows that are linked to a selection in another view. */
  linked: ReadonlySet<string>;
  choose: (row: IRow) => void;
  goTo: (row: IRow) => void;
  trans: TranslationBundle;
}

export function CostTable(props: ITableProps): JSX.Element {
  const { group, rows, choose, goTo, trans } = props;
  const [active, setActive] = React.useState('');
  const table = React.useRef<HTMLDivElement>(null);
  const stop = rows.some(row => row.key === active) ? active : rows[0]?.key;

  const move = (row: IRow | undefined): void => {
    if (row !== undefined) {
      choose(row);
      setActive(row.key);
      table.current
        ?.querySelector<HTMLElement>(`[data-key="${row.key}"]`)
        ?.focus();
    }
  };
  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>): void => {
    const at = rows.findIndex(
      row => row.key === (event.target as HTMLElement).dataset.key
    );
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const steps: Record<string, () => void> = {
      ArrowDown: () => move(rows[at + 1]),
      ArrowUp: () => move(rows[at - 1]),
      Home: () => move(rows[0]),
      End: () => move(rows[rows.length - 1]),
      Enter: () => goTo(rows[at]),
      ' ': () => choose(rows[at])
    };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      step();
    }
  };
  const isTree = group === 'scope' || group === 'name_stack';
  return (
    <div
      ref={table}
      className="jp-JaxprCost-table"
      role={isTree ? 'treegrid' : 'grid'}
      aria-label={trans.__('Cost by %1', groupName(group, trans))}
      data-group={group}
      onKeyDown={onKeyDown}
      onFocus={event => {
        const key = event.target.dataset.key;
        if (key !== undefined) {
          setActive(key);
        }
      }}
    >
      <Heads {...props} />
      <div role="rowgroup">
        {rows.map(row => (
          <Row
            key={row.key}
            {...props}
            row={row}
            isTree={isTree}
            stops={row.key === stop}
            choose={() => {
              setActive(row.key);
              choose(row);
            }}
          />
        ))}
        {rows.length === 0 && (
          <div role="row" className="jp-JaxprCost-none">
            <div role="gridcell">
              {trans.__('The program has no equations.')}
            </div>
          </div>
        )}
      </div>
      {!isTree && rows.length > 1 && <Total {...props} />}
    </div>
  );
}

function Row(
  props: Omit<ITableProps, 'choose'> & {
    row: IRow;
    isTree: boolean;
    stops: boolean;
    choose: () => void;
  }
): JSX.Element {
  const { reading, row, rows, group, measure, isTree, trans } = props;
  const { number, where } = placeOf(reading, row, trans);
  const total = reading.total(measure);
  const amount = amountIn(row, measure);
  const most = Math.max(...rows.map(row => amountIn(row, measure)), 1);
  const share = total > 0 ? Math.min(1, amount / total) : 0;
  return (
    <div
      role="row"
      data-key={row.key}
      className="jp-JaxprCost-row"
      style={{ '--jjx-depth': row.level - 1 } as React.CSSProperties}
      tabIndex={props.stops ? 0 : -1}
      aria-level={isTree ? row.level : undefined}
      aria-selected={row.key === props.chosen}
      data-linked={props.linked.has(row.key) || undefined}
      onClick={props.choose}
      onDoubleClick={() => props.goTo(row)}
    >
      <div role="gridcell" className="jp-JaxprCost-place">
        {number}
      </div>
      <div role="gridcell" className="jp-JaxprCost-label">
        {group === 'line' ? (
          <Source text={labelOf(row)} />
        ) : (
          <code>{labelOf(row)}</code>
        )}
        {where !== '' && (
          <span className="jp-JaxprCost-where">
            {row.label === '' ? where : ` ${where}`}
          </span>
        )}
      </div>
      <Amount {...props} of="flops" />
      <div role="gridcell" className="jp-JaxprCost-how">
        {howWords(reading, row, trans)}
      </div>
      <Amount {...props} of="transcendentals" />
      <Amount {...props} of="bytes" />
      <div role="gridcell" className="jp-JaxprCost-bar">
        {amount > 0 && (
          <span
            aria-hidden="true"
            style={{ width: `${(100 * amount) / most}%` }}
          />
        )}
      </div>
      <div role="gridcell" className="jp-JaxprCost-share">
        {percent(share)}
      </div>
    </div>
  );
}

function Amount(props: {
  row: IRow;
  of: Counted;
  measure: Measure;
  trans: TranslationBundle;
}): JSX.Element {
  const { row, of, measure, trans } = props;
  const words = cellWords(row, of, trans);
  return (
    <div
      role="gridcell"
      className={`jp-JaxprCost-amount jp-mod-${of} ${
        of === measure || (of === 'flops' && measure === 'work')
          ? 'jp-mod-measure'
          : ''
      }`}
    >
      {words}
      {of === 'transcendentals' && (
        <span className="jp-JaxprCost-unit"> {trans.__('transc.')}</span>
      )}
      {of === 'flops' && row.perTrip && row.amounts.flops > 0 && (
        <span className="jp-JaxprCost-trip"> {trans.__('per step')}</span>
      )}
    </div>
  );
}

/** The operations of one execution × the number of executions: `512 × 100`, or `once`; empty if no product exists. */
function howWords(
  reading: CostReading,
  row: IRow,
  trans: TranslationBundle
): string {
  if (row.group !== 'line' || row.amounts.flops === 0) {
    return '';
  }
  const product = reading.product(reading.cost.by_line[row.index]);
  if (product === null) {
    return '';
  }
  return product.runs === 1
    ? trans.__('once')
    : `${shortCount(product.amountOfRun)} ${times(product.runs)}`;
}

/** The column headings; a click on an amount sorts the rows by it. */
function Heads(props: ITableProps): JSX.Element {
  const { group, measure, order, setOrder, trans } = props;
  const { row, stop } = useRoving();
  const next = (column: Counted): Order =>
    order?.column !== column
      ? { column, descending: true }
      : order.descending
        ? { column, descending: false }
        : null;
  const text = (name: string, words: string): JSX.Element => (
    <div
      // A column without a name gets the role of a cell, because a `columnheader` must have a text.
      role={words === '' ? 'gridcell' : 'columnheader'}
      className={`jp-JaxprCost-head jp-mod-text jp-mod-${name}`}
    >
      {words}
    </div>
  );
  const heads = COUNTED.map((column, place) => {
    const isSorted = order?.column === column;
    const name = measureName(column, trans);
    return (
      <div
        key={column}
        role="columnheader"
        className={`jp-JaxprCost-head jp-mod-${column}`}
        aria-sort={
          !isSorted ? 'none' : order.descending ? 'descending' : 'ascending'
        }
        data-measure={column === measure || undefined}
      >
        <button
          {...stop(place)}
          title={trans.__('Sort by %1', name)}
          onClick={() => setOrder(next(column))}
        >
          {name}
          <span aria-hidden="true">
            {isSorted ? (order.descending ? ' ↓' : ' ↑') : ''}
          </span>
        </button>
      </div>
    );
  });
  return (
    <div role="rowgroup">
      <div role="row" className="jp-JaxprCost-heads" {...row}>
        {text('place', group === 'primitive' ? '' : trans.__('line'))}
        {text(
          'label',
          group === 'line' ? trans.__('expression') : groupName(group, trans)
        )}
        {heads[0]}
        {text('how', group === 'line' ? trans.__('op × executions') : '')}
        {heads[1]}
        {heads[2]}
        {text('bar', '')}
        {text('share', trans.__('share'))}
      </div>
    </div>
  );
}

/** Draws the row with the sums of the whole program. */
function Total(props: ITableProps): JSX.Element {
  const { reading, measure, trans } = props;
  const { cost } = reading;
  const row: IRow = {
    key: 'total',
    group: 'primitive',
    index: -1,
    label: reading.snapshot.programs[reading.program].name,
    frame: -1,
    level: 1,
    amounts: {
      flops: reading.total('flops'),
      transcendentals: reading.total('transcendentals'),
      bytes: reading.total('bytes')
    },
    flopsLeast: cost.flops_min,
    flopsMost: Math.max(cost.flops, cost.flops_most ?? 0),
    perTrip: false, // the sentences above the table name the loops that are counted for one step only
    runs: 1
  };
  return (
    <div role="rowgroup">
      <div role="row" className="jp-JaxprCost-row jp-mod-total">
        <div role="gridcell" className="jp-JaxprCost-place" />
        <div role="gridcell" className="jp-JaxprCost-label">
          <code>{labelOf(row)}</code>
        </div>
        <Amount row={row} of="flops" measure={measure} trans={trans} />
        <div role="gridcell" className="jp-JaxprCost-how" />
        <Amount
          row={row}
          of="transcendentals"
          measure={measure}
          trans={trans}
        />
        <Amount row={row} of="bytes" measure={measure} trans={trans} />
        <div role="gridcell" className="jp-JaxprCost-bar" />
        <div role="gridcell" className="jp-JaxprCost-share" />
      </div>
    </div>
  );
}
