/** The cells of a row of the ledger. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { amount } from '../../model/call-counts';
import { Icon } from '../../parts/icons';
import { duration } from '../../quantities';
import { shortened } from '../../parts/summary';
import { Bar, CellProps, Count, IRowProps, Place } from './counts-and-bars';
import { countsOf, entriesOf } from './functions';
import { MissCells } from './miss-cells';
import { QuestionCells } from './guess-cells';
import {
  IEntryRow,
  IFunctionRow,
  IHeadingRow
} from './folded-and-filtered-rows';
import { Code } from './coloured-code';
import { placeWords, signature } from './words';

export function RowContent(props: IRowProps): JSX.Element {
  const { row } = props;
  switch (row.kind) {
    case 'function':
      return <FunctionCells {...props} row={row} />;
    case 'miss':
      return <MissCells {...props} row={row} />;
    case 'entry':
      return <EntryCells {...props} row={row} />;
    case 'question':
      return <QuestionCells {...props} row={row} />;
    default:
      return <HeadingCell {...props} row={row} />;
  }
}

/** The sign of a folded or unfolded row; the row's attribute states the same to a screen reader. */
function Fold({ unfolded }: { unfolded: boolean | null }): JSX.Element {
  const state = unfolded === null ? 'none' : unfolded ? 'open' : 'closed';
  return (
    <span className={`jp-JaxprCache-fold jp-mod-${state}`}>
      {unfolded !== null && <Icon name="caret" />}
    </span>
  );
}

function FunctionCells(props: CellProps<IFunctionRow>): JSX.Element {
  const { row, snapshot, largestPrice, goTo, trans } = props;
  const { ledgerFunction } = row.of;
  const counts = countsOf(ledgerFunction);
  const exact = counts.calls_exact;
  const place = placeWords(snapshot, ledgerFunction.definition, trans);
  return (
    <>
      <div role="gridcell" className="jp-JaxprCache-name">
        <Fold unfolded={row.unfolded} />
        <b title={shortened(ledgerFunction.name, 120)}>
          {shortened(ledgerFunction.name, 120)}
        </b>{' '}
        {place !== null && (
          <Place
            label={place.label}
            goes={place.place.cellId !== null}
            go={() => goTo(row)}
            trans={trans}
          />
        )}
      </div>
      <div role="none" className="jp-JaxprCache-counts">
        <Count
          of="calls"
          amount={{ value: counts.calls, exact }}
          trans={trans}
        />
        {row.hidden ? (
          <div role="gridcell" className="jp-JaxprCache-hidden">
            {trans.__('outcome not guessed yet')}
          </div>
        ) : (
          <>
            <Count
              of="hits"
              amount={{ value: counts.hits, exact }}
              trans={trans}
            />
            <Count
              of="entries"
              amount={entriesOf(ledgerFunction)}
              trans={trans}
            />
            <Count
              of="compiles"
              amount={{ value: counts.compiles, exact: true }}
              trans={trans}
            />
          </>
        )}
      </div>
      {!row.hidden && (
        <>
          <div role="gridcell" className="jp-JaxprCache-price">
            {counts.seconds > 0 ? duration(counts.seconds) : ''}
          </div>
          <Bar prices={[counts.seconds]} largestPrice={largestPrice} />
        </>
      )}
    </>
  );
}

function EntryCells(props: CellProps<IEntryRow>): JSX.Element {
  const { row, trans } = props;
  const { entry } = row;
  const exact = countsOf(row.of.ledgerFunction).calls_exact;
  const asides = [
    entry.hits === null
      ? trans.__('hits unknown')
      : amount(trans, 'hits', { value: entry.hits, exact }),
    amount(trans, 'misses', { value: entry.misses, exact: true }),
    ...(entry.fast_path ? [] : [trans.__('no fast path')]),
    ...(entry.this_run ? [trans.__('entry made in this run')] : []),
    ...(entry.held === null ? [trans.__('JAX may have dropped the entry')] : [])
  ];
  return (
    <div role="gridcell" className="jp-JaxprCache-wide" aria-colspan={6}>
      <Code text={signature(entry)} />
      <div className="jp-JaxprPanel-second">{asides.join(' · ')}</div>
    </div>
  );
}

/** A row that unfolds further rows, or that says how many rows are not shown. */
function HeadingCell(props: CellProps<IHeadingRow>): JSX.Element {
  const { row, trans } = props;
  return (
    <div role="gridcell" className="jp-JaxprCache-wide" aria-colspan={6}>
      <Fold unfolded={row.unfolded} />
      {headingWords(row, trans)}
    </div>
  );
}

function headingWords(row: IHeadingRow, trans: TranslationBundle): string {
  const { count } = row;
  switch (row.kind) {
    case 'entries':
      return trans._n('%1 cache entry', '%1 cache entries', count);
    case 'earlier':
      return trans._n('%1 earlier miss', '%1 earlier misses', count);
    case 'earlier-with-slow-hits':
      return trans._n(
        '%1 earlier miss or slow hit',
        '%1 earlier misses and slow hits',
        count
      );
    case 'functions':
      return trans._n(
        '%1 function called only in earlier runs',
        '%1 functions called only in earlier runs',
        count
      );
    case 'left-out':
      return trans._n(
        '%1 older miss or slow hit is counted but not listed.',
        '%1 older misses and slow hits are counted but not listed.',
        count
      );
    case 'unseen-functions':
      return trans._n(
        '%1 more function is not listed. Filter the table to find the function.',
        '%1 more functions are not listed. Filter the table to find a function.',
        count
      );
    case 'unseen-entries':
      return trans._n(
        '%1 more cache entry is not listed.',
        '%1 more cache entries are not listed.',
        count
      );
  }
}
