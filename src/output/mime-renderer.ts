/** Shows a saved snapshot, whose origin is unknown, as two lines of text that open the panel. */
import { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { Snapshot } from '../protocol/snapshot';

export const MIME_TYPE = 'application/vnd.jupyter-jaxpr.v1+json';

/** Opens the panel on a snapshot. */
export type Open = (snapshot: Snapshot) => void;

/** Makes the renderer, which is safe also in untrusted notebooks, because it inserts only text. */
export function rendererFactory(
  trans: TranslationBundle,
  open: Open | null
): IRenderMime.IRendererFactory {
  return {
    safe: true,
    mimeTypes: [MIME_TYPE],
    // The rank is lower than that of text/html, so that JupyterLab prefers this renderer; the same MIME bundle has
    // text/html for front ends without this renderer.
    defaultRank: 40,
    createRenderer: options => new JaxprOutput(options.mimeType, trans, open)
  };
}

export class JaxprOutput extends Widget implements IRenderMime.IRenderer {
  /**
   * @param _open Opens the panel; null if the application has no panel, so that the lines are no buttons.
   */
  constructor(
    private _mimeType: string,
    private _trans: TranslationBundle,
    private _open: Open | null
  ) {
    super();
    this.addClass('jp-JaxprOutput');
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const { savedOutput } = await import(
      /* webpackChunkName: "saved-output" */ './saved-value'
    );
    if (!this.isDisposed) {
      const value: unknown = model.data[this._mimeType];
      this.node.replaceChildren(savedOutput(value, this._trans, this._open));
    }
  }

  override dispose(): void {
    super.dispose();
    // JupyterLab keeps the node of an output that was closed, and the lines would keep the document.
    this.node.replaceChildren();
  }
}
