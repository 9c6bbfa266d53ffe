/** The Cache view: what the misses of a run cost, in which functions they were, and their reasons. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ScreenState, screenStateOf } from '../../model/screen-state';
import { Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { VisibilityReportingWidget } from '../../parts/visibility-reporting-widget';
import { Figures } from '../../parts/bold-amounts';
import { shortened } from '../../parts/summary';
import { CostBar } from './cell-time-bar';
import { FunctionTable } from './function-table';
import { Library } from './library';
import { Guess, Guesses, scoreOf } from './predictions';
import { Toolbar } from './toolbar';
import { Order } from './functions';
import { Sign } from './outcome-sign';
import { rowsOf } from './folded-and-filtered-rows';
import { LONGEST } from './words';

/** Draws the Cache view, and draws it again when the runs or the program in view change. */
export class CacheView extends VisibilityReportingWidget {
  constructor(private _trans: TranslationBundle) {
    super(['snapshots', 'program']);
    this.addClass('jp-JaxprCache');
  }

  protected render(): JSX.Element | null {
    const { model } = this;
    if (model === null) {
      return null;
    }
    return <Cache model={model} trans={this._trans} />;
  }

  /** While this view is on screen, the notebook's cells show the counts of calls and mark the chosen row's line. */
  protected reportVisibility(screenState: ScreenState, isSeen: boolean): void {
    screenState.ledgerInView = isSeen;
  }
}

const NO_GUESSES: Guesses = new Map();

export function Cache(props: {
  model: IJaxprModel;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, trans } = props;
  const { snapshot } = model;
  const ledger = snapshot?.ledger ?? null;
  const [order, setOrder] = React.useState<Order>(null);
  const [filter, setFilter] = React.useState('');
  const [folds, setFolds] = React.useState<ReadonlyMap<string, boolean>>(
    new Map()
  );
  const [predicts, setPredicts] = React.useState(false);
  /** The user's guesses, and the document for which they were made. */
  const [made, setMade] = React.useState<{ of: string; guesses: Guesses }>({
    of: '',
    guesses: NO_GUESSES
  });
  const guesses = !predicts
    ? null
    : made.of === snapshot?.id
      ? made.guesses
      : NO_GUESSES;
  const score =
    guesses === null || ledger === null
      ? null
      : scoreOf(ledger.functions, guesses);
  const hides = score !== null && score.guessed < score.of;

  React.useEffect(() => {
    screenStateOf(model).outcomesHidden = hides;
    return () => {
      screenStateOf(model).outcomesHidden = false;
    };
  }, [model, hides]);

  if (snapshot === null || ledger === null) {
    return (
      <p className="jp-JaxprPanel-quiet">
        {model.isWritten
          ? trans.__(
              'The panel shows the program of code that has not run. Run the cell to see the cache.'
            )
          : trans.__('The jit cache was not observed in this run.')}
      </p>
    );
  }
  const arrangement = { order, filter, folds, guesses };
  const rows = rowsOf(snapshot, arrangement, trans);
  const predict = (on: boolean): void => {
    setPredicts(on);
    setMade({ of: snapshot.id, guesses: NO_GUESSES });
  };
  const guess = (key: string, value: Guess): void =>
    setMade({
      of: snapshot.id,
      guesses: new Map(guesses ?? []).set(key, value)
    });
  return (
    <>
      <p className="jp-JaxprCache-lead">
        {hides ? (
          trans.__('Guess whether each call hit or missed the cache.')
        ) : (
          <Figures text={shortened(ledger.lead ?? '', LONGEST)} />
        )}
      </p>
      {!hides && <CostBar ledger={ledger} trans={trans} />}
      {ledger.calls_note !== null && (
        <p className="jp-JaxprPanel-small jp-JaxprCache-about">
          {shortened(ledger.calls_note, LONGEST)}
        </p>
      )}
      <Toolbar
        snapshot={snapshot}
        filter={filter}
        setFilter={setFilter}
        predicts={predicts}
        setPredicts={predict}
        hides={hides}
        trans={trans}
      />
      {score !== null && (
        <p className="jp-JaxprCache-score" role="status">
          <Score score={score} trans={trans} />
        </p>
      )}
      <FunctionTable
        model={model}
        snapshot={snapshot}
        rows={rows}
        order={order}
        setOrder={setOrder}
        fold={(key, unfolded) => setFolds(new Map(folds).set(key, unfolded))}
        guess={guess}
        filter={filter}
        hides={hides}
        trans={trans}
      />
      <Legend snapshot={snapshot} trans={trans} />
      <Library ledger={ledger} trans={trans} />
    </>
  );
}

function Score(props: {
  score: ReturnType<typeof scoreOf>;
  trans: TranslationBundle;
}): JSX.Element {
  const { score, trans } = props;
  const { guessed, right, of } = score;
  if (of === 0) {
    return (
      <>{trans.__('This run has no call whose outcome you could guess.')}</>
    );
  }
  const left = of - guessed;
  return (
    <>
      {guessed > 0 && (
        <b>
          {trans._n(
            '%2 of %1 guess is right',
            '%2 of %1 guesses are right',
            guessed,
            right
          )}
        </b>
      )}
      {guessed > 0 && left > 0 && ' · '}
      {left > 0 && trans.__('outcomes left to guess: %1', left)}
    </>
  );
}

/** The legend: the meaning of the signs, and what a price is. */
function Legend(props: {
  snapshot: Snapshot;
  trans: TranslationBundle;
}): JSX.Element {
  const { trans } = props;
  return (
    <p className="jp-JaxprPanel-small jp-JaxprCache-legend">
      <span>
        <Sign outcome="compiled" />
        {trans.__('compiled')}
      </span>{' '}
      <span>
        <Sign outcome="dispatch_only" />
        {trans.__('hit')}
      </span>{' '}
      <span>
        {trans.__(
          "Compiles are counted from JAX's own events. The price is the time of tracing, lowering and compiling."
        )}
      </span>
    </p>
  );
}
