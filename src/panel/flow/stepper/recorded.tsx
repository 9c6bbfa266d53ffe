/** Shows a recording: the place, its values, all steps, the verdict. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IPlace } from '../../../model/stepping';
import { Control, Recording } from '../../../protocol/snapshot';
import { AllSteps } from './all-steps';
import { Buttons } from './player';
import { Chart } from './chart';
import { StepValues } from './step-values';
import { Verdict } from './verdict';
import { Steady } from '../../../parts/steady';
import { Visits } from './visits';
import { Walk } from './places';
import { spoken, stepWords } from './words';

export function Recorded(props: {
  card: Control;
  recording: Recording;
  place: IPlace;
  move: (place: IPlace) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { card, recording, move, trans } = props;
  const walk = React.useMemo(
    () => new Walk(card, recording),
    [card, recording]
  );
  const place = walk.within(props.place);
  /** What a screen reader is told; the slider tells its value by itself. */
  const [said, setSaid] = React.useState('');
  const step = walk.stepAt(place);
  const say = (where: IPlace): void =>
    setSaid(spoken(walk, walk.stepAt(where), trans));
  const goTo = (where: IPlace): void => {
    move(where);
    say(where);
  };
  const empty = step.number === 0;
  return (
    <>
      <div className="jp-JaxprStepper-head">
        <h3 data-step={step.number}>
          <Steady
            widest={stepWords(
              walk,
              { ...step, number: walk.mostSteps, of: walk.mostSteps },
              trans
            )}
          >
            {empty ? trans.__('No step ran') : stepWords(walk, step, trans)}
          </Steady>
        </h3>
        {!step.visit.finished && (
          <span className="jp-JaxprPanel-small">{trans.__('stopped')}</span>
        )}
        <Buttons
          walk={walk}
          place={place}
          move={move}
          goTo={goTo}
          settled={say}
          trans={trans}
        />
      </div>
      {!walk.byCalls && recording.visits.length > 1 && (
        <Visits walk={walk} place={place} goTo={goTo} trans={trans} />
      )}
      {empty && (
        <p>
          {recording.visits.length === 0
            ? trans.__('The run never reached this construct.')
            : trans.__('The loop returned its inputs unchanged.')}
        </p>
      )}
      <Chart walk={walk} place={place} move={move} trans={trans} />
      <StepValues walk={walk} step={step} trans={trans} />
      <AllSteps walk={walk} place={place} goTo={goTo} trans={trans} />
      <Verdict recording={recording} trans={trans} />
      <span className="jp-JaxprStepper-said" role="status">
        {said}
      </span>
    </>
  );
}
