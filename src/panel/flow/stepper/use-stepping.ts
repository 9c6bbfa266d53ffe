/** Gives a component the stepping of a model, and draws the component again when the stepping changes. */
import * as React from 'react';

import { Stepping, steppingOf } from '../../../model/stepping';
import { IJaxprModel, ModelChange } from '../../../tokens';

export function useStepping(model: IJaxprModel): Stepping {
  const stepping = steppingOf(model);
  const [, redraw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    const onModel = (_: unknown, change: ModelChange): void => {
      // The change `status` is also emitted when a kernel can, or can no longer, answer requests.
      if (change === 'status') {
        redraw();
      }
    };
    stepping.changed.connect(redraw);
    model.changed.connect(onModel);
    return () => {
      stepping.changed.disconnect(redraw);
      model.changed.disconnect(onModel);
    };
  }, [stepping, model]);
  return stepping;
}
