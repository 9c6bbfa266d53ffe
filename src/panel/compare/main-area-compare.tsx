/** Makes the widget that shows a comparison in the main area. */
import { MainAreaWidget, ReactWidget } from '../../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { VariantComparison } from '../../protocol/snapshot';
import { jaxprIcon } from '../../parts/panel-icon';
import { Side } from './table';

let made = 0;

/** The widget of a comparison; the caller adds the widget to the shell and owns it. */
export function besideWidget(
  comparison: VariantComparison,
  trans: TranslationBundle
): MainAreaWidget {
  const content = ReactWidget.create(
    <Side comparison={comparison} open={null} trans={trans} />
  );
  content.addClass('jp-JaxprCompare');
  const widget = new MainAreaWidget({ content });
  made += 1;
  widget.id = `jupyter-jaxpr-compare-${made}`;
  widget.addClass('jp-JaxprPanel');
  const names = comparison.variants.map(({ name }) => name).join(', ');
  widget.title.label = trans.__('Compare %1', names);
  widget.title.caption = widget.title.label;
  widget.title.icon = jaxprIcon;
  widget.title.closable = true;
  return widget;
}
