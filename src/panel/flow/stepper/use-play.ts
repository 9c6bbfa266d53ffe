/**
 * Plays a recording until its end, until a pause, or until it is scrolled out of view. Nothing plays if the user's
 * system asks for less motion.
 */
import * as React from 'react';

import { Speed, playSpeed } from '../../../model/play-speed';
import { IPlace } from '../../../model/stepping';
import { Walk } from './places';

/**
 * A whole recording plays for about this many milliseconds; the next two constants limit the milliseconds of a step.
 */
const WHOLE = 12_000;
const SHORTEST = 80;
const LONGEST = 700;

export interface IPlay {
  playing: boolean;
  /** True if the user's system asks for less motion. */
  isOff: boolean;
  speed: Speed;
  setSpeed: (speed: Speed) => void;
  /** Starts playing (from the beginning if the end is shown), or pauses. */
  toggle: () => void;
  stop: () => void;
}

export function usePlay(props: {
  walk: Walk;
  place: IPlace;
  /** Moves to a position of the recording without telling screen readers. */
  move: (place: IPlace) => void;
  /** Is called with the position at which playing has ended. */
  settled: (place: IPlace) => void;
  /** The element that must be visible while the recording plays. */
  shown: React.RefObject<HTMLElement>;
}): IPlay {
  const { walk, place, move, settled, shown } = props;
  const [wanted, setWanted] = React.useState(false);
  const [speed, setSpeed] = useSpeed();
  const isOff = useLessMotion();
  const on = walk.beside(place, 1);
  const playing = wanted && !isOff;
  const { visit, offset } = place;
  React.useEffect(() => {
    if (!playing) {
      return;
    }
    const points = Math.max(1, walk.recording.step.length);
    const timer = setTimeout(
      () => {
        if (on === null || isHidden(shown.current)) {
          setWanted(false);
          settled({ visit, offset });
        } else {
          move(on);
        }
      },
      speed === 0
        ? Math.max(SHORTEST, Math.min(LONGEST, WHOLE / points))
        : 1000 / speed
    );
    return () => clearTimeout(timer);
  }, [playing, walk, visit, offset, speed]);
  const stop = (): void => {
    if (playing) {
      setWanted(false);
      settled(place);
    }
  };
  const toggle = (): void => {
    if (playing) {
      stop();
    } else if (!isOff) {
      if (on === null) {
        move(walk.placeAt(0, { visit: 0, offset: 0 }));
      }
      setWanted(true);
    }
  };
  return { playing, isOff, speed, setSpeed, toggle, stop };
}

function useSpeed(): [Speed, (speed: Speed) => void] {
  const [speed, show] = React.useState(playSpeed.speed);
  React.useEffect(() => {
    const onChanged = (): void => show(playSpeed.speed);
    playSpeed.changed.connect(onChanged);
    return () => void playSpeed.changed.disconnect(onChanged);
  }, []);
  return [
    speed,
    chosen => {
      playSpeed.speed = chosen;
    }
  ];
}

function isHidden(node: HTMLElement | null): boolean {
  return (
    document.visibilityState === 'hidden' ||
    node === null ||
    (typeof node.checkVisibility === 'function' && !node.checkVisibility())
  );
}

function useLessMotion(): boolean {
  const query = React.useMemo(
    () =>
      typeof window.matchMedia === 'function'
        ? window.matchMedia('(prefers-reduced-motion: reduce)')
        : null,
    []
  );
  const [isAsked, setAsked] = React.useState(query?.matches ?? false);
  React.useEffect(() => {
    const listen = (event: MediaQueryListEvent): void =>
      setAsked(event.matches);
    query?.addEventListener('change', listen);
    return () => query?.removeEventListener('change', listen);
  }, [query]);
  return isAsked;
}
