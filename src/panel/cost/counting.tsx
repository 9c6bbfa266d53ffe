/** The progress of the count of a program, or why there is no count and what to do. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Costs } from '../../model/costs';
import { Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { elapsed, grouped } from '../../quantities';
import { shortened } from '../../parts/summary';

export function Counted(props: {
  model: IJaxprModel;
  costs: Costs;
  snapshot: Snapshot;
  program: number;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, costs, snapshot, program, trans } = props;
  const { name, equations: count } = snapshot.programs[program];
  const counting = costs.countingOf(snapshot, program);
  if (counting.kind === 'failed') {
    return (
      <div className="jp-JaxprPanel-empty">
        <p role="alert">{shortened(counting.reason, 1000)}</p>
        {model.requests !== null && (
          <p>
            <button
              className="jp-JaxprPanel-button"
              onClick={() => void costs.count(snapshot, program)}
            >
              {trans.__('Count the operations again')}
            </button>
          </p>
        )}
      </div>
    );
  }
  if (counting.kind === 'working' || model.requests !== null) {
    return (
      <div className="jp-JaxprPanel-empty">
        <p role="status">
          {trans._n(
            'Counting the operations of %2 (%3 equation). The program does not run.',
            'Counting the operations of %2 (%3 equations). The program does not run.',
            count,
            shortened(name, 60),
            grouped(count)
          )}
        </p>
        {counting.kind === 'working' && <Since since={counting.since} />}
      </div>
    );
  }
  return (
    <div className="jp-JaxprPanel-empty">
      <h2>{trans.__('The cost of this program was not counted')}</h2>
      <p>
        {trans.__(
          'The document holds no cost of this program, and no kernel is available to count the cost. Run the cell again.'
        )}
      </p>
    </div>
  );
}

function Since({ since }: { since: number }): JSX.Element {
  const [now, setNow] = React.useState(() => Date.now());
  React.useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="jp-JaxprPanel-small">
      <progress /> {elapsed((Math.max(now, since) - since) / 1000)}
    </p>
  );
}
