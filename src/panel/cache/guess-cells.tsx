/** The cells of a call whose outcome the user guesses: two buttons, then the true outcome. */
import * as React from 'react';

import { CellProps } from './counts-and-bars';
import { MissWords } from './miss-cells';
import { Guess, guessKey } from './predictions';
import { IQuestionRow } from './folded-and-filtered-rows';
import { Code } from './coloured-code';
import { Sign } from './outcome-sign';
import { placeWords, priceWords, signature } from './words';

export function QuestionCells(props: CellProps<IQuestionRow>): JSX.Element {
  const { row, snapshot, active, trans } = props;
  const { question, guess } = row;
  const miss = row.of.ledgerFunction.misses[question.miss];
  const place =
    miss === undefined ? null : placeWords(snapshot, miss.frame, trans);
  const calls =
    question.calls === 1
      ? question.again
        ? trans.__('another call with the same signature')
        : trans.__('call')
      : question.again
        ? trans.__('%1 more calls with the same signature', question.calls)
        : trans.__('%1 calls', question.calls);
  const sentence = (
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
          <div>{sentence}</div>
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
            ·{' '}
            {right
              ? trans.__('your guess of hit or miss was right')
              : trans.__('your guess of hit or miss was wrong')}
          </span>
          <div>
            {miss === undefined ? (
              sentence
            ) : (
              <MissWords
                misses={[{ miss, index: question.miss }]}
                row={row}
                priceOfEach=""
                trans={trans}
              />
            )}
          </div>
        </div>
      </div>
      <div role="gridcell" className="jp-JaxprCache-price">
        {miss !== undefined &&
          priceWords([{ miss, index: question.miss }], trans).sum}
      </div>
    </>
  );
}
