/**
 * A row of controls comes in; one stop of the Tab key, with arrows between them, goes out.
 */
import * as React from 'react';

/** Marks a control of the row. */
export const STOP = 'data-jaxpr-stop';

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  Home: () => 0,
  End: (_, last) => last
};

/** The props of the row, and of each control in it by its place. */
export function useRoving(start = 0): {
  row: {
    onKeyDown: (event: React.KeyboardEvent<HTMLElement>) => void;
    onFocus: (event: React.FocusEvent<HTMLElement>) => void;
  };
  stop: (place: number) => { tabIndex: number; [STOP]: string };
} {
  const [current, setCurrent] = React.useState(start);
  const stops = (row: HTMLElement): HTMLElement[] => [
    ...row.querySelectorAll<HTMLElement>(`[${STOP}]`)
  ];
  return {
    row: {
      onKeyDown: event => {
        const step = STEPS[event.key];
        const all = stops(event.currentTarget);
        const at = all.indexOf(document.activeElement as HTMLElement);
        if (step !== undefined && at >= 0) {
          event.preventDefault();
          all[step(at, all.length - 1)].focus();
        }
      },
      onFocus: event => {
        const at = stops(event.currentTarget).indexOf(event.target);
        if (at >= 0) {
          setCurrent(at);
        }
      }
    },
    stop: place => ({ tabIndex: place === current ? 0 : -1, [STOP]: '' })
  };
}
