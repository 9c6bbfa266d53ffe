/** The row of switches of a program: kinds of noise, groups by name, lines of source. */
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../../parts/dom';
import { printedKey } from '../../view-keys';
import { NOISES, Noise, noiseName } from './noise-rules';
import type { ReadingTools } from './reading-tools';

export class FilterRow {
  constructor(
    private _tools: ReadingTools,
    /** The help button, which stands in this row if the toolbar has no room for the button. */
    help: HTMLElement,
    trans: TranslationBundle
  ) {
    this.node = element('div', 'jp-JaxprProgram-filters');
    this.node.setAttribute('role', 'group');
    this.node.setAttribute(
      'aria-label',
      trans.__('Hide lines, fold named groups, show source lines')
    );
    this.node.append(
      element('span', 'jp-JaxprProgram-filtersTitle', trans.__('Hide lines'))
    );
    for (const noise of NOISES) {
      const name = noiseName(noise, trans);
      const title = trans.__('%1 (key: %2)', name, printedKey('text', noise));
      const button = filter(name, title, () => _tools.toggle(noise));
      this._buttons.set(noise, button);
      this.node.append(button);
    }
    this._names = filter(
      trans.__('Named groups'),
      trans.__(
        'Group neighbouring equations of the same name: named scopes, vmap, jvp, transpose (key: %1)',
        printedKey('text', 'group')
      ),
      () => (_tools.grouped = !_tools.grouped)
    );
    this._source = filter(
      trans.__('Source lines'),
      trans.__(
        'Show each source line above the program lines that come from the source line (key: %1)',
        printedKey('text', 'source')
      ),
      () => (_tools.interleaved = !_tools.interleaved)
    );
    this.node.append(
      element('span', 'jp-JaxprProgram-filtersTitle', trans.__('Fold')),
      this._names,
      element('span', 'jp-JaxprProgram-filtersTitle', trans.__('Show')),
      this._source,
      help
    );
    this.node.hidden = true;
    _tools.filtersChanged.connect(this._show, this);
    this._show();
  }

  readonly node: HTMLElement;

  private _show(): void {
    this._names.setAttribute('aria-pressed', String(this._tools.grouped));
    this._source.setAttribute('aria-pressed', String(this._tools.interleaved));
    for (const [noise, button] of this._buttons) {
      button.setAttribute(
        'aria-pressed',
        String(this._tools.hidden.has(noise))
      );
    }
  }

  private _names: HTMLButtonElement;
  private _source: HTMLButtonElement;
  private _buttons = new Map<Noise, HTMLButtonElement>();
}

function filter(
  name: string,
  title: string,
  act: () => void
): HTMLButtonElement {
  const button = element('button', 'jp-JaxprProgram-filter', name);
  button.title = title;
  button.addEventListener('click', act);
  return button;
}
