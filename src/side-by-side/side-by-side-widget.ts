/** Makes the widget that shows the levels of a program side by side in the main area. */
import { MainAreaWidget } from '../host';
import type { Extension } from '@codemirror/state';
import { TranslationBundle } from '@jupyterlab/translation';

import type { IHeaderActions } from '../parts/program-header';
import { jaxprIcon } from '../parts/panel-icon';
import { WideView } from './side-by-side-view';
import type { IMemory } from './side-by-side-options';

/** The id of the only widget of this kind, which follows the notebook in front, as the panel does. */
export const WIDE_ID = 'jupyter-jaxpr-wide';

/** Makes the widget; the caller adds the widget to the shell and owns it. */
export function wideWidget(options: {
  trans: TranslationBundle;
  actions: IHeaderActions;
  memory: IMemory;
  /** Colours Python; resolves to nothing if the language is not available. */
  python: () => Promise<Extension>;
}): MainAreaWidget<WideView> {
  const { trans, actions, memory, python } = options;
  const content = new WideView({
    trans,
    actions,
    memory,
    python
  });
  const widget = new MainAreaWidget({ content });
  widget.id = WIDE_ID;
  widget.addClass('jp-JaxprPanel');
  widget.title.label = trans.__('Levels');
  widget.title.caption = trans.__('Levels of a program side by side');
  widget.title.icon = jaxprIcon;
  widget.title.closable = true;
  return widget;
}
