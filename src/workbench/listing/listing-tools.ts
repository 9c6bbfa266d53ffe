/** Applies the reader's settings to an editor: search, hidden lines, groups by name, lines of source. */
import { Compartment, Extension, StateEffect } from '@codemirror/state';
import { EditorView, showPanel } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { GroupsPanel } from '../reading/groups-panel';
import { NO_MATCHES, setMatches } from '../reading/matches';
import { bitsOf } from '../reading/noise-rules';
import { NoisePanel } from '../reading/noise-panel';
import type { ReadingTools } from '../reading/reading-tools';
import { SearchPanel } from '../reading/search-panel';
import { setHidden } from './hidden-lines';
import type { IListedFold, IListing, IListingEvents } from './listing';
import { setHeads } from './source-heads';

/** The editor that the tools act on. */
export interface IToolsHost {
  readonly view: EditorView;
  readonly listing: IListing;
  /** Scroll to the first of some lines, unless one of the lines is in view. */
  reveal(lines: readonly number[]): void;
  setFolds(folds: readonly IListedFold[], closed: boolean): void;
}

/** The reading tools of one editor; they act after `start` was called. */
export class ListingTools {
  constructor(
    private _host: IToolsHost,
    private _tools: ReadingTools,
    private _events: IListingEvents,
    private _trans: TranslationBundle
  ) {}

  /** The editor extension with the places for the panels above the text: search, hidden lines, groups. */
  get extension(): Extension {
    return [
      this._searchPlace.of([]),
      this._noisePlace.of([]),
      this._groupsPlace.of([])
    ];
  }

  /** True if the search line is open. */
  get isSearched(): boolean {
    return this._search !== null;
  }

  /** The groups by name; none while the setting is off. */
  get groups(): readonly IListedFold[] {
    return this._groups;
  }

  /** Follow the reader's settings, once there is an editor. */
  start(): void {
    const { _tools: tools } = this;
    tools.searchChanged.connect(this._onSearch, this);
    tools.filtersChanged.connect(this._onFilters, this);
    // If another program arrives while the search is open, the user may be typing in a cell: the keys stay there.
    this._showSearch(!this._isFocusElsewhere());
    if (tools.hidden.size > 0 || tools.grouped || tools.interleaved) {
      this._onFilters();
    }
  }

  dispose(): void {
    this._tools.searchChanged.disconnect(this._onSearch, this);
    this._tools.filtersChanged.disconnect(this._onFilters, this);
    this._host.listing.heads.changed.disconnect(this._showHeads, this);
  }

  /** Open the search line, or focus it; the search starts with the text that is selected in a line. */
  find(): void {
    const { doc, selection } = this._host.view.state;
    const { from, to, empty } = selection.main;
    if (!empty && to <= doc.lineAt(from).to) {
      const text = doc.sliceString(from, to);
      this._tools.sought = { ...this._tools.sought, text, regexp: false };
    }
    if (this._search) {
      this._search.focus();
    } else {
      this._tools.searchedIn = this._host.listing.level;
    }
  }

  /** Groups the lines of the listing again, because lines were inserted or removed. */
  spliced(): void {
    if (this._tools.grouped) {
      this._regroup();
    }
  }

  /** The folds that can close from a line on, the outer fold first. */
  foldsAt(index: number): readonly IListedFold[] {
    const folds = this._host.listing.folds(index);
    const groups = this._groupsAt.get(index);
    return groups
      ? [...groups, ...folds].sort((a, b) => b.last - a.last)
      : folds;
  }

  /** True if an element outside of the view of this text has the keyboard focus. */
  private _isFocusElsewhere(): boolean {
    const { root, dom } = this._host.view;
    const active = root.activeElement ?? document.activeElement;
    return (
      active !== null &&
      active !== document.body &&
      !dom.closest('.jp-JaxprProgram')?.contains(active)
    );
  }

  private _onSearch(): void {
    this._showSearch(true);
  }

  private _showSearch(takesFocus: boolean): void {
    const isHere = this._tools.searchedIn === this._host.listing.level;
    if (isHere === (this._search !== null)) {
      return;
    }
    this._search = null;
    this._host.view.dispatch({
      effects: [
        setMatches.of(NO_MATCHES),
        this._searchPlace.reconfigure(
          isHere
            ? showPanel.of(view => {
                this._search = new SearchPanel(
                  view,
                  this._host.listing,
                  this._tools,
                  this._trans,
                  takesFocus
                );
                return this._search;
              })
            : []
        )
      ]
    });
    if (isHere) {
      this._events.allWanted();
    }
  }

  private _onFilters(): void {
    const effects: StateEffect<unknown>[] = [this.hiding()];
    const isShown = this._tools.hidden.size > 0;
    if (isShown !== this._isFiltered) {
      this._isFiltered = isShown;
      effects.push(
        this._noisePlace.reconfigure(
          isShown
            ? showPanel.of(
                view =>
                  new NoisePanel(
                    view,
                    this._host.listing,
                    this._tools,
                    this._trans,
                    lines => this._host.reveal(lines)
                  )
              )
            : []
        )
      );
    }
    this._host.view.dispatch({ effects });
    if (this._tools.interleaved !== this._isInterleaved) {
      this._isInterleaved = this._tools.interleaved;
      this._showHeads();
    }
    if (this._tools.grouped !== this._isGrouped) {
      this._isGrouped = this._tools.grouped;
      this._regroup();
      this._showGroups();
    }
  }

  /** Apply the setting of groups again; groups that the reader opened stay open. */
  private _regroup(): void {
    const before = new Set(this._groups);
    this._groups = this._isGrouped
      ? (this._host.listing.nameFolds?.() ?? [])
      : [];
    this._groupsAt.clear();
    for (const group of this._groups) {
      const here = this._groupsAt.get(group.first);
      if (here) {
        here.push(group);
      } else {
        this._groupsAt.set(group.first, [group]);
      }
    }
    const now = new Set(this._groups);
    const fresh = this._groups.filter(group => !before.has(group));
    const gone = [...before].filter(group => !now.has(group));
    this._host.setFolds(gone, false);
    this._host.setFolds(fresh, true);
  }

  private _showGroups(): void {
    const isShown =
      this._isGrouped && this._host.listing.nameFolds !== undefined;
    this._host.view.dispatch({
      effects: this._groupsPlace.reconfigure(
        isShown
          ? showPanel.of(
              view =>
                new GroupsPanel(
                  view,
                  () => this._groups,
                  this._tools,
                  this._trans,
                  (folds, closed) => this._host.setFolds(folds, closed)
                )
            )
          : []
      )
    });
  }

  /** Apply the setting of source lines, with the source texts that have arrived. */
  private _showHeads(): void {
    const { heads } = this._host.listing;
    heads.changed.disconnect(this._showHeads, this);
    this._host.view.dispatch({
      effects: setHeads.of(
        this._isInterleaved
          ? {
              of: index => heads.of(index),
              hovered: head => this._events.hovered(head?.selection ?? null),
              chosen: head => this._events.selected(head.selection)
            }
          : null
      )
    });
    if (this._isInterleaved) {
      heads.changed.connect(this._showHeads, this);
    }
  }

  /** The effect that hides the noise lines of the present text. */
  hiding(): ReturnType<typeof setHidden.of> {
    const { hidden } = this._tools;
    return setHidden.of({
      bits: hidden.size > 0 ? this._host.listing.noise() : new Uint8Array(0),
      mask: bitsOf(hidden)
    });
  }

  private _search: SearchPanel | null = null;
  private _isFiltered = false;
  private _searchPlace = new Compartment();
  private _noisePlace = new Compartment();
  private _groupsPlace = new Compartment();
  private _isInterleaved = false;
  private _isGrouped = false;
  private _groups: readonly IListedFold[] = [];
  /** For the first line of each group, the groups that start on this line. */
  private _groupsAt = new Map<number, IListedFold[]>();
}
