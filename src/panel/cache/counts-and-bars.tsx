/** The parts that the cells of several kinds of rows share: counts with their nouns, bars of prices, links to lines. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IAmount, amount } from '../../model/call-counts';
import { Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { Guess } from './predictions';
import { Row } from './folded-and-filtered-rows';
import { Sign } from './outcome-sign';
import { countWords } from './words';

export interface IRowProps {
  row: Row;
  model: IJaxprModel;
  snapshot: Snapshot;
  /** The seconds of the most expensive function, to which the lengths of the bars are relative. */
  largestPrice: number;
  /** True if the row is chosen; a chosen row shows more details. */
  chosen: boolean;
  /** True if the Tab key stops at this row. */
  active: boolean;
  guess: (key: string, guess: Guess) => void;
  goTo: (row: Row) => void;
  trans: TranslationBundle;
}

/** The properties of the component that draws a cell of a row; `R` is the kind of the row. */
export type CellProps<R> = Omit<IRowProps, 'row'> & { row: R };

/** A count in a cell; its noun is added if the layout has no column headings. */
export function Count(props: {
  of: 'calls' | 'hits' | 'entries' | 'compiles';
  amount: IAmount;
  trans: TranslationBundle;
}): JSX.Element {
  const { of, trans } = props;
  const { value } = props.amount;
  const something = of === 'compiles' && (value ?? 0) > 0;
  return (
    <div
      role="gridcell"
      className={`jp-JaxprCache-count jp-mod-${of} ${
        something ? 'jp-mod-some' : ''
      }`}
    >
      {of === 'hits' && <Sign outcome="dispatch_only" />}
      {something && <Sign outcome="compiled" />}
      <span className={value === null ? 'jp-JaxprCache-unknown' : undefined}>
        <span className="jp-JaxprCache-number">
          {countWords(props.amount, trans)}
        </span>
        <span className="jp-JaxprCache-amount">
          {amount(trans, of, props.amount)}
        </span>
      </span>
    </div>
  );
}

/** A price as a bar, relative to the price of the most expensive function. */
export function Bar(props: {
  prices: readonly number[];
  largestPrice: number;
}): JSX.Element {
  return (
    <span className="jp-JaxprCache-bars" aria-hidden="true">
      {props.prices.map((price, at) => (
        <span
          key={at}
          style={{
            width: `${(100 * price) / Math.max(props.largestPrice, Number.MIN_VALUE)}%`
          }}
        />
      ))}
    </span>
  );
}

/** A source line as a link. The row, not the link, gets the Tab key; Enter in the row follows the link. */
export function Place(props: {
  label: string;
  goes: boolean;
  go: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  return props.goes ? (
    <button
      className="jp-JaxprCache-place"
      tabIndex={-1}
      title={props.trans.__('Go to this line')}
      onClick={event => {
        event.stopPropagation();
        props.go();
      }}
    >
      {props.label}
    </button>
  ) : (
    <span className="jp-JaxprCache-place">{props.label}</span>
  );
}
