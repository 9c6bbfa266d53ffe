/**
 * Shares the search and the filters of one view between all its levels.
 *
 * It lives as long as the view: another program or another level keeps what is sought and what is hidden.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { ISignal, Signal } from '@lumino/signaling';

import type { IKeptFilters } from '../../model/reading-place';
import type { LevelName } from '../../tokens';
import type { IListing } from '../listing/listing';
import { NOISES, Noise } from './noise-rules';
import { ISought, Query, readQuery } from './query';

/** A level as a search sees it. */
export interface ISearchedLevel {
  level: LevelName;
  /** Null where its text is not here. */
  here: IListing | null;
}

/** What the tools need of the view that they are in. */
export interface IReadingHost {
  levels(): readonly ISearchedLevel[];
  /** Show a level, with the search in it; its text is asked for where it is not here. */
  goToLevel(level: LevelName): void;
}

/** The settings of one view. */
export class ReadingTools {
  constructor(
    private _trans: TranslationBundle,
    readonly host: IReadingHost
  ) {}

  /** What is sought, or where, has changed. */
  get searchChanged(): ISignal<this, void> {
    return this._searchChanged;
  }

  /** Other lines are to be hidden, lines are grouped otherwise, or source lines come or go. */
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

  /** The level that has the search line; null while there is none. */
  get searchedIn(): LevelName | null {
    return this._searchedIn;
  }

  set searchedIn(level: LevelName | null) {
    if (level !== this._searchedIn) {
      this._searchedIn = level;
      this._searchChanged.emit();
    }
  }

  /** What is hidden. */
  get hidden(): ReadonlySet<Noise> {
    return this._hidden;
  }

  setHidden(noises: Iterable<Noise>): void {
    this._hidden = new Set(noises);
    this._filtersChanged.emit();
  }

  toggle(noise: Noise): void {
    this.setHidden(
      NOISES.filter(one => this._hidden.has(one) !== (one === noise))
    );
  }

  /** Whether lines under one name are groups that fold. */
  get grouped(): boolean {
    return this._grouped;
  }

  set grouped(grouped: boolean) {
    if (grouped !== this._grouped) {
      this._grouped = grouped;
      this._filtersChanged.emit();
    }
  }

  /** Whether lines of source stand above what they were made into. */
  get interleaved(): boolean {
    return this._interleaved;
  }

  set interleaved(interleaved: boolean) {
    if (interleaved !== this._interleaved) {
      this._interleaved = interleaved;
      this._filtersChanged.emit();
    }
  }

  /** What hides, groups and heads the lines, as plain data; names that are unknown are left out. */
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
