/**
 * Holds the search and the filters of one view, which all its levels share.
 *
 * The settings live as long as the view: they stay when the view shows another program or another level.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { ISignal, Signal } from '@lumino/signaling';

import type { IKeptFilters } from '../../model/reading-place';
import type { LevelName } from '../../tokens';
import type { IListing } from '../listing/listing';
import { NOISES, Noise } from './noise-rules';
import { ISought, Query, readQuery } from './query';

/** A level that can be searched. */
export interface ISearchedLevel {
  level: LevelName;
  /** The listing of the level; null until the text of the level has arrived. */
  here: IListing | null;
}

/** Functions of the view that the tools call. */
export interface IReadingHost {
  levels(): readonly ISearchedLevel[];
  /** Show a level with the search line; request the level's text if the text has not arrived. */
  goToLevel(level: LevelName): void;
}

/** The search and the filters of one view. */
export class ReadingTools {
  constructor(
    private _trans: TranslationBundle,
    readonly host: IReadingHost
  ) {}

  /** Emits when the search text, its options or the searched level has changed. */
  get searchChanged(): ISignal<this, void> {
    return this._searchChanged;
  }

  /** Emits when the settings of hidden lines, groups or source lines have changed. */
  get filtersChanged(): ISignal<this, void> {
    return this._filtersChanged;
  }

  get sought(): ISought {
    return this._sought;
  }

  set sought(sought: ISought) {
    this._sought = sought;
    this._query = readQuery(sought, this._trans);
    this._searchChanged.emit();
  }

  get query(): Query {
    return this._query;
  }

  /** The level that has the search line; null while no level has it. */
  get searchedIn(): LevelName | null {
    return this._searchedIn;
  }

  set searchedIn(level: LevelName | null) {
    if (level !== this._searchedIn) {
      this._searchedIn = level;
      this._searchChanged.emit();
    }
  }

  /** The hidden kinds of noise. */
  get hidden(): ReadonlySet<Noise> {
    return this._hidden;
  }

  setHidden(noises: Iterable<Noise>): void {
    this._hidden = new Set(noises);
    this._filtersChanged.emit();
  }

  toggle(noise: Noise): void {
    this.setHidden(
      NOISES.filter(
        hiddenNoise => this._hidden.has(hiddenNoise) !== (hiddenNoise === noise)
      )
    );
  }

  /** True if lines under one name are groups that fold. */
  get grouped(): boolean {
    return this._grouped;
  }

  set grouped(grouped: boolean) {
    if (grouped !== this._grouped) {
      this._grouped = grouped;
      this._filtersChanged.emit();
    }
  }

  /** True if the lines of source stand above the lines of the program that come from them. */
  get interleaved(): boolean {
    return this._interleaved;
  }

  set interleaved(interleaved: boolean) {
    if (interleaved !== this._interleaved) {
      this._interleaved = interleaved;
      this._filtersChanged.emit();
    }
  }

  /** The filters as plain data; unknown names are left out. */
  get filters(): IKeptFilters {
    return {
      hidden: [...this._hidden],
      grouped: this._grouped,
      interleaved: this._interleaved
    };
  }

  set filters({ hidden, grouped, interleaved }: IKeptFilters) {
    this._grouped = grouped;
    this._interleaved = interleaved;
    this.setHidden(NOISES.filter(noise => hidden.includes(noise)));
  }

  dispose(): void {
    Signal.clearData(this);
  }

  private _sought: ISought = { text: '', caseSensitive: false, regexp: false };
  private _query: Query = { kind: 'nothing' };
  private _searchedIn: LevelName | null = null;
  private _hidden: ReadonlySet<Noise> = new Set();
  private _grouped = false;
  private _interleaved = false;
  private _searchChanged = new Signal<this, void>(this);
  private _filtersChanged = new Signal<this, void>(this);
}
