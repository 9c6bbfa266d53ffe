/** Makes the widget that shows the Transforms view in the main area. */
import { MainAreaWidget } from '../host';
import { TranslationBundle } from '@jupyterlab/translation';

import type { IHeaderActions } from '../parts/program-header';
import { jaxprIcon } from '../parts/panel-icon';
import { TransformView } from './transform-view';

/** The id of the only widget of this kind, which follows the notebook in front, as the panel does. */
export const TRANSFORMS_ID = 'jupyter-jaxpr-transforms';

/** Makes the widget; the caller adds the widget to the shell and owns it. */
export function transformWidget(options: {
  trans: TranslationBundle;
  actions: IHeaderActions;
}): MainAreaWidget<TransformView> {
  const { trans } = options;
  const widget = new MainAreaWidget({ content: new TransformView(options) });
  widget.id = TRANSFORMS_ID;
  widget.addClass('jp-JaxprPanel');
  widget.title.label = trans.__('Transforms');
  widget.title.caption = trans.__(
    'A program beside its grad, vmap, jvp and linearize'
  );
  widget.title.icon = jaxprIcon;
  widget.title.closable = true;
  return widget;
}
