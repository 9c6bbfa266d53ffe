/** The buttons that move through a recording: back, play, on. */
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IPlace } from '../../../model/stepping';
import { Icon } from '../../../parts/icons';
import { Walk } from './places';

/** A whole walk is played in about so many milliseconds, a step in no less and no more than these. */
const WHOLE = 12_000;
const SHORTEST = 80;
const LONGEST = 700;

export function Buttons(props: {
  walk: Walk;
  place: IPlace;
  /** Go there without a word. */
  move: (place: IPlace) => void;
  /** Go there and say so. */
  goTo: (place: IPlace) => void;
  /** The play has ended here. */
  settled: (place: IPlace) => void;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { walk, place, goTo, trans } = props;
  const back = walk.beside(place, -1);
  const on = walk.beside(place, 1);
  const row = React.useRef<HTMLDivElement>(null);
  const { playing, setPlaying, calm } = usePlay(props, row);
  if (back === null && on === null) {
    return null;
  }
  const go = (where: IPlace | null): void => {
    setPlaying(false);
    if (where !== null) {
      goTo(where);
    }
  };
  const play = calm
    ? trans.__('Play is off: your system asks for less motion')
    : playing
      ? trans.__('Pause')
      : trans.__('Play');
  return (
    <div
      className="jp-JaxprStepper-buttons"
      role="group"
      aria-label={trans.__('Move between steps')}
      ref={row}
    >
      <button
        className="jp-JaxprPanel-action"
        aria-label={trans.__('Previous')}
        title={trans.__('Previous')}
        aria-disabled={back === null}
        onClick={() => go(back)}
      >
        <Icon name="previous" />
      </button>
      <button
        className="jp-JaxprPanel-action"
        aria-label={play}
        title={play}
        aria-disabled={calm}
        onClick={() => {
          if (calm) {
            return;
          }
          if (playing) {
            props.settled(place);
          } else if (on === null) {
            props.move(walk.placeAt(0, { visit: 0, offset: 0 }));
          }
          setPlaying(!playing);
        }}
      >
        <Icon name={playing ? 'pause' : 'resume'} />
      </button>
      <button
        className="jp-JaxprPanel-action"
        aria-label={trans.__('Next')}
        title={trans.__('Next')}
        aria-disabled={on === null}
        onClick={() => go(on)}
      >
        <Icon name="next" />
      </button>
    </div>
  );
}

/** Goes on by itself, until the end, until it is hidden, or where the user's system asks for less motion. */
function usePlay(
  props: {
    walk: Walk;
    place: IPlace;
    move: (place: IPlace) => void;
    settled: (place: IPlace) => void;
  },
  row: React.RefObject<HTMLElement>
): { playing: boolean; setPlaying: (on: boolean) => void; calm: boolean } {
  const { walk, place, move, settled } = props;
  const [wanted, setPlaying] = React.useState(false);
  const calm = useCalm();
  const on = walk.beside(place, 1);
  const playing = wanted && !calm;
  const { visit, offset } = place;
  React.useEffect(() => {
    if (!playing) {
      return;
    }
    const points = walk.recording.step.length;
    const timer = setTimeout(
      () => {
        if (on === null || isHidden(row.current)) {
          setPlaying(false);
          settled({ visit, offset });
        } else {
          move(on);
        }
      },
      Math.max(SHORTEST, Math.min(LONGEST, WHOLE / Math.max(1, points)))
    );
    return () => clearTimeout(timer);
  }, [playing, walk, visit, offset]);
  return { playing, setPlaying, calm };
}

function isHidden(node: HTMLElement | null): boolean {
  return (
    document.visibilityState === 'hidden' ||
    node === null ||
    (typeof node.checkVisibility === 'function' && !node.checkVisibility())
  );
}

/** Whether the user's system asks for less motion. */
function useCalm(): boolean {
  const query = React.useMemo(
    () =>
      typeof window.matchMedia === 'function'
        ? window.matchMedia('(prefers-reduced-motion: reduce)')
        : null,
    []
  );
  const [calm, setCalm] = React.useState(query?.matches ?? false);
  React.useEffect(() => {
    const listen = (event: MediaQueryListEvent): void => setCalm(event.matches);
    query?.addEventListener('change', listen);
    return () => query?.removeEventListener('change', listen);
  }, [query]);
  return calm;
}
