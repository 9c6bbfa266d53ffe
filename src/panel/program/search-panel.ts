/**
 * The editor's search comes in; a line above the program goes out: what is sought, which of how many, next, previous.
 */
// This module is itself fetched when a program is first shown.
// eslint-disable-next-line jupyter/prefer-lazy-imports
import {
  SearchQuery,
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  setSearchQuery
} from '@codemirror/search';
import type { EditorView, Panel, ViewUpdate } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { drawIcon } from './icons';

/** Counting stops here: it is a hint, and a large text has no end of matches. */
const MOST_COUNTED = 99999;

/** Makes the search line of an editor. */
export function searchPanel(
  trans: TranslationBundle,
  events: { allWanted(): void }
): (view: EditorView) => Panel {
  return view => new SearchPanel(view, trans, events);
}

class SearchPanel implements Panel {
  constructor(
    private _view: EditorView,
    private _trans: TranslationBundle,
    events: { allWanted(): void }
  ) {
    this.dom = document.createElement('div');
    this.dom.className = 'jp-JaxprProgram-search';
    this.dom.setAttribute('role', 'search');
    this.dom.addEventListener('keydown', event => this._key(event));
    this._input = document.createElement('input');
    this._input.type = 'text';
    this._input.className = 'jp-JaxprProgram-sought';
    this._input.spellcheck = false;
    // CodeMirror puts the focus on this when the panel opens.
    this._input.setAttribute('main-field', 'true');
    this._input.setAttribute('aria-label', _trans.__('Find in program'));
    this._input.placeholder = _trans.__('Find');
    this._input.addEventListener('input', () => this._commit());
    this._case = this._toggle('Aa', _trans.__('Match case'));
    this._regexp = this._toggle('.*', _trans.__('Regular expression'));
    this._count = document.createElement('span');
    this._count.className = 'jp-JaxprProgram-count';
    this._count.setAttribute('role', 'status');
    this.dom.append(
      this._input,
      this._case,
      this._regexp,
      this._count,
      this._button('up', _trans.__('Previous match'), () =>
        findPrevious(_view)
      ),
      this._button('down', _trans.__('Next match'), () => findNext(_view)),
      this._button('close', _trans.__('Close search'), () => {
        closeSearchPanel(_view);
        _view.focus();
      })
    );
    this._show(getSearchQuery(_view.state));
    events.allWanted();
  }

  readonly dom: HTMLElement;
  readonly top = true;

  mount(): void {
    this._input.select();
  }

  update(update: ViewUpdate): void {
    for (const transaction of update.transactions) {
      for (const effect of transaction.effects) {
        if (effect.is(setSearchQuery)) {
          this._show(effect.value);
        }
      }
    }
    if (update.docChanged) {
      this._matches = null;
    }
    if (update.docChanged || update.selectionSet) {
      this._showCount();
    }
  }

  destroy(): void {
    window.clearTimeout(this._timer);
  }

  private _show(query: SearchQuery): void {
    if (this._input.value !== query.search) {
      this._input.value = query.search;
    }
    this._case.setAttribute('aria-pressed', String(query.caseSensitive));
    this._regexp.setAttribute('aria-pressed', String(query.regexp));
    this._matches = null;
    this._showCount();
  }

  private _commit(): void {
    const query = new SearchQuery({
      search: this._input.value,
      caseSensitive: this._case.getAttribute('aria-pressed') === 'true',
      regexp: this._regexp.getAttribute('aria-pressed') === 'true',
      literal: true
    });
    this._view.dispatch({ effects: setSearchQuery.of(query) });
  }

  /** Counting waits until the typing stops: it reads the whole text. */
  private _showCount(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => {
      const query = getSearchQuery(this._view.state);
      if (!query.search) {
        this._count.textContent = '';
        return;
      }
      if (!query.valid) {
        this._count.textContent = this._trans.__('not a valid pattern');
        return;
      }
      const matches = (this._matches ??= this._find(query));
      const { from, to } = this._view.state.selection.main;
      const at = matches.findIndex(
        match => match.from === from && match.to === to
      );
      const total =
        matches.length > MOST_COUNTED
          ? `${MOST_COUNTED}+`
          : String(matches.length);
      this._count.textContent =
        matches.length === 0
          ? this._trans.__('none')
          : at < 0
            ? total
            : this._trans.__('%1 of %2', at + 1, total);
    }, 60);
  }

  private _find(query: SearchQuery): { from: number; to: number }[] {
    const matches: { from: number; to: number }[] = [];
    const cursor = query.getCursor(this._view.state);
    for (
      let next = cursor.next();
      !next.done && matches.length <= MOST_COUNTED;
      next = cursor.next()
    ) {
      matches.push({ from: next.value.from, to: next.value.to });
    }
    return matches;
  }

  private _key(event: KeyboardEvent): void {
    if (event.key === 'Enter' && event.target === this._input) {
      event.preventDefault();
      (event.shiftKey ? findPrevious : findNext)(this._view);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      closeSearchPanel(this._view);
      this._view.focus();
    }
  }

  private _toggle(text: string, label: string): HTMLButtonElement {
    const button = document.createElement('button');
    button.className = 'jp-JaxprProgram-toggle';
    button.textContent = text;
    button.title = label;
    button.setAttribute('aria-label', label);
    button.setAttribute('aria-pressed', 'false');
    button.addEventListener('click', () => {
      const pressed = button.getAttribute('aria-pressed') === 'true';
      button.setAttribute('aria-pressed', String(!pressed));
      this._commit();
    });
    return button;
  }

  private _button(
    icon: 'up' | 'down' | 'close',
    label: string,
    act: () => void
  ): HTMLButtonElement {
    const button = document.createElement('button');
    button.className = 'jp-JaxprProgram-action';
    button.title = label;
    button.setAttribute('aria-label', label);
    button.append(drawIcon(icon));
    button.addEventListener('click', act);
    return button;
  }

  private _input: HTMLInputElement;
  private _case: HTMLButtonElement;
  private _regexp: HTMLButtonElement;
  private _count: HTMLElement;
  private _matches: { from: number; to: number }[] | null = null;
  private _timer = 0;
}
