/** Opens a comparison or a diff in the main area, beside the notebook. */
import { ILabShell } from '@jupyterlab/application';
import { TranslationBundle } from '@jupyterlab/translation';

import type { IDiffChoice } from '../model/diffs';
import type { VariantComparison } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';

/** Open a comparison in the main area, beside the notebook. */
export async function openBeside(
  comparison: VariantComparison,
  shell: ILabShell,
  trans: TranslationBundle
): Promise<void> {
  const { besideWidget } = await import(
    /* webpackChunkName: "panel_compare" */ '../panel/compare'
  );
  const widget = besideWidget(comparison, trans);
  shell.add(widget, 'main', { mode: 'split-right', type: 'Jaxpr' });
  shell.activateById(widget.id);
}

/** Open a diff in the main area, beside the notebook. */
export async function openDiff(
  model: IJaxprModel,
  choice: IDiffChoice,
  shell: ILabShell,
  trans: TranslationBundle
): Promise<void> {
  const { diffWidget } = await import(
    /* webpackChunkName: "panel_diff" */ '../panel/diff'
  );
  const widget = diffWidget(model, choice, trans);
  shell.add(widget, 'main', { mode: 'split-right', type: 'Jaxpr' });
  shell.activateById(widget.id);
}
