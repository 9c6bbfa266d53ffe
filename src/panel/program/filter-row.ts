/** What is hidden comes in; a row of switches goes out, one for each kind of noise. */
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from './describe';
import { NOISES, NOISE_KEYS, Noise, noiseName } from './noise';
import type { ReadingTools } from './reading-tools';

export class FilterRow {
  constructor(
    private _tools: ReadingTools,
    /** Stands here where the toolbar has no room for it. */
    help: HTMLElement,
    trans: TranslationBundle
  ) {
    this.node = element('div', 'jp-JaxprProgram-filters');
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', trans.__('Hide lines'));
    this.node.append(
      element('span', 'jp-JaxprProgram-filtersTitle', trans.__('Hide'))
    );
    for (const noise of NOISES) {
      const name = noiseName(noise, trans);
      const button = element('button', 'jp-JaxprProgram-filter', name);
      button.title = trans.__('%1 (key: %2)', name, NOISE_KEYS[noise]);
      button.addEventListener('click', () => _tools.toggle(noise));
      this._buttons.set(noise, button);
      this.node.append(button);
    }
    this.node.append(help);
    this.node.hidden = true;
    _tools.filtersChanged.connect(this._show, this);
    this._show();
  }

  readonly node: HTMLElement;

  private _show(): void {
    for (const [noise, button] of this._buttons) {
      button.setAttribute(
        'aria-pressed',
        String(this._tools.hidden.has(noise))
      );
    }
  }

  private _buttons = new Map<Noise, HTMLButtonElement>();
}
