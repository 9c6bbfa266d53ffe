/** The stepper of a card: the button that runs the construct again, and the recording. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { AskingState } from '../../../model/request-state';
import { Control } from '../../../protocol/snapshot';
import { IJaxprModel } from '../../../tokens';
import { Asking } from './asking';
import { Recorded } from './recorded-steps';
import { constructName } from '../../../parts/construct-name';
import { useKeptFocus } from '../../../parts/keep-focus';
import { useStepping } from './use-stepping';
import { stoppingWords } from './words';

export function Stepper(props: {
  model: IJaxprModel;
  card: Control;
  /** The index of the card in the document's control_flow. */
  index: number;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { model, card, index, trans } = props;
  const stepping = useStepping(model);
  const { snapshot } = model;
  const stepper =
    snapshot === null ? null : stepping.stepperOf(snapshot, index);
  const kept = useKeptFocus(stepper?.kind ?? '');
  const announcement = useSaid(stepper, trans);
  const wanted = React.useRef(false);
  wanted.current ||= stepper?.kind === 'working';
  if (snapshot === null) {
    return null;
  }
  const recording = stepping.recordingOf(snapshot, index);
  const place = stepping.placeOf(snapshot, index);
  return (
    <section
      className="jp-JaxprStepper"
      role="group"
      aria-label={trans.__('Steps of %1', constructName(card))}
      {...kept}
    >
      <span className="jp-JaxprStepper-said" role="status">
        {announcement}
      </span>
      {recording !== null && (
        <Recorded
          key={`${snapshot.id} ${index}`}
          snapshot={snapshot}
          card={card}
          recording={recording}
          stepping={stepping}
          place={place}
          isWanted={wanted.current}
          move={where => stepping.moveTo(snapshot, index, where)}
          trans={trans}
        />
      )}
      <Asking
        model={model}
        snapshot={snapshot}
        card={card}
        index={index}
        stepping={stepping}
        again={recording !== null}
        trans={trans}
      />
    </section>
  );
}

/** The text for a screen reader: that the run began or ended, without every second of progress. */
function useSaid(
  stepper: AskingState | null,
  trans: TranslationBundle
): string {
  const [announcement, setAnnouncement] = React.useState('');
  const working = stepper?.kind === 'working';
  const stopping = stepper?.kind === 'working' && stepper.stopping;
  const ended = stepper?.kind === 'idle';
  const began = React.useRef(false);
  React.useEffect(() => {
    if (working) {
      began.current = true;
      setAnnouncement(
        stopping ? stoppingWords(trans) : trans.__('Running the steps.')
      );
    } else {
      setAnnouncement(
        began.current && ended ? trans.__('The steps are ready.') : ''
      );
      began.current = false;
    }
  }, [working, stopping, ended]);
  return announcement;
}
