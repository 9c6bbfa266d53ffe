/** Draws the form in which the user types a sweep. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { SweepDraft, SweepField } from '../../model/timings';
import { EvaluableText } from '../../protocol/evaluable';
import { ISweepChoice } from '../../tokens';
import { shortened } from '../../parts/summary';

/** Examples of code for the empty fields of the form; code is not translated. */
const EXAMPLE = { sweep: 'n=64,256,1024', call: 'f(make(n))' };

const NOTHING = EvaluableText.ours``;

export function SweepForm(props: {
  /** The texts that the user typed. */
  draft: SweepDraft;
  /** The texts of the fields that the user did not type into. */
  filledIn: SweepDraft;
  /** True if the filled-in texts come from the argument shapes of the program. */
  fromShapes: boolean;
  /** A sentence about an earlier sweep that is not filled in; null if there is none. */
  earlier: string | null;
  type: (field: SweepField, text: EvaluableText) => void;
  /** The reason why the sweep cannot run; null if the sweep can run. */
  why: string | null;
  start: (choice: ISweepChoice) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { draft, filledIn, earlier, start, trans } = props;
  const about = React.useId();
  const fields = { ...filledIn, ...draft };
  const choice: ISweepChoice = {
    sweep: (fields.sweep ?? NOTHING).trimmed(),
    call: (fields.call ?? NOTHING).trimmed(),
    functions: (fields.functions ?? NOTHING).listed()
  };
  const why =
    props.why ??
    (choice.sweep.shown === ''
      ? trans.__('Type a name and its values, such as n=64,256,1024.')
      : choice.call.shown === ''
        ? trans.__('Type a call, such as f(make(n)).')
        : null);
  const field = (
    name: SweepField,
    label: string,
    example: string
  ): JSX.Element => (
    <label>
      <span>{label}</span>
      <input
        type="text"
        spellCheck={false}
        autoComplete="off"
        placeholder={example}
        value={(fields[name] ?? NOTHING).shown}
        onChange={event => props.type(name, EvaluableText.typed(event))}
      />
    </label>
  );
  return (
    <form
      className="jp-JaxprTime-form"
      onSubmit={event => {
        event.preventDefault();
        if (why === null) {
          start(choice);
        }
      }}
    >
      {earlier !== null && (
        <p className="jp-JaxprTime-earlier jp-JaxprPanel-small">{earlier}</p>
      )}
      {field('sweep', trans.__('Values'), EXAMPLE.sweep)}
      {field('call', trans.__('Call'), EXAMPLE.call)}
      {field(
        'functions',
        trans.__('Functions'),
        trans.__('optional functions, such as f, g')
      )}
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
            : props.fromShapes
              ? trans.__(
                  'The call is filled in from the argument shapes of the program. At each value, the sweep times a first call, warm calls and calls without jit.'
                )
              : trans.__(
                  'At each value, the sweep times a first call, warm calls and calls without jit.'
                )}
        </p>
      </div>
    </form>
  );
}
