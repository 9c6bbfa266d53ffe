/** Chooses what the panel shows, given the state of the model. */
import { IJaxprModel } from '../tokens';

/** The four kinds of content of the panel. */
export type PanelContent =
  /** A sentence with one action for the user. */
  | 'empty'
  /** The progress of a long trace or compile, without a program of an earlier run. */
  | 'running'
  /** A snapshot without a program: its message and its notes. */
  | 'message'
  | 'program';

/** Returns the kind of content that the panel shows for a state of the model. */
export function panelContent(model: IJaxprModel | null): PanelContent {
  if (model === null) {
    return 'empty';
  }
  const { snapshot, status } = model;
  if (status.kind === 'running') {
    const works = ['trace', 'lower', 'compile'].includes(status.progress.stage);
    const keeps = model.program >= 0 || model.pinned || model.paused;
    if (snapshot === null || (works && !keeps)) {
      return 'running';
    }
  }
  if (snapshot === null) {
    return 'empty';
  }
  return model.program >= 0 ? 'program' : 'message';
}
