/**
 * A row of the ledger comes in; its cells go out.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IAmount, amount, bound } from '../../model/call-counts';
import { Snapshot } from '../../protocol/snapshot';
import { Icon } from '../icons';
import { duration } from '../quantities';
import { shortened } from '../summary';
import { changedParts } from './changed-parts';
import { Misses, countsOf, priceOf } from './functions';
import { Guess, guessKey } from './predictions';
import {
  IEntryRow,
  IFunctionRow,
  IHeadingRow,
  IMissRow,
  IQuestionRow,
  Row
} from './rows';
import { Changed, Code, Sign } from './signs';
import {
  ReasonWords,
  curesOf,
  hitsAfter,
  known,
  outcomeLabel,
  outcomeWords,
  placeWords,
  priceWords,
  reasonWords,
  signature,
  stageWords
} from './words';

export interface IRowProps {
  row: Row;
  snapshot: Snapshot;
  /** Seconds of the function that cost most; bars are drawn in parts of it. */
  dearest: number;
  /** Whether the row is the chosen one: it tells more then. */
  chosen: boolean;
  /** Whether the Tab key stops at the row. */
  active: boolean;
  guess: (key: string, guess: Guess) => void;
  goTo: (row: Row) => void;
  trans: TranslationBundle;
}

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

type Props<R> = Omit<IRowProps, 'row'> & { row: R };

/** Whether a row is unfolded; the row itself says so to a screen reader. */
function Fold({ unfolded }: { unfolded: boolean | null }): JSX.Element {
  const state = unfolded === null ? 'none' : unfolded ? 'open' : 'closed';
  return (
    <span className={`jp-JaxprCache-fold jp-mod-${state}`}>
      {unfolded !== null && <Icon name="caret" />}
    </span>
  );
}

/** A number below the head of its column; with its noun where there is none. */
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
          {known(props.amount, trans)}
        </span>
        <span className="jp-JaxprCache-amount">
          {amount(trans, of, props.amount)}
        </span>
      </span>
    </div>
  );
}

/** Prices as lengths, in parts of the dearest function's. */
function Bar(props: {
  prices: readonly number[];
  dearest: number;
}): JSX.Element {
  return (
    <span className="jp-JaxprCache-bars" aria-hidden="true">
      {props.prices.map((price, at) => (
        <span
          key={at}
          style={{
            width: `${(100 * price) / Math.max(props.dearest, Number.MIN_VALUE)}%`
          }}
        />
      ))}
    </span>
  );
}

function FunctionCells(props: Props<IFunctionRow>): JSX.Element {
  const { row, snapshot, dearest, goTo, trans } = props;
  const { one } = row.of;
  const counts = countsOf(one);
  const exact = counts.calls_exact;
  const place = placeWords(snapshot, one.definition, trans);
  return (
    <>
      <div role="gridcell" className="jp-JaxprCache-name">
        <Fold unfolded={row.unfolded} />
        <b>{shortened(one.name, 120)}</b>{' '}
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
            {trans.__('to guess')}
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
              amount={{ value: one.entries.length, exact: true }}
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
          <Bar prices={[counts.seconds]} dearest={dearest} />
        </>
      )}
    </>
  );
}

/** A line that one can go to. The row is the stop of the Tab key; Enter does the same there. */
function Place(props: {
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

function MissCells(props: Props<IMissRow>): JSX.Element {
  const { row, dearest, chosen, trans } = props;
  const { misses } = row;
  const price = priceWords(misses, trans);
  const prices = misses.flatMap(({ one }) => priceOf(one) ?? []);
  return (
    <>
      <div role="gridcell" className="jp-JaxprCache-what" aria-colspan={5}>
        <Sign outcome={misses[0].one.outcome} />
        <div>
          <MissWords
            misses={misses}
            row={row}
            each={price.each}
            trans={trans}
          />
          {curesOf(misses).map(cure => (
            <div key={cure} className="jp-JaxprPanel-small">
              {cure}
            </div>
          ))}
          {chosen && <Detail {...props} />}
        </div>
      </div>
      <div role="gridcell" className="jp-JaxprCache-price">
        {price.sum}
      </div>
      <Bar prices={prices} dearest={dearest} />
    </>
  );
}

/** What became of a call, or of several alike, and why. */
function MissWords(props: {
  misses: Misses;
  row: IMissRow | IQuestionRow;
  each: string;
  trans: TranslationBundle;
}): JSX.Element {
  const { misses, row, each, trans } = props;
  const { one } = row.of;
  const last = misses[misses.length - 1];
  const outcome = outcomeWords(last.one.outcome, trans);
  // The hits after a guessed call are a question of their own.
  const hits =
    misses.length > 1 || row.kind === 'question'
      ? null
      : hitsAfter(last, one.misses, one.entries);
  const asides = [
    outcome,
    each,
    hits === null
      ? ''
      : trans._n(
          'then %2 hit',
          'then %2 hits',
          hits,
          bound(hits, countsOf(one).calls_exact)
        )
  ].filter(aside => aside !== '');
  const { reasons } = last.one;
  return (
    <>
      {/* For a screen reader; the sign says it to the eye. */}
      <span className="jp-JaxprPanel-notice">
        {outcome === '' && `${outcomeLabel(last.one.outcome, trans)}: `}
      </span>
      {reasons.length === 0 && <Code text={signature(last.one)} />}
      {reasons.map((reason, at) => (
        <div key={at} className="jp-JaxprCache-reason">
          <ReasonCells
            words={reasonWords(reason, last.one, one.name, trans)}
            first={
              misses.length > 1
                ? reasonWords(
                    misses[0].one.reasons[at],
                    misses[0].one,
                    one.name,
                    trans
                  )
                : null
            }
            times={at === 0 ? misses.length : 1}
            repeated={at > 0 && reasons[at - 1].kind === reason.kind}
          />
          {at === reasons.length - 1 && asides.length > 0 && (
            <span className="jp-JaxprPanel-second">
              {' '}
              · {asides.join(' · ')}
            </span>
          )}
        </div>
      ))}
      {reasons.length === 0 && asides.length > 0 && (
        <span className="jp-JaxprPanel-second"> · {asides.join(' · ')}</span>
      )}
    </>
  );
}

/** Kind, path, before and after; or a kind and a sentence. */
function ReasonCells(props: {
  words: ReasonWords;
  /** Of the first of several alike, of which `words` are those of the last. */
  first: ReasonWords | null;
  times: number;
  /** The line above has the same kind. */
  repeated: boolean;
}): JSX.Element {
  const { words, first, times, repeated } = props;
  const kind = (
    <span className={repeated ? 'jp-JaxprCache-repeated' : undefined}>
      {words.kind}
      {times > 1 && ` × ${times}`}{' '}
    </span>
  );
  switch (words.form) {
    case 'change':
      return (
        <>
          {kind}
          <code>
            <b>{words.argument}</b>:{' '}
          </code>
          <span className="jp-JaxprCache-change">
            {first?.form === 'change' && (
              <>
                <Change {...first} />
                <code> … </code>
              </>
            )}
            <Change {...words} />
          </span>
        </>
      );
    case 'signature':
      return (
        <>
          {kind}
          <Code text={words.signature} />
        </>
      );
    case 'sentence':
      return (
        <>
          {kind}
          <span className="jp-JaxprPanel-second">{words.sentence}</span>
        </>
      );
  }
}

function Change(props: { before: string; after: string }): JSX.Element {
  const parts = changedParts(props.before, props.after);
  return (
    <>
      <Changed parts={parts.before} />
      <code> → </code>
      <Changed parts={parts.after} />
    </>
  );
}

/** Of the chosen miss: where it was called, its stages, and with what. */
function Detail(props: Props<IMissRow>): JSX.Element {
  const { row, snapshot, goTo, trans } = props;
  const { one } = row.of;
  const { one: miss } = row.misses[row.misses.length - 1];
  const place = placeWords(snapshot, miss.frame, trans);
  const stages = stageWords(miss, trans);
  const said =
    miss.reasons.length === 0 ||
    miss.reasons.some(
      reason => reasonWords(reason, miss, one.name, trans).form === 'signature'
    );
  return (
    <div className="jp-JaxprPanel-small jp-JaxprCache-detail">
      {place !== null && (
        <Place
          label={place.label}
          goes={place.place.cellId !== null}
          go={() => goTo(row)}
          trans={trans}
        />
      )}
      {place !== null && stages !== '' && ' · '}
      {stages}
      {!said && (
        <div>
          <Code text={signature(miss)} />
        </div>
      )}
    </div>
  );
}

function EntryCells(props: Props<IEntryRow>): JSX.Element {
  const { row, trans } = props;
  const { entry } = row;
  const exact = countsOf(row.of.one).calls_exact;
  const asides = [
    entry.hits === null
      ? trans.__('hits unknown')
      : amount(trans, 'hits', { value: entry.hits, exact }),
    amount(trans, 'misses', { value: entry.misses, exact: true }),
    ...(entry.fast_path ? [] : [trans.__('no fast path')]),
    ...(entry.this_run ? [trans.__('made in this run')] : [])
  ];
  return (
    <div role="gridcell" className="jp-JaxprCache-wide" aria-colspan={6}>
      <Code text={signature(entry)} />
      <span className="jp-JaxprPanel-second"> · {asides.join(' · ')}</span>
    </div>
  );
}

function QuestionCells(props: Props<IQuestionRow>): JSX.Element {
  const { row, snapshot, active, trans } = props;
  const { question, guess } = row;
  const miss = row.of.one.misses[question.miss];
  const place =
    miss === undefined ? null : placeWords(snapshot, miss.frame, trans);
  const calls =
    question.calls === 1
      ? question.again
        ? trans.__('again')
        : trans.__('call')
      : question.again
        ? trans.__('%1 times again', question.calls)
        : trans.__('%1 more', question.calls);
  const asked = (
    <>
      {calls} <Code text={signature(question)} />
      {place !== null && (
        <span className="jp-JaxprPanel-second"> · {place.label}</span>
      )}
    </>
  );
  if (guess === null) {
    const choose = (value: Guess): JSX.Element => (
      <button
        className="jp-JaxprPanel-button"
        tabIndex={active ? 0 : -1}
        aria-keyshortcuts={value === 'hit' ? 'h' : 'm'}
        onClick={event => {
          event.stopPropagation();
          props.guess(guessKey(row.of.index, question), value);
        }}
      >
        {value === 'hit' ? trans.__('hit') : trans.__('miss')}
      </button>
    );
    return (
      <>
        <div role="gridcell" className="jp-JaxprCache-what" aria-colspan={5}>
          <span className="jp-JaxprCache-sign jp-mod-hidden" />
          <div>{asked}</div>
        </div>
        <div role="gridcell" className="jp-JaxprCache-guess">
          {choose('hit')} {choose('miss')}
        </div>
      </>
    );
  }
  const right = guess === question.answer;
  return (
    <>
      <div role="gridcell" className="jp-JaxprCache-what" aria-colspan={5}>
        <Sign outcome={miss?.outcome ?? 'dispatch_only'} />
        <div>
          <b>
            {question.answer === 'hit' ? trans.__('hit') : trans.__('miss')}
          </b>
          <span className="jp-JaxprPanel-second">
            {' '}
            · {right ? trans.__('you were right') : trans.__('you were wrong')}
          </span>
          <div>
            {miss === undefined ? (
              asked
            ) : (
              <MissWords
                misses={[{ one: miss, index: question.miss }]}
                row={row}
                each=""
                trans={trans}
              />
            )}
          </div>
        </div>
      </div>
      <div role="gridcell" className="jp-JaxprCache-price">
        {miss !== undefined &&
          priceWords([{ one: miss, index: question.miss }], trans).sum}
      </div>
    </>
  );
}

/** A line that unfolds, or that says what is not shown. */
function HeadingCell(props: Props<IHeadingRow>): JSX.Element {
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
      return trans._n('%1 entry', '%1 entries', count);
    case 'earlier':
      return trans._n('%1 earlier miss', '%1 earlier misses', count);
    case 'functions':
      return trans._n(
        '%1 function of earlier runs',
        '%1 functions of earlier runs',
        count
      );
    case 'left-out':
      return trans._n(
        '%1 older miss is counted and not kept',
        '%1 older misses are counted and not kept',
        count
      );
    case 'unseen':
      return trans.__('%1 more: filter to find them', count);
  }
}
