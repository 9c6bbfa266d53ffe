/**
 * Shows, for a long request, the progress with a Stop button, a question to confirm, or the reason why there is no
 * answer.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { AskingState } from '../model/request-state';
import { elapsed, grouped } from '../quantities';
import { shortened } from './summary';

const LONGEST = 1000;

export function Working(props: {
  state: Extract<AskingState, { kind: 'working' }>;
  /** A sentence on what happens to the results so far if the user stops. */
  stopping: string;
  /** True if screen readers announce the progress from this element. */
  announced?: boolean;
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
    <div className="jp-JaxprLongWork-working">
      <p role={props.announced === true ? 'status' : undefined}>
        {stopping
          ? props.stopping
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

/**
 * The question that the user must confirm before the kernel repeats effects or does long work; nothing has run yet. The
 * focus is on the button that declines.
 */
export function Question(props: {
  question: string;
  /** The label of the dialog for screen readers: a shorter form of the question. */
  title: string;
  answers: { yes: string; no: string };
  yes: () => void;
  no: () => void;
}): JSX.Element {
  const { question, title, answers, yes, no } = props;
  const text = React.useId();
  const safe = React.useRef<HTMLButtonElement>(null);
  React.useEffect(() => safe.current?.focus(), []);
  return (
    <div
      className="jp-JaxprLongWork-question"
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
        {answers.no}
      </button>
      <button className="jp-JaxprPanel-button" onClick={yes}>
        {answers.yes}
      </button>
    </div>
  );
}

/** The reason why a request failed, and what the user can do. */
export function Failed(props: { reason: string }): JSX.Element {
  return (
    <p className="jp-JaxprLongWork-failed" role="alert">
      {shortened(props.reason, LONGEST)}
    </p>
  );
}
