/** Gives a component the timings of a model, and draws the component again when the timings change. */
import * as React from 'react';

import { Timings, timingsOf } from '../../model/timings';
import { IJaxprModel } from '../../tokens';

export function useTimings(model: IJaxprModel): Timings {
  const timings = timingsOf(model);
  const [, redraw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    timings.changed.connect(redraw);
    return () => {
      timings.changed.disconnect(redraw);
    };
  }, [timings]);
  return timings;
}
