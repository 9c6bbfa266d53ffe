/** Makes the view of the levels side by side for a widget. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import type { JaxprModel } from '../model/model';
import type { IHeaderActions } from '../parts/program-header';
import { wideWidget } from '../side-by-side';
import { pythonColours } from './python-colours';

export function wideIn(
  model: JaxprModel,
  actions: IHeaderActions,
  trans: TranslationBundle
): Widget {
  const widget = wideWidget({
    trans,
    actions,
    python: pythonColours,
    // The arrangement of the columns is not stored: it lasts as long as the view.
    memory: { load: async () => undefined, keep: () => undefined }
  });
  widget.content.model = model;
  return widget;
}
