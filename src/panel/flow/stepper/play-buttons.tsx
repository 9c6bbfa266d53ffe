/** The buttons that move through a recording: back, play, forward, and the speed. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { SPEEDS, Speed } from '../../../model/play-speed';
import { IPlace } from '../../../model/stepping';
import { Icon } from '../../../parts/icons';
import { Walk } from './places';
import { IPlay } from './use-play';
import { speedWords } from './words';

export function Buttons(props: {
  walk: Walk;
  place: IPlace;
  play: IPlay;
  /** Moves to a position of the recording, and announces the position to screen readers. */
  goTo: (place: IPlace) => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { walk, place, play, goTo, trans } = props;
  const back = walk.beside(place, -1);
  const on = walk.beside(place, 1);
  if (back === null && on === null) {
    return null;
  }
  const go = (where: IPlace | null): void => {
    play.stop();
    if (where !== null) {
      goTo(where);
    }
  };
  const name = play.isOff
    ? trans.__('Play is off, because your system is set to reduce motion')
    : play.playing
      ? trans.__('Pause')
      : trans.__('Play');
  const previous = walk.byCalls
    ? trans.__('Previous execution of this construct')
    : trans.__('Previous step');
  const next = walk.byCalls
    ? trans.__('Next execution of this construct')
    : trans.__('Next step');
  return (
    <div
      className="jp-JaxprStepper-buttons"
      role="group"
      aria-label={trans.__('Move between steps')}
    >
      <select
        aria-label={trans.__('Speed of Play')}
        title={trans.__('Speed of Play')}
        value={play.speed}
        onChange={event => play.setSpeed(Number(event.target.value) as Speed)}
      >
        {SPEEDS.map(speed => (
          <option key={speed} value={speed}>
            {speedWords(speed, trans)}
          </option>
        ))}
      </select>
      <button
        className="jp-JaxprPanel-action"
        aria-label={previous}
        title={previous}
        aria-disabled={back === null}
        onClick={() => go(back)}
      >
        <Icon name="previous" />
      </button>
      <button
        className="jp-JaxprPanel-action"
        aria-label={name}
        title={name}
        aria-disabled={play.isOff}
        onClick={play.toggle}
      >
        <Icon name={play.playing ? 'pause' : 'resume'} />
      </button>
      <button
        className="jp-JaxprPanel-action"
        aria-label={next}
        title={next}
        aria-disabled={on === null}
        onClick={() => go(on)}
      >
        <Icon name="next" />
      </button>
    </div>
  );
}
