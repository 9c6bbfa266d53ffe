/** Shows the progress of a long request in place of its button. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { AskingState } from '../model/request-state';
import { useKeptFocus } from './keep-focus';
import { Failed, Question, Working } from './progress-and-stop';

export function Running(props: {
  state: AskingState;
  /** A short title for screen readers that names the requested answer. */
  title: string;
  stop: () => void;
  yes: () => void;
  no: () => void;
  trans: TranslationBundle;
  /** The control that starts the request; it is shown when no request is in progress. */
  children: React.ReactNode;
}): JSX.Element {
  const { state, title, stop, yes, no, trans } = props;
  const { ref, onFocus, onBlur } = useKeptFocus(state.kind);
  return (
    <div
      className="jp-JaxprTime-running"
      ref={ref as React.RefObject<HTMLDivElement>}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      {state.kind === 'working' && (
        <Working
          state={state}
          stopping={trans.__(
            'Stopping. The measurements made so far are kept.'
          )}
          stop={stop}
          trans={trans}
        />
      )}
      {state.kind === 'confirm' && (
        <Question
          question={state.question}
          title={title}
          answers={{
            yes: trans.__('Run the measurement'),
            no: trans.__('Do not run the measurement')
          }}
          yes={yes}
          no={no}
        />
      )}
      {state.kind === 'failed' && <Failed reason={state.reason} />}
      {(state.kind === 'idle' || state.kind === 'failed') && props.children}
    </div>
  );
}
