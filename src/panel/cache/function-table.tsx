/**
 * The table of the ledger; its rows unfold, and the arrow keys move between the rows.
 *
 * Each row is a CSS grid with the columns of the table; in a narrow panel, a row's cells take two lines.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { screenStateOf } from '../../model/screen-state';
import { IAmount } from '../../model/call-counts';
import { hasMissesToCure, tryCures } from '../../model/cure-trials';
import { Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { duration } from '../../quantities';
import { useRoving } from '../../parts/arrow-key-focus';
import { Count, IRowProps } from './counts-and-bars';
import {
  COLUMNS,
  Column,
  Order,
  countsOf,
  nextOrder,
  totalsOf
} from './functions';
import { Guess, guessKey } from './predictions';
import { Row } from './folded-and-filtered-rows';
import { RowContent } from './row-content';
import { placeWords } from './words';

export function FunctionTable(props: {
  model: IJaxprModel;
  snapshot: Snapshot;
  rows: readonly Row[];
  order: Order;
  setOrder: (order: Order) => void;
  fold: (key: string, unfolded: boolean) => void;
  guess: (key: string, guess: Guess) => void;
  filter: string;
  hides: boolean;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, snapshot, rows, fold, guess, trans } = props;
  const [active, setActive] = React.useState('');
  const [chosen, setChosen] = React.useState('');
  const table = React.useRef<HTMLDivElement>(null);
  const stop = rows.some(row => row.key === active) ? active : rows[0]?.key;

  /** Chooses a row, and marks the row's source line in the notebook's cell. */
  const choose = (row: Row): void => {
    setActive(row.key);
    setChosen(row.key);
    const { cellId, span } =
      placeWords(snapshot, row.frame, trans)?.place ?? NOWHERE;
    if (span !== null && cellId !== null) {
      const column = Math.max(0, span.column);
      model.setSelection({ kind: 'caret', cellId, line: span.line, column });
    }
    screenStateOf(model).pointedAt = span && { ...span, role: 'own' };
    if (row.kind === 'miss' && hasMissesToCure(snapshot)) {
      // The kernel tries cures only for a limited time. A second click on the chosen row makes the kernel try the cures
      // that had no time.
      void tryCures(model, snapshot, row.key === chosen);
    }
  };
  /** Chooses a row, and moves the keyboard focus to the row's source line in the notebook's cell. */
  const goTo = (row: Row): void => {
    choose(row);
    const definition = placeWords(snapshot, row.frame, trans);
    if (definition !== null && definition.place.cellId !== null) {
      screenStateOf(model).goToCell({ ...definition.place.span, role: 'own' });
    }
  };
  const node = (key: string): HTMLElement | null =>
    [
      ...(table.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [])
    ].find(rowNode => rowNode.dataset.key === key) ?? null;
  const move = (row: Row | undefined): void => {
    if (row !== undefined) {
      choose(row);
      node(row.key)?.focus();
    }
  };

  const onKeyDown = (event: React.KeyboardEvent<HTMLElement>): void => {
    const at = rows.findIndex(
      row => row.key === (event.target as HTMLElement).dataset.key
    );
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const row = rows[at];
    const parent = (): Row | undefined =>
      rows
        .slice(0, at)
        .reverse()
        .find(earlierRow => earlierRow.level < row.level);
    switch (event.key) {
      case 'ArrowDown':
        move(rows[at + 1]);
        break;
      case 'ArrowUp':
        move(rows[at - 1]);
        break;
      case 'Home':
        move(rows[0]);
        break;
      case 'End':
        move(rows[rows.length - 1]);
        break;
      case 'ArrowRight':
        if (row.unfolded === false) {
          fold(row.key, true);
        } else if (row.unfolded) {
          move(rows[at + 1]);
        }
        break;
      case 'ArrowLeft':
        if (row.unfolded) {
          fold(row.key, false);
        } else {
          move(parent());
        }
        break;
      case 'Enter':
        if (row.frame < 0 && row.unfolded !== null) {
          fold(row.key, !row.unfolded);
        } else {
          goTo(row);
        }
        break;
      case ' ':
        if (row.unfolded !== null) {
          fold(row.key, !row.unfolded);
        }
        choose(row);
        break;
      case 'h':
      case 'm':
        if (row.kind !== 'question' || row.guess !== null) {
          return;
        }
        guess(
          guessKey(row.of.index, row.question),
          event.key === 'h' ? 'hit' : 'miss'
        );
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const largestPrice = Math.max(
    0,
    ...rows.map(row =>
      row.kind === 'function' ? countsOf(row.of.ledgerFunction).seconds : 0
    )
  );
  const shared: Omit<IRowProps, 'row' | 'chosen' | 'active'> = {
    model,
    snapshot,
    largestPrice,
    guess,
    goTo,
    trans
  };
  return (
    <div
      ref={table}
      className="jp-JaxprCache-table"
      role="treegrid"
      aria-label={trans.__('Functions')}
      onKeyDown={onKeyDown}
      onFocus={event => {
        const key = event.target.dataset.key;
        if (key !== undefined) {
          setActive(key);
        }
      }}
    >
      <Heads order={props.order} setOrder={props.setOrder} trans={trans} />
      <div role="rowgroup" className="jp-JaxprCache-rows">
        {rows.map(row => (
          <div
            key={row.key}
            role="row"
            data-key={row.key}
            data-kind={row.kind}
            data-outcome={
              row.kind === 'miss' ? row.misses[0].miss.outcome : undefined
            }
            data-this-run={
              row.kind === 'miss' ? row.misses[0].miss.this_run : undefined
            }
            className={`jp-JaxprCache-row jp-mod-${row.kind}`}
            style={{ '--jjx-depth': row.level - 1 } as React.CSSProperties}
            tabIndex={row.key === stop ? 0 : -1}
            aria-level={row.level}
            aria-expanded={row.unfolded ?? undefined}
            aria-selected={row.key === chosen}
            onClick={() => {
              choose(row);
              if (row.unfolded !== null) {
                fold(row.key, !row.unfolded);
              }
            }}
          >
            <RowContent
              {...shared}
              row={row}
              chosen={row.key === chosen}
              active={row.key === stop}
            />
          </div>
        ))}
        {rows.length === 0 && (
          <div role="row" className="jp-JaxprCache-none">
            <div role="gridcell">
              {props.filter.trim() === ''
                ? trans.__('No function that you jitted was called yet.')
                : trans.__('No row matches the filter.')}
            </div>
          </div>
        )}
      </div>
      {!props.hides && <Totals snapshot={snapshot} trans={trans} />}
    </div>
  );
}

const NOWHERE = { cellId: null, span: null };

/** The column headings; a click sorts the table by the column. */
function Heads(props: {
  order: Order;
  setOrder: (order: Order) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { order, setOrder, trans } = props;
  const { row, stop } = useRoving();
  const names: Record<Column, string> = {
    function: trans.__('function'),
    calls: trans.__('calls'),
    hits: trans.__('hits'),
    entries: trans.__('entries'),
    compiles: trans.__('compiles'),
    price: trans.__('price')
  };
  return (
    <div role="rowgroup">
      <div role="row" className="jp-JaxprCache-heads" {...row}>
        {COLUMNS.map((column, place) => {
          const sorted = order?.column === column;
          return (
            <div
              key={column}
              role="columnheader"
              className={`jp-JaxprCache-head jp-mod-${column}`}
              aria-sort={
                !sorted ? 'none' : order.descending ? 'descending' : 'ascending'
              }
            >
              <button
                {...stop(place)}
                title={trans.__('Sort by %1', names[column])}
                onClick={() => setOrder(nextOrder(order, column))}
              >
                {names[column]}
                <span aria-hidden="true">
                  {sorted ? (order.descending ? ' ↓' : ' ↑') : ''}
                </span>
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Totals(props: {
  snapshot: Snapshot;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { snapshot, trans } = props;
  const totals = snapshot.ledger ? totalsOf(snapshot.ledger) : null;
  if (totals === null || totals.functions < 2) {
    return null;
  }
  const exact = (value: number): IAmount => ({ value, exact: true });
  return (
    <div role="rowgroup">
      <div role="row" className="jp-JaxprCache-row jp-mod-total">
        <div role="gridcell" className="jp-JaxprCache-name">
          {trans._n('%1 function', '%1 functions', totals.functions)}
        </div>
        <div role="none" className="jp-JaxprCache-counts">
          <Count of="calls" amount={totals.calls} trans={trans} />
          <Count of="hits" amount={totals.hits} trans={trans} />
          <Count of="entries" amount={totals.entries} trans={trans} />
          <Count of="compiles" amount={exact(totals.compiles)} trans={trans} />
        </div>
        <div role="gridcell" className="jp-JaxprCache-price">
          {duration(totals.seconds)}
        </div>
      </div>
    </div>
  );
}
