/** The cells of a miss's row: the outcome of the call, the reason, the cure and the price. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { bound } from '../../model/call-counts';
import { Cures } from '../../parts/cures';
import { Bar, CellProps, Place } from './counts-and-bars';
import { changedParts } from './changed-parts';
import { Misses, countsOf, priceOf } from './functions';
import { IMissRow, IQuestionRow } from './folded-and-filtered-rows';
import { Changed, Code } from './coloured-code';
import { Sign } from './outcome-sign';
import {
  ReasonWords,
  curesOf,
  editsOf,
  hitsAfter,
  outcomeText,
  placeWords,
  priceWords,
  reasonWords,
  signature,
  stageWords
} from './words';

export function MissCells(props: CellProps<IMissRow>): JSX.Element {
  const { row, model, snapshot, largestPrice, chosen, trans } = props;
  const { misses } = row;
  const price = priceWords(misses, trans);
  const edits = editsOf(misses);
  const prices = misses.flatMap(({ miss }) => priceOf(miss) ?? []);
  return (
    <>
      <div role="gridcell" className="jp-JaxprCache-what" aria-colspan={5}>
        <Sign outcome={misses[0].miss.outcome} />
        <div>
          <MissWords
            misses={misses}
            row={row}
            priceOfEach={price.priceOfEach}
            trans={trans}
          />
          {curesOf(misses).map(cure => (
            <div key={cure} className="jp-JaxprPanel-small">
              {cure}
            </div>
          ))}
          {edits.length > 0 && (
            <Cures
              cures={edits}
              model={model}
              snapshot={snapshot}
              trans={trans}
            />
          )}
          {chosen && <Detail {...props} />}
        </div>
      </div>
      <div role="gridcell" className="jp-JaxprCache-price">
        {price.sum}
      </div>
      <Bar prices={prices} largestPrice={largestPrice} />
    </>
  );
}

/** The outcome of a call (or of several similar calls), and the reason. */
export function MissWords(props: {
  misses: Misses;
  row: IMissRow | IQuestionRow;
  priceOfEach: string;
  trans: TranslationBundle;
}): JSX.Element {
  const { misses, row, priceOfEach, trans } = props;
  const { ledgerFunction } = row.of;
  const last = misses[misses.length - 1];
  // The row of a compile shows no words for the outcome: the sign and the price already say that JAX compiled.
  const isCompiled = last.miss.outcome === 'compiled';
  // In the row of a question, the number of later hits is left out: the user guesses these hits in a separate question.
  const hits =
    misses.length > 1 || row.kind === 'question'
      ? null
      : hitsAfter(last, ledgerFunction.misses, ledgerFunction.entries);
  const asides = [
    isCompiled ? '' : outcomeText(last.miss),
    priceOfEach,
    hits === null
      ? ''
      : trans._n(
          '%2 later hit',
          '%2 later hits',
          hits,
          bound(hits, countsOf(ledgerFunction).calls_exact)
        )
  ].filter(aside => aside !== '');
  const { reasons } = last.miss;
  return (
    <>
      {/* A screen reader reads the outcome as text, because it cannot see the sign of the outcome. */}
      <span className="jp-JaxprPanel-notice">
        {isCompiled && `${outcomeText(last.miss)}: `}
      </span>
      {reasons.length === 0 && <Code text={signature(last.miss)} />}
      {reasons.map((reason, at) => (
        <div key={at} className="jp-JaxprCache-reason">
          <ReasonCells
            words={reasonWords(reason, last.miss, trans)}
            first={
              misses.length > 1
                ? reasonWords(misses[0].miss.reasons[at], misses[0].miss, trans)
                : null
            }
            times={at === 0 ? misses.length : 1}
            repeated={at > 0 && reasons[at - 1].kind === reason.kind}
          />
          {at === reasons.length - 1 && asides.length > 0 && (
            <span className="jp-JaxprPanel-second">
              {/* The separator `·` may end a line but not begin one, so a non-breaking space stands before it. */}
              {'\u00a0· '}
              {asides.join('\u00a0· ')}
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

/** The reason in separate cells: kind, path, before and after; or a kind and a sentence. */
function ReasonCells(props: {
  words: ReasonWords;
  /** The reason of the first of several similar misses, while `words` is the reason of the last; null for one miss. */
  first: ReasonWords | null;
  times: number;
  /** True if the reason above this reason is of the same kind, so that the name of the kind is not repeated. */
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
            {words.called && `${words.called} `}
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

/** The details of the chosen miss: the place of the call, its stages, its arguments. */
function Detail(props: CellProps<IMissRow>): JSX.Element {
  const { row, snapshot, goTo, trans } = props;
  const { miss } = row.misses[row.misses.length - 1];
  const place = placeWords(snapshot, miss.frame, trans);
  const stages = stageWords(miss, trans);
  const showsSignature =
    miss.reasons.length === 0 ||
    miss.reasons.some(
      reason => reasonWords(reason, miss, trans).form === 'signature'
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
      {!showsSignature && (
        <div>
          <Code text={signature(miss)} />
        </div>
      )}
    </div>
  );
}
