/**
 * A folded row with one button for each library file of the program; a button shows the file's text in the column
 * or removes it.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { ILinkedSpan, Links } from '../model/links';
import type { SourceFiles } from '../model/source-files';
import { element } from '../parts/dom';

export class LibrariesRow {
  constructor(
    private _files: SourceFiles,
    private _trans: TranslationBundle,
    /** Shows or hides the text of a library file, because the user has opened or closed the file in the list. */
    private _toggled: (path: string, isOpen: boolean) => void
  ) {
    this.node = element('details', 'jp-JaxprWide-libraries');
    this._summary = element('summary', '');
    this._list = element('div', 'jp-JaxprWide-libraryFiles');
    this.node.append(this._summary, this._list);
  }

  readonly node: HTMLDetailsElement;

  /** Draw the list of files again. */
  refresh(links: Links): void {
    const { _trans: trans } = this;
    const paths = [...links.libraries.keys()];
    this.node.hidden = paths.length === 0;
    this._summary.textContent = trans._n(
      'Calls through %1 library file',
      'Calls through %1 library files',
      paths.length
    );
    if (paths.join('\n') !== [...this._buttons.keys()].join('\n')) {
      this._buttons.clear();
      this._list.replaceChildren(...paths.map(path => this._button(path)));
    }
    for (const [path, button] of this._buttons) {
      const isOpen = this._files.isOpen(path);
      button.setAttribute('aria-pressed', String(isOpen));
      button.title = isOpen
        ? trans.__('Hide the text of %1', path)
        : trans.__('Show the text of %1', path);
      button.disabled = !isOpen && !this._files.canAsk;
    }
  }

  /** Mark the files that have lines linked to the selection. */
  mark(spans: readonly ILinkedSpan[]): void {
    const linked = new Set(spans.map(({ file }) => file.path));
    for (const [path, button] of this._buttons) {
      button.classList.toggle('jp-mod-linked', linked.has(path));
      button.textContent = linked.has(path)
        ? this._trans.__('%1 · has linked lines', shortPath(path))
        : shortPath(path);
    }
  }

  private _button(path: string): HTMLButtonElement {
    const button = element('button', '', shortPath(path));
    button.addEventListener('click', () => {
      this._files.toggle(path);
      this._toggled(path, this._files.isOpen(path));
    });
    this._buttons.set(path, button);
    return button;
  }

  private _summary: HTMLElement;
  private _list: HTMLElement;
  private _buttons = new Map<string, HTMLButtonElement>();
}

/** A path such as `jax/nn/functions.py`, without the folders in which JAX keeps its private modules. */
function shortPath(path: string): string {
  return path.replace('jax/_src/', 'jax/');
}
