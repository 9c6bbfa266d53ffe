/** Draws a component again when Live changes: its state for a notebook, and the user's choices. */
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

/** Follows whether Live is on, and the last text that Live makes. */
export function useLiveChoice(): { isOn: boolean; lastLevel: LastLevel } {
  return {
    isOn: React.useSyncExternalStore(onChoice, () => liveChoice.isOn),
    lastLevel: React.useSyncExternalStore(onChoice, () => liveChoice.lastLevel)
  };
}

function onChoice(redraw: () => void): () => void {
  return followed(liveChoice.changed, redraw);
}

/** Calls `redraw` after each change; returns the function that ends this. */
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
