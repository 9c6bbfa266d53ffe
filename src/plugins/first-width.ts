/** Makes the panel as wide as its text needs when a person sees it for the first time. */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { IStateDB } from '@jupyterlab/statedb';
import { SplitPanel, Widget } from '@lumino/widgets';

import type { JaxprPanel } from '../panel/shell/panel';

/** JupyterLab gives a side area two ninths of the window: 300 px of a laptop's. */
const FIRST_WIDTH = 400; // in pixels

/** The key in the browser's storage that records that the panel was seen: from then on the user's own width counts. */
const SEEN = 'jupyter-jaxpr:seen';

/** Widen the side area when the panel is first shown in a workspace. */
export function widenAtFirst(
  app: JupyterFrontEnd,
  panel: JaxprPanel,
  state: IStateDB
): void {
  let restored = false;
  void app.restored.then(() => (restored = true));
  const onShown = async (): Promise<void> => {
    if (!panel.isVisible) {
      return;
    }
    // If JupyterLab restored the panel, the workspace also has a width of the panel, which stays.
    const opens = !restored;
    if ((await state.fetch(SEEN)) !== undefined) {
      return;
    }
    await state.save(SEEN, true);
    if (!opens) {
      onceSized(panel, () => widen(panel));
    }
  };
  panel.visibilityChanged.connect(onShown, panel);
}

/** Calls `then` once, when a widget has a width. */
function onceSized(widget: Widget, then: () => void): void {
  const observer = new ResizeObserver(() => {
    if (widget.node.clientWidth > 0) {
      observer.disconnect();
      then();
    }
  });
  observer.observe(widget.node);
}

/** Gives the area of a widget its first width, if the area beside it stays at least as wide. */
function widen(panel: Widget): void {
  let area = panel;
  while (area.parent !== null && !(area.parent instanceof SplitPanel)) {
    area = area.parent;
  }
  const split = area.parent;
  if (!(split instanceof SplitPanel)) {
    return;
  }
  const place = split.widgets.indexOf(area);
  const sizes = split.relativeSizes();
  // The area is wider than the panel by the area's border.
  const { width } = panel.node.getBoundingClientRect();
  const whole = area.node.getBoundingClientRect().width;
  const missing = ((FIRST_WIDTH - width) / whole) * sizes[place];
  const beside = sizes.indexOf(Math.max(...sizes));
  if (
    missing > 0 &&
    beside !== place &&
    sizes[beside] - missing >= sizes[place] + missing
  ) {
    sizes[place] += missing;
    sizes[beside] -= missing;
    split.setRelativeSizes(sizes);
  }
}
