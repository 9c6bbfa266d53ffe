/**
 * What to sweep, as it is filled in at first, comes in; what the user makes of it goes out, once the button is pressed.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { ISweepQuestion } from '../../tokens';
import { shortened } from '../summary';

/** Code, the same in every language. */
const EXAMPLE = { sweep: 'n=64,256,1024', call: 'f(make(n))' };

export function SweepForm(props: {
  draft: ISweepQuestion;
  setDraft: (draft: ISweepQuestion) => void;
  /** The draft is ours, made of the shapes of the last call. */
  filledIn: boolean;
  /** Why it cannot be run; null where it can. */
  why: string | null;
  start: (question: ISweepQuestion) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { draft, setDraft, start, trans } = props;
  const [functions, setFunctions] = React.useState(draft.functions.join(', '));
  const about = React.useId();
  const asked: ISweepQuestion = {
    sweep: draft.sweep.trim(),
    call: draft.call.trim(),
    functions: draft.functions
  };
  const why =
    props.why ??
    (asked.sweep === ''
      ? trans.__('Say what varies, such as n=64,256,1024.')
      : asked.call === ''
        ? trans.__('Say what to call, such as f(make(n)).')
        : null);
  return (
    <form
      className="jp-JaxprTime-form"
      onSubmit={event => {
        event.preventDefault();
        if (why === null) {
          start(asked);
        }
      }}
    >
      <label>
        <span>{trans.__('Values')}</span>
        <input
          type="text"
          spellCheck={false}
          autoComplete="off"
          placeholder={EXAMPLE.sweep}
          value={draft.sweep}
          onChange={event => setDraft({ ...draft, sweep: event.target.value })}
        />
      </label>
      <label>
        <span>{trans.__('Call')}</span>
        <input
          type="text"
          spellCheck={false}
          autoComplete="off"
          placeholder={EXAMPLE.call}
          value={draft.call}
          onChange={event => setDraft({ ...draft, call: event.target.value })}
        />
      </label>
      <label>
        <span>{trans.__('Functions')}</span>
        <input
          type="text"
          spellCheck={false}
          autoComplete="off"
          placeholder={trans.__('of the call; or several: f, g')}
          value={functions}
          onChange={event => {
            setFunctions(event.target.value);
            setDraft({
              ...draft,
              functions: event.target.value
                .split(',')
                .map(one => one.trim())
                .filter(one => one !== '')
            });
          }}
        />
      </label>
      <div className="jp-JaxprTime-start">
        <button
          type="submit"
          className="jp-JaxprPanel-button"
          aria-disabled={why !== null}
          aria-describedby={about}
        >
          {trans.__('Run the sweep')}
        </button>
        <p id={about} className="jp-JaxprPanel-small">
          {why !== null
            ? shortened(why, 1000)
            : props.filledIn
              ? trans.__(
                  'Filled in from the shapes of the last call. Calls it at each value: without jit, for the first time, and warm, many times.'
                )
              : trans.__(
                  'Calls it at each value: without jit, for the first time, and warm, many times.'
                )}
        </p>
      </div>
    </form>
  );
}
