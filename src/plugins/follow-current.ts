/** Shows in a widget of the main area the model of the notebook in front. */
import { MainAreaWidget } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';

import { IJaxprModel, IJaxprTracker } from '../tokens';

/** Give the widget the current model from now on, until the widget is disposed. */
export function followCurrent(
  widget: MainAreaWidget<Widget & { model: IJaxprModel | null }>,
  tracker: IJaxprTracker
): void {
  const follow = (_: unknown, model: IJaxprModel | null): void => {
    widget.content.model = model;
  };
  tracker.currentChanged.connect(follow);
  widget.disposed.connect(() => tracker.currentChanged.disconnect(follow));
  widget.content.model = tracker.current;
}
