/**
 * How far a long request is comes in; what the user can do about it goes out: how far it is and Stop, a question, why not.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { LongState } from '../../model/long-work';
import { useKeptFocus } from '../flow/stepper/keep-focus';
import { elapsed, grouped } from '../quantities';
import { shortened } from '../summary';
import { LONGEST } from './words';

export function Running(props: {
  state: LongState;
  /** Short, for a screen reader: what the question is about. */
  title: string;
  stop: () => void;
  yes: () => void;
  no: () => void;
  trans: TranslationBundle;
  /** What starts it; there while nothing runs. */
  children: React.ReactNode;
}): JSX.Element {
  const { state, trans } = props;
  const { ref, onFocus, onBlur } = useKeptFocus(state.kind);
  return (
    <div
      className="jp-JaxprTime-running"
      ref={ref as React.RefObject<HTMLDivElement>}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      {state.kind === 'working' && (
        <Working state={state} stop={props.stop} trans={trans} />
      )}
      {state.kind === 'confirm' && (
        <Question {...props} question={state.question} />
      )}
      {state.kind === 'failed' && (
        <p className="jp-JaxprTime-failed" role="alert">
          {shortened(state.reason, LONGEST)}
        </p>
      )}
      {(state.kind === 'idle' || state.kind === 'failed') && props.children}
    </div>
  );
}

function Working(props: {
  state: Extract<LongState, { kind: 'working' }>;
  stop: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { state, stop, trans } = props;
  const { working, stopping, since } = state;
  const [now, setNow] = React.useState(() => Date.now());
  React.useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const done = working?.done ?? null;
  const total = working?.total ?? null;
  return (
    <div className="jp-JaxprTime-working">
      <p>
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
          aria-label={trans.__('%1 of %2', grouped(done), grouped(total))}
        />
      )}
      <span className="jp-JaxprPanel-small">
        {elapsed((Math.max(now, since) - since) / 1000)}
      </span>
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

/** It would repeat effects, or take long: nothing was run yet. */
function Question(props: {
  question: string;
  title: string;
  yes: () => void;
  no: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { question, title, yes, no, trans } = props;
  const text = React.useId();
  const safe = React.useRef<HTMLButtonElement>(null);
  React.useEffect(() => safe.current?.focus(), []);
  return (
    <div
      className="jp-JaxprTime-question"
      role="alertdialog"
      aria-label={title}
      aria-describedby={text}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          no();
        }
      }}
    >
      <p id={text}>{shortened(question, LONGEST)}</p>
      <button className="jp-JaxprPanel-button" ref={safe} onClick={no}>
        {trans.__('Do not run it')}
      </button>
      <button className="jp-JaxprPanel-button" onClick={yes}>
        {trans.__('Run it')}
      </button>
    </div>
  );
}
