/** Shows a sweep: how each series grows, the plot, the table. */
import { IRenderMimeRegistry } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Snapshot, Sweep } from '../../protocol/snapshot';
import { shortened } from '../../parts/summary';
import { Plot, plotting } from './plot';
import { Choice, choicesOf, growthOf, plotSentence, seriesOf } from './series';
import { SweepTable } from './sweep-table';
import { LONGEST } from './words';

export function SweepResult(props: {
  snapshot: Snapshot;
  sweep: Sweep;
  registry: IRenderMimeRegistry | null;
  trans: TranslationBundle;
}): JSX.Element {
  const { snapshot, sweep, trans } = props;
  const [wanted, setWanted] = React.useState<Choice>('time');
  const choices = React.useMemo(() => choicesOf(sweep, trans), [sweep, trans]);
  const choice =
    choices.find(entry => entry.choice === wanted)?.choice ??
    choices[0]?.choice;
  const series = React.useMemo(
    () => (choice === undefined ? [] : seriesOf(sweep, choice, trans)),
    [sweep, choice, trans]
  );
  const registry = plotting(props.registry);
  const picked = React.useId();
  const growth = choice === undefined ? [] : growthOf(sweep, choice);
  const chooser = choices.length > 1 && (
    <span>
      <label htmlFor={picked}>{trans.__('Plotted values')}</label>{' '}
      <select
        id={picked}
        value={choice}
        onChange={event => setWanted(event.target.value as Choice)}
      >
        {choices.map(entry => (
          <option key={entry.choice} value={entry.choice}>
            {entry.label}
          </option>
        ))}
      </select>
    </span>
  );
  return (
    <div className="jp-JaxprTime-sweep">
      {sweep.stopped !== null && (
        <p className="jp-JaxprTime-stopped">
          {shortened(sweep.stopped, LONGEST)}
        </p>
      )}
      {growth.length > 0 && (
        <ul
          className="jp-JaxprTime-growth"
          aria-label={trans.__('Growth of each plotted series')}
        >
          {growth.map((sentence, at) => (
            <li key={at}>{sentence}</li>
          ))}
        </ul>
      )}
      {choice !== undefined && registry !== null && (
        <Plot
          registry={registry}
          series={series}
          choice={choice}
          name={sweep.name}
          label={plotSentence(sweep, choice, series, trans)}
          trans={trans}
        >
          {chooser}
        </Plot>
      )}
      {choice !== undefined && registry === null && (
        <>
          <div className="jp-JaxprTime-choice">{chooser}</div>
          <p className="jp-JaxprPanel-small">
            {trans.__(
              'This application has no Vega-Lite renderer to draw the plot. The table has the same numbers.'
            )}
          </p>
        </>
      )}
      <SweepTable
        snapshot={snapshot}
        sweep={sweep}
        choice={choice ?? 'time'}
        trans={trans}
      />
      {sweep.notes.length > 0 && (
        <ul
          className="jp-JaxprTime-notes"
          aria-label={trans.__('About the sweep')}
        >
          {sweep.notes.map((note, at) => (
            <li key={at}>{shortened(note, LONGEST)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
