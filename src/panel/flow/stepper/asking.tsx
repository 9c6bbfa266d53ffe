/**
 * What the stepper does for a card comes in; what the user can ask of it goes out: a button, how far it is, a question.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Stepper, Stepping } from '../../../model/stepping';
import { Control, Snapshot } from '../../../protocol/snapshot';
import { IJaxprModel } from '../../../tokens';
import { elapsed, grouped } from '../../quantities';
import { shortened } from '../../summary';
import { whyNot } from './words';

interface IAskingProps {
  model: IJaxprModel;
  snapshot: Snapshot;
  card: Control;
  index: number;
  stepping: Stepping;
  /** A recording is there already. */
  again: boolean;
  trans: TranslationBundle;
}

export function Asking(props: IAskingProps): JSX.Element {
  const { snapshot, index, stepping, trans } = props;
  const stepper = stepping.stepperOf(snapshot, index);
  const record = (confirmed: boolean): void => {
    void stepping.record(snapshot, index, confirmed);
  };
  switch (stepper.kind) {
    case 'working':
      return (
        <Working
          stepper={stepper}
          stop={() => stepping.stop(snapshot, index)}
          trans={trans}
        />
      );
    case 'confirm':
      return (
        <Question
          question={stepper.question}
          yes={() => record(true)}
          no={() => stepping.dismiss(snapshot, index)}
          trans={trans}
        />
      );
    case 'failed':
    case 'idle':
      return (
        <>
          {stepper.kind === 'failed' && (
            <p className="jp-JaxprStepper-failed" role="alert">
              {shortened(stepper.reason, 1000)}
            </p>
          )}
          <Start {...props} record={() => record(false)} />
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
        {again ? trans.__('Run it again') : trans.__('Step through it')}
      </button>
      <p id={about} className="jp-JaxprPanel-small">
        {reason !== null
          ? shortened(reason, 1000)
          : name === ''
            ? trans.__(
                'Runs the function again on the values of its last call, and records each step.'
              )
            : trans.__(
                'Runs %1 again on the values of its last call, and records each step.',
                name
              )}
      </p>
    </div>
  );
}

function Working(props: {
  stepper: Extract<Stepper, { kind: 'working' }>;
  stop: () => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { stepper, stop, trans } = props;
  const { working, stopping, since } = stepper;
  const [now, setNow] = React.useState(() => Date.now());
  React.useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const done = working?.done ?? null;
  const total = working?.total ?? null;
  return (
    <div className="jp-JaxprStepper-working">
      <p>
        {stopping
          ? trans.__('Stopping: what was recorded is kept.')
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

/** Effects would be repeated: nothing was run yet. */
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
      className="jp-JaxprStepper-question"
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
        {trans.__('Do not run it')}
      </button>
      <button className="jp-JaxprPanel-button" onClick={yes}>
        {trans.__('Run it and repeat them')}
      </button>
    </div>
  );
}
