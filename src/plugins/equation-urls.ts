/** Copies the address of the chosen equation, and opens an equation by its address. */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { Clipboard } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { TranslationBundle } from '@jupyterlab/translation';

import type { JaxprPanel } from '../panel/shell/panel';
import { IJaxprModel, IJaxprTracker, ModelChange } from '../tokens';

export const COPY_LINK = 'jupyter-jaxpr:copy-link';

/** Adds the command that copies a link, and opens the equation that the address of the page names. */
export function addEquationUrls(
  app: JupyterFrontEnd,
  panel: JaxprPanel,
  tracker: IJaxprTracker,
  notebooks: INotebookTracker,
  trans: TranslationBundle
): void {
  app.commands.addCommand(COPY_LINK, {
    label: trans.__('Copy Link to the Equation'),
    caption: trans.__(
      'Copy an address that opens this notebook and chooses the equation again. In a Markdown cell of this notebook, the part from # on is enough.'
    ),
    isEnabled: () => (tracker.current?.selection ?? null) !== null,
    describedBy: { args: { type: 'object', properties: {} } },
    execute: async () => {
      const model = tracker.current;
      const path = notebooks.currentWidget?.context.path;
      const { fragmentOf } = await import('../model/equation-url');
      const fragment = model && fragmentOf(model);
      if (fragment === null || path === undefined) {
        panel.notice = trans.__(
          'No equation is chosen. Click an equation, or an expression in the cell, and copy the link again.'
        );
        return;
      }
      Clipboard.copyToSystem(
        PageConfig.getUrl({
          treePath: path,
          workspace: PageConfig.defaultWorkspace
        }) + fragment
      );
      panel.notice = trans.__('The link was copied.');
    }
  });

  let followed: IJaxprModel | null = null;
  const goOn = async (): Promise<void> => {
    const model = tracker.current;
    const fragment = wanted;
    if (fragment === null || model === null) {
      return;
    }
    const { followLink, readFragment } = await import('../model/equation-url');
    const link = readFragment(fragment);
    const words = link === null ? '' : followLink(model, link, trans);
    if (words === false || wanted !== fragment) {
      return; // the page has not received a run of the equation's cell yet
    }
    wanted = null;
    if (link !== null) {
      panel.keepFocus = true;
      app.shell.activateById(panel.id);
      await panel.showView('program');
      panel.notice = words;
    }
  };
  const onChanged = (_: IJaxprModel, change: ModelChange): void => {
    if (change === 'snapshots') {
      void goOn();
    }
  };
  const follow = (): void => {
    followed?.changed.disconnect(onChanged);
    followed = tracker.current;
    followed?.changed.connect(onChanged);
    void goOn();
  };
  let wanted: string | null = fragmentNow();
  tracker.currentChanged.connect(follow);
  follow();
  window.addEventListener('hashchange', () => {
    wanted = fragmentNow() ?? wanted;
    void goOn();
  });
}

/**
 * The fragment of the page's address if it may be an address of an equation; read early, because JupyterLab removes it
 * later.
 */
function fragmentNow(): string | null {
  const { hash } = window.location;
  return hash.startsWith('#jaxpr?') ? hash : null;
}
