/** Requests a recording: a button, the progress, and a confirmation. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Stepping } from '../../../model/stepping';
import { Control, Snapshot } from '../../../protocol/snapshot';
import { IJaxprModel } from '../../../tokens';
import { Failed, Question, Working } from '../../../parts/progress-and-stop';
import { shortened } from '../../../parts/summary';
import { stoppingWords, whyNot } from './words';

interface IAskingProps {
  model: IJaxprModel;
  snapshot: Snapshot;
  card: Control;
  index: number;
  stepping: Stepping;
  /** True if the construct has a recording, so that the button records again. */
  again: boolean;
  trans: TranslationBundle;
}

export function Asking(props: IAskingProps): JSX.Element {
  const { snapshot, index, stepping, trans } = props;
  const stepper = stepping.stepperOf(snapshot, index);
  switch (stepper.kind) {
    case 'working':
      return (
        <Working
          state={stepper}
          stopping={stoppingWords(trans)}
          stop={() => stepping.stop(snapshot, index)}
          trans={trans}
        />
      );
    case 'confirm':
      return (
        <Question
          question={stepper.question}
          title={trans.__('Repeat the effects of the function?')}
          answers={{
            yes: trans.__('Run the function and repeat the effects'),
            no: trans.__('Do not run the function')
          }}
          yes={() => void stepping.confirm(snapshot, index)}
          no={() => stepping.dismiss(snapshot, index)}
        />
      );
    case 'failed':
    case 'idle':
      return (
        <>
          {stepper.kind === 'failed' && <Failed reason={stepper.reason} />}
          <Start
            {...props}
            record={() => void stepping.record(snapshot, index)}
          />
        </>
      );
  }
}

function Start(props: IAskingProps & { record: () => void }): JSX.Element {
  const { model, snapshot, card, again, trans } = props;
  const reason = whyNot(model, card.steppable, trans);
  const about = React.useId();
  const name = shortened(snapshot.programs[card.program]?.name ?? '', 60);
  return (
    <div className="jp-JaxprStepper-start">
      <button
        className="jp-JaxprPanel-button"
        aria-disabled={reason !== null}
        aria-describedby={about}
        onClick={() => reason === null && props.record()}
      >
        {again
          ? trans.__('Record the steps again')
          : trans.__('Record the steps')}
      </button>
      <p id={about} className="jp-JaxprPanel-small">
        {reason !== null
          ? shortened(reason, 1000)
          : name === ''
            ? trans.__(
                'The kernel runs the function again with the values of the last call whose values are known. The panel then shows each step.'
              )
            : trans.__(
                'The kernel runs %1 again with the values of the last call whose values are known. The panel then shows each step.',
                name
              )}
      </p>
    </div>
  );
}
