/**
 * The programs of a run come in; which to compare, how far that is, and a question before effects are repeated go out.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Comparing, ComparingState } from '../../model/comparing';
import { Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';
import { shortArguments, shortened } from '../summary';

export function Chooser(props: {
  model: IJaxprModel;
  snapshot: Snapshot;
  comparing: Comparing;
  trans: TranslationBundle;
}): JSX.Element {
  const { model, snapshot, comparing, trans } = props;
  const [chosen, setChosen] = React.useState<readonly number[]>(() =>
    snapshot.programs.length === 2 ? [0, 1] : []
  );
  const about = React.useId();
  const state = comparing.stateOf(snapshot);
  const why =
    model.fromSaved || model.requests === null
      ? trans.__('There is no kernel to run them. Run the cell again.')
      : chosen.length < 2
        ? trans.__('Choose two or more.')
        : null;
  const toggle = (program: number): void =>
    setChosen(
      chosen.includes(program)
        ? chosen.filter(each => each !== program)
        : [...chosen, program].sort((a, b) => a - b)
    );
  const start = (confirmed: boolean): void =>
    void comparing.compare(snapshot, chosen, confirmed);
  if (state.kind === 'working') {
    return (
      <Working state={state} stop={() => comparing.stop()} trans={trans} />
    );
  }
  if (state.kind === 'confirm') {
    return (
      <Question
        question={state.question}
        yes={() => start(true)}
        no={() => comparing.dismiss()}
        trans={trans}
      />
    );
  }
  return (
    <div className="jp-JaxprCompare-chooser">
      <fieldset>
        <legend>{trans.__('Programs of this run to compare')}</legend>
        {snapshot.programs.map((program, index) => (
          <label key={index}>
            <input
              type="checkbox"
              checked={chosen.includes(index)}
              onChange={() => toggle(index)}
            />
            <span>
              <b>{shortened(program.name, 80)}</b> {shortArguments(program)}
            </span>
          </label>
        ))}
      </fieldset>
      {state.kind === 'failed' && (
        <p className="jp-JaxprCompare-failed" role="alert">
          {shortened(state.reason, 1000)}
        </p>
      )}
      <div className="jp-JaxprCompare-start">
        <button
          className="jp-JaxprPanel-button"
          aria-disabled={why !== null}
          aria-describedby={about}
          onClick={() => why === null && start(false)}
        >
          {trans.__('Compare')}
        </button>
        <p id={about} className="jp-JaxprPanel-small">
          {why ??
            trans.__(
              'Runs them again, many times, on the values of the first one’s last call.'
            )}
        </p>
      </div>
    </div>
  );
}

function Working(props: {
  state: Extract<ComparingState, { kind: 'working' }>;
  stop: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { state, stop, trans } = props;
  const { working, stopping } = state;
  const done = working?.done ?? null;
  const total = working?.total ?? null;
  return (
    <div className="jp-JaxprCompare-working">
      <p role="status">
        {stopping
          ? trans.__('Stopping: what was measured is kept.')
          : working === null
            ? trans.__('Waiting for the kernel.')
            : shortened(working.text, 200)}
      </p>
      {done !== null && total !== null && total > 0 && (
        <progress
          value={Math.min(done, total)}
          max={total}
          aria-label={trans.__('%1 of %2', done, total)}
        />
      )}
      <button
        className="jp-JaxprPanel-button"
        aria-disabled={stopping}
        onClick={() => !stopping && stop()}
      >
        {trans.__('Stop')}
      </button>
    </div>
  );
}

function Question(props: {
  question: string;
  yes: () => void;
  no: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { question, yes, no, trans } = props;
  const text = React.useId();
  const safe = React.useRef<HTMLButtonElement>(null);
  React.useEffect(() => safe.current?.focus(), []);
  return (
    <div
      className="jp-JaxprCompare-question"
      role="alertdialog"
      aria-label={trans.__('Repeat effects?')}
      aria-describedby={text}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          no();
        }
      }}
    >
      <p id={text}>{shortened(question, 1000)}</p>
      <button className="jp-JaxprPanel-button" ref={safe} onClick={no}>
        {trans.__('Do not run them')}
      </button>
      <button className="jp-JaxprPanel-button" onClick={yes}>
        {trans.__('Run them and repeat the effects')}
      </button>
    </div>
  );
}
