/** Redraws a component when the state of Live for a notebook, or the user's settings of Live, change. */
import { ISignal } from '@lumino/signaling';
import * as React from 'react';

import { LastLevel, LiveState, liveChoice, liveOf } from '../model/live';
import type { IJaxprModel } from '../tokens';

/** The state of Live for the notebook of a model. */
export function useLiveState(model: IJaxprModel): LiveState {
  const view = liveOf(model);
  return React.useSyncExternalStore(
    React.useCallback(redraw => followed(view.changed, redraw), [view]),
    () => view.state
  );
}

/** Returns, and follows, whether Live is on and up to which level it makes texts. */
export function useLiveChoice(): { isOn: boolean; lastLevel: LastLevel } {
  return {
    isOn: React.useSyncExternalStore(onChoice, () => liveChoice.isOn),
    lastLevel: React.useSyncExternalStore(onChoice, () => liveChoice.lastLevel)
  };
}

function onChoice(redraw: () => void): () => void {
  return followed(liveChoice.changed, redraw);
}

/** Calls `redraw` after each change; returns a function that ends these calls. */
function followed<T>(
  changed: ISignal<T, void>,
  redraw: () => void
): () => void {
  const slot = () => redraw();
  changed.connect(slot);
  return () => {
    changed.disconnect(slot);
  };
}
