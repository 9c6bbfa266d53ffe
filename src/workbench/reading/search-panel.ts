/** The search line above a program: matches in this and other levels, next, previous, and errors in the search text. */
import type { Text } from '@codemirror/state';
import type { EditorView, Panel, ViewUpdate } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../../parts/dom';
import { hidesText } from '../listing/binder-chips';
import type { IListing } from '../listing/listing';
import { dispatchKey } from '../../view-keys';
import {
  currentMatch,
  findMatches,
  goToMatch,
  matchesFound,
  setMatches,
  showAMatch
} from './matches';
import type { Query } from './query';
import type { ISearchedLevel, ReadingTools } from './reading-tools';
import { iconButton } from './tool-row';
import { levelTitle } from './toolbar';

/** The search waits this many milliseconds after the last letter, because it reads the whole text. */
const PAUSE = 60;

/** Makes the search line of an editor; with `_takesFocus`, the search line gets the keyboard focus when it appears. */
export class SearchPanel implements Panel {
  constructor(
    private _view: EditorView,
    private _listing: IListing,
    private _tools: ReadingTools,
    private _trans: TranslationBundle,
    private _takesFocus: boolean
  ) {
    this.dom = element('div', 'jp-JaxprProgram-search');
    // The ARIA role is `group`, not the landmark `search`: a page may show several views, each with a search line.
    this.dom.setAttribute('role', 'group');
    this.dom.setAttribute('aria-label', this._trans.__('Search'));
    this.dom.addEventListener('keydown', event =>
      dispatchKey(event, 'search', { close: () => this._close() })
    );
    this._input = document.createElement('input');
    this._input.addEventListener('keydown', event =>
      dispatchKey(event, 'searchField', {
        nextMatch: () => this._goToMatch(1),
        previousMatch: () => this._goToMatch(-1)
      })
    );
    this._input.type = 'text';
    this._input.className = 'jp-JaxprProgram-sought';
    this._input.spellcheck = false;
    this._input.setAttribute('aria-label', this._trans.__('Find in program'));
    this._input.placeholder = this._trans.__(
      'add, f32[*,128], line:7, scope:step'
    );
    this._input.title = this._trans.__(
      'Text, a type such as f32[*,128] or bf16[...], line:7, scope:step, primitive:dot_general, or several of them'
    );
    this._input.addEventListener('input', () => this._commit());
    this._case = this._toggle('Aa', this._trans.__('Match case'));
    this._regexp = this._toggle('.*', this._trans.__('Regular expression'));
    this._count = element('span', 'jp-JaxprProgram-count');
    this._count.setAttribute('role', 'status');
    const line = element('div', 'jp-JaxprProgram-searchLine');
    line.append(
      this._input,
      this._case,
      this._regexp,
      this._count,
      iconButton('up', this._trans.__('Previous match'), () =>
        goToMatch(_view, -1)
      ),
      iconButton('down', this._trans.__('Next match'), () =>
        goToMatch(_view, 1)
      ),
      iconButton('close', this._trans.__('Close search'), () => this._close())
    );
    this._levels = element('div', 'jp-JaxprProgram-searchLevels');
    this._levels.setAttribute('role', 'group');
    this._levels.setAttribute(
      'aria-label',
      this._trans.__('Matches in each level')
    );
    this._words = element('div', 'jp-JaxprProgram-searchWords');
    this._words.setAttribute('aria-live', 'polite');
    this.dom.append(line, this._levels, this._words);
    _tools.searchChanged.connect(this._onChanged, this);
    this._showSought();
    this._isNew = true;
    this._searchSoon(0);
  }

  readonly dom: HTMLElement;
  readonly top = true;

  mount(): void {
    if (this._takesFocus) {
      this.focus();
    }
  }

  focus(): void {
    this._input.focus();
    this._input.select();
  }

  update(update: ViewUpdate): void {
    if (update.docChanged) {
      this._searchSoon(PAUSE);
    } else if (
      update.selectionSet ||
      update.startState.field(matchesFound) !== update.state.field(matchesFound)
    ) {
      this._showCount();
    }
  }

  destroy(): void {
    window.clearTimeout(this._timer);
    this._tools.searchChanged.disconnect(this._onChanged, this);
  }

  private _onChanged(): void {
    this._showSought();
    this._isNew = true;
    this._searchSoon(PAUSE);
  }

  private _showSought(): void {
    const { text, caseSensitive, regexp } = this._tools.sought;
    if (this._input.value !== text) {
      this._input.value = text;
    }
    this._case.setAttribute('aria-pressed', String(caseSensitive));
    this._regexp.setAttribute('aria-pressed', String(regexp));
  }

  private _commit(): void {
    this._tools.sought = {
      text: this._input.value,
      caseSensitive: this._case.getAttribute('aria-pressed') === 'true',
      regexp: this._regexp.getAttribute('aria-pressed') === 'true'
    };
  }

  private _searchSoon(wait: number): void {
    window.clearTimeout(this._timer);
    this._isWaiting = true;
    this._timer = window.setTimeout(() => {
      if (this._isWaiting) {
        this._search();
      }
      // The counts of the other levels are computed later, so that typing does not wait for these counts.
      this._timer = window.setTimeout(() => this._showLevels(), 0);
    }, wait);
  }

  private _search(): void {
    const { query } = this._tools;
    this._isWaiting = false;
    this._view.dispatch({
      effects: setMatches.of(
        findMatches(
          this._view.state.doc,
          this._listing,
          query,
          this._listing.level
        )
      )
    });
    // The view scrolls only after a new search text: when a page arrives, scrolling would move the text away from the
    // reader.
    if (this._isNew) {
      this._isNew = false;
      showAMatch(this._view, place => this._isCut(place));
    }
    this._showCount();
    this._input.setAttribute('aria-invalid', String(query.kind === 'invalid'));
    this._words.textContent = this._sentence(query);
  }

  private _isCut(place: number): boolean {
    const line = this._view.state.doc.lineAt(place);
    const at = place - line.from;
    return hidesText(this._listing.line(line.number - 1), at);
  }

  private _sentence(query: Query): string {
    if (query.kind === 'invalid') {
      return query.reason;
    }
    const { arrivedCount, total } = this._listing.arrived();
    if (query.kind === 'nothing' || arrivedCount >= total) {
      return '';
    }
    const [here, all] = [arrivedCount, total].map(count =>
      count.toLocaleString('en')
    );
    return this._listing.level === 'jaxpr'
      ? this._trans.__(
          'Only %1 of %2 equations have arrived. The search does not count the other equations yet.',
          here,
          all
        )
      : this._trans.__(
          'Only %1 of %2 lines have arrived. The search does not count the other lines yet.',
          here,
          all
        );
  }

  private _showCount(): void {
    const { query } = this._tools;
    if (query.kind !== 'terms') {
      this._count.textContent = '';
      return;
    }
    const matches = this._view.state.field(matchesFound);
    const count = matches.from.length;
    const at = currentMatch(matches, this._view);
    const total = count.toLocaleString('en');
    this._count.textContent =
      count === 0
        ? this._trans.__('no matches')
        : at < 0
          ? total
          : this._trans.__('%1 of %2', (at + 1).toLocaleString('en'), total);
  }

  private _showLevels(): void {
    const { query, host } = this._tools;
    this._levels.hidden = query.kind !== 'terms';
    if (query.kind !== 'terms') {
      return;
    }
    const focused = (document.activeElement as HTMLElement | null)?.dataset
      .searched;
    this._levels.replaceChildren(
      ...host.levels().map(level => this._level(level, query))
    );
    if (focused !== undefined && this._levels.isConnected) {
      this._levels
        .querySelector<HTMLElement>(`[data-searched='${focused}']`)
        ?.focus();
    }
  }

  private _level({ level, here }: ISearchedLevel, query: Query): HTMLElement {
    const { _trans: trans } = this;
    const title = levelTitle(level, trans);
    const button = element('button', 'jp-JaxprProgram-searched');
    button.dataset.searched = level;
    if (here === null) {
      button.textContent = trans.__('%1: not loaded', title);
      button.title = trans.__('Load and search %1', title);
    } else {
      const count = countOf(documentOf(here), here, query);
      const { arrivedCount, total } = here.arrived();
      const number = `${count.toLocaleString('en')}${arrivedCount < total ? '+' : ''}`;
      button.textContent = `${title} ${number}`;
      button.title =
        arrivedCount < total
          ? trans._n(
              '%2: %1 match in the %3 of %4 lines that have arrived. Go to %2',
              '%2: %1 matches in the %3 of %4 lines that have arrived. Go to %2',
              count,
              title,
              arrivedCount.toLocaleString('en'),
              total.toLocaleString('en')
            )
          : trans._n(
              '%2: %1 match. Go to %2',
              '%2: %1 matches. Go to %2',
              count,
              title
            );
    }
    button.setAttribute('aria-label', button.title);
    if (level === this._listing.level) {
      button.setAttribute('aria-current', 'true');
    }
    button.addEventListener('click', () => this._tools.host.goToLevel(level));
    return button;
  }

  private _goToMatch(step: 1 | -1): void {
    if (this._isWaiting) {
      this._isNew = false;
      this._search();
    }
    goToMatch(this._view, step);
  }

  private _close(): void {
    this._tools.searchedIn = null;
    this._view.focus();
  }

  private _toggle(text: string, label: string): HTMLButtonElement {
    const button = element('button', 'jp-JaxprProgram-toggle', text);
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

  private _input: HTMLInputElement;
  private _case: HTMLButtonElement;
  private _regexp: HTMLButtonElement;
  private _count: HTMLElement;
  private _levels: HTMLElement;
  private _words: HTMLElement;
  private _timer = 0;
  /** True if the search text has changed since the last search. */
  private _isWaiting = false;
  /** True if the search text differs from the text of the last search. */
  private _isNew = false;
}

/** Keeps the text of a listing that an editor shows, because printing a large program again takes a while. */
export function rememberDocument(listing: IListing, document: Text): void {
  documents.set(listing, {
    arrivedCount: listing.arrived().arrivedCount,
    document
  });
}

/** The text of a listing, also if no editor shows it. */
export function documentOf(listing: IListing): Text {
  let cached = documents.get(listing);
  const { arrivedCount } = listing.arrived();
  if (cached?.arrivedCount !== arrivedCount) {
    cached = { arrivedCount, document: listing.document() };
    documents.set(listing, cached);
  }
  return cached.document;
}

const documents = new WeakMap<
  IListing,
  { arrivedCount: number; document: Text }
>();

/** The number of matches in a text; a text that has not changed is not searched twice. */
function countOf(document: Text, listing: IListing, query: Query): number {
  const cached = counts.get(document);
  if (cached?.query === query) {
    return cached.count;
  }
  const count = findMatches(document, listing, query, listing.level).from
    .length;
  counts.set(document, { query, count });
  return count;
}

const counts = new WeakMap<Text, { query: Query; count: number }>();
