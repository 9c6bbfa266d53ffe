/** The entry point of the widget's bundle: draws a widget into an element of the host. */
import { Widget } from '@lumino/widgets';

import { lackKeys } from '../view-keys';
import { WidgetModel, WidgetView } from './widget-view';

// The keys of these places need a cell of the notebook or the whole page, which a widget cannot reach.
lackKeys('cell', 'code', 'sourceCell', 'presenting');

/** Draw the widget; the returned function removes it. */
export function render(options: {
  model: WidgetModel;
  el: HTMLElement;
}): () => void {
  const { model, el } = options;
  el.classList.add('jp-JaxprWidget-place');
  const view = new WidgetView(model);
  // A host may draw the widget before the element is in the page; an editor could not measure its lines then.
  const attach = (): void => {
    if (el.isConnected && !view.isAttached && !view.isDisposed) {
      appearing.disconnect();
      Widget.attach(view, el);
    }
  };
  const appearing = new ResizeObserver(attach);
  appearing.observe(el);
  attach();
  return () => {
    appearing.disconnect();
    view.dispose();
  };
}
