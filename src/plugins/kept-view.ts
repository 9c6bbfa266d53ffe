/** Reads which view of the panel the user chose last, so that the panel opens with this view. */
import { IStateDB } from '@jupyterlab/statedb';

import { VIEW_NAMES, ViewName } from '../panel/shell/view-names';

/** The key under which JupyterLab's state keeps the name of the view. */
export const VIEW_MEMORY = 'jupyter-jaxpr:view';

/**
 * The view that the user chose last in this workspace; without such a view, the result of `otherwise`, which gives the
 * view in the settings.
 */
export async function keptView(
  state: IStateDB,
  otherwise: Promise<ViewName>
): Promise<ViewName> {
  const kept = await state.fetch(VIEW_MEMORY).catch(() => undefined);
  return VIEW_NAMES.find(name => name === kept) ?? otherwise;
}
