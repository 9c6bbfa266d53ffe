/** Shows a recording: the place, its values, all steps, the verdict. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IPlace, IShownStep, Stepping } from '../../../model/stepping';
import { Control, Recording, Snapshot } from '../../../protocol/snapshot';
import { AllSteps } from './all-steps';
import { Calls } from './calls';
import { dispatchKey } from '../../../view-keys';
import { readingOf } from '../cards-of-program';
import { Buttons } from './play-buttons';
import { Chart } from './step-slider';
import { equationsOfStep, shownStep } from './shown-step';
import { StepValues } from './step-values';
import { Verdict } from './verdict';
import { Steady } from '../../../parts/reserved-width';
import { Visits } from './visits';
import { IStep, Walk } from './places';
import { usePlay } from './use-play';
import { spoken, stepWords } from './words';

export function Recorded(props: {
  snapshot: Snapshot;
  card: Control;
  recording: Recording;
  stepping: Stepping;
  place: IPlace;
  /** True if the user requested the recording: then the cell shows its first step. */
  isWanted: boolean;
  move: (place: IPlace) => void;
  trans: TranslationBundle;
}): JSX.Element {
  const { card, recording, stepping, trans } = props;
  const walk = React.useMemo(
    () => new Walk(card, recording),
    [card, recording]
  );
  const place = walk.within(props.place);
  const [isWalked, setWalked] = React.useState(props.isWanted);
  const move = (where: IPlace): void => {
    setWalked(true);
    props.move(where);
  };
  /**
   * The text that a screen reader reads after a step by a button or a key; the slider announces its value by itself.
   */
  const [announcement, setAnnouncement] = React.useState('');
  const step = walk.stepAt(place);
  const say = (where: IPlace): void =>
    setAnnouncement(spoken(walk, walk.stepAt(where), trans));
  const goTo = (where: IPlace): void => {
    move(where);
    say(where);
  };
  const root = React.useRef<HTMLDivElement>(null);
  const play = usePlay({ walk, place, move, settled: say, shown: root });
  useWalk(stepping, by => {
    play.stop();
    const beside = walk.beside(place, by);
    if (beside !== null) {
      goTo(beside);
    }
  });
  useShownInCell({ ...props, walk, step, isWalked });
  const empty = step.number === 0;
  return (
    <div
      ref={root}
      onKeyDown={event => {
        // A button, a list and the head of a fold use Space themselves, so Space plays nothing there.
        const { target } = event;
        if (!(target instanceof Element) || !target.closest(PRESSED)) {
          dispatchKey(event, 'stepper', { play: play.toggle });
        }
      }}
      onBlur={({ relatedTarget }) => {
        if (
          relatedTarget instanceof Node &&
          !root.current?.contains(relatedTarget)
        ) {
          play.stop();
        }
      }}
    >
      {recording.calls && <Calls table={recording.calls} trans={trans} />}
      <div className="jp-JaxprStepper-head">
        <h3 data-step={step.number}>
          <Steady
            widest={stepWords(
              walk,
              { ...step, number: walk.mostSteps, of: walk.mostSteps },
              trans
            )}
          >
            {empty
              ? trans.__('The loop ran no step')
              : stepWords(walk, step, trans)}
          </Steady>
        </h3>
        {!step.visit.finished && (
          <span className="jp-JaxprPanel-small">
            {trans.__('recording stopped')}
          </span>
        )}
        <Buttons
          walk={walk}
          place={place}
          play={play}
          goTo={goTo}
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
        {announcement}
      </span>
    </div>
  );
}

/** The elements that Space presses, opens or folds. */
const PRESSED = 'button, select, summary, a';

/**
 * Lets the keys of a presentation move through this recording. Of several recordings, the keys move through the one
 * that was drawn last, or that the user moved in last.
 */
function useWalk(stepping: Stepping, go: (by: 1 | -1) => void): void {
  const newest = React.useRef(go);
  newest.current = go;
  React.useEffect(() => {
    const walk = (by: 1 | -1): void => newest.current(by);
    stepping.walk = walk;
    return () => {
      if (stepping.walk === walk) {
        stepping.walk = null;
      }
    };
  }, [stepping]);
}

/** The cell shows the step that the user moved to, until the stepper is removed. */
function useShownInCell(props: {
  snapshot: Snapshot;
  card: Control;
  stepping: Stepping;
  walk: Walk;
  step: IStep;
  isWalked: boolean;
  trans: TranslationBundle;
}): void {
  const { snapshot, card, stepping, walk, step, isWalked, trans } = props;
  const reading = readingOf(snapshot, card.program);
  const branch = walk.recording.branch_taken[step.point] ?? '';
  const { pages } = reading.links.equations;
  const equations = React.useMemo(
    () => equationsOfStep(reading, walk, branch),
    [reading, walk, branch, pages]
  );
  const own = React.useRef<IShownStep | null>(null);
  React.useEffect(() => {
    if (isWalked && step.number > 0) {
      own.current = {
        snapshot,
        program: card.program,
        ...shownStep(walk, step, equations, trans)
      };
      stepping.shown = own.current;
    } else if (own.current !== null && stepping.shown === own.current) {
      stepping.shown = null;
    }
  }, [walk, step.place.visit, step.place.offset, equations, isWalked]);
  React.useEffect(
    () => () => {
      if (own.current !== null && stepping.shown === own.current) {
        stepping.shown = null;
      }
    },
    [stepping]
  );
}
