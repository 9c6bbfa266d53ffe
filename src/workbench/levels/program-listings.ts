/**
 * Keeps the listings of a program, shared by all views that show the program, and loads their missing pages.
 *
 * The listings live while a view has them open. All views share one set of listings, because an arrived page is added
 * to the program only once, and a second set of listings would not get the lines of the page.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { ISignal, Signal } from '@lumino/signaling';

import { TwinLinks } from '../../model/exact-links';
import { EquationHeat } from '../../model/cost-shares';
import { Links, TextLevel, linksOf } from '../../model/links';
import type { Program, ProgramCost, Snapshot } from '../../protocol/snapshot';
import type { LevelName } from '../../tokens';
import { inPlace } from './called-computations-listing';
import { JaxprListing } from './jaxpr-listing';
import type { IListing, ISplice } from '../listing/listing';
import { Pages } from './pages';
import { TextListing } from './text-listing';
import { TwinListing } from './twin-listing';

/** A change of the lines, the text or the state of one level. */
export type ListingsChange =
  /** Lines were inserted or removed; listeners get this change before any other event. */
  | { kind: 'spliced'; level: LevelName; splice: ISplice }
  /**
   * The level shows another text: the text of the twin (the tagged copy) in place of the program's own, or the
   * program's own text again.
   */
  | { kind: 'replaced'; level: LevelName }
  /** The text has arrived or cannot be made, or the sentence about the level has changed. */
  | { kind: 'state'; level: LevelName };

export class ProgramListings {
  constructor(
    readonly snapshot: Snapshot,
    /** The index into the snapshot's programs. */
    readonly index: number,
    trans: TranslationBundle
  ) {
    this.program = snapshot.programs[index];
    this.links = linksOf(snapshot, index);
    this.jaxpr = new JaxprListing(this.links, trans);
    this.pages = new Pages(this, trans);
    this._trans = trans;
  }

  readonly program: Program;
  readonly links: Links;
  readonly jaxpr: JaxprListing;
  /** The texts of the program itself. */
  readonly texts = new Map<TextLevel, TextListing>();
  /** The texts of the program's twin (its tagged copy), by level. */
  readonly twins = new Map<TextLevel, TwinListing>();
  readonly pages: Pages;
  /** The requests that were sent, so that no request is sent twice. */
  readonly requested = new Set<string>();
  /** The number of views that have the listings open. */
  opened = 0;

  get changed(): ISignal<this, ListingsChange> {
    return this._changed;
  }

  /** The listing of a level; null until the text of the level has arrived. */
  listing(level: LevelName): IListing | null {
    const text = level === 'jaxpr' ? null : this.shownText(level);
    return level === 'jaxpr' ? this.jaxpr : text && inPlace(text, this._trans);
  }

  /**
   * The text that a level shows, the program's own or that of its twin (its tagged copy); null until the text has
   * arrived.
   */
  shownText(level: TextLevel): TextListing | null {
    return (this._isTwin ? this.twins : this.texts).get(level) ?? null;
  }

  /** True if the texts of the twin (the tagged copy) replace the program's texts. */
  get isTwin(): boolean {
    return this._isTwin;
  }

  set isTwin(isTwin: boolean) {
    if (isTwin !== this._isTwin) {
      this._isTwin = isTwin;
      for (const level of ['stablehlo', 'hlo'] as const) {
        this.tell(level, null);
        this._changed.emit({ kind: 'replaced', level });
      }
    }
  }

  /** The links of the texts of the twin (the tagged copy). */
  get twinLinks(): TwinLinks {
    return (this._twinLinks ??= new TwinLinks(this.links));
  }

  /** A sentence about a level for the user; null if there is none. */
  notice(level: LevelName): string | null {
    return this._notices.get(level) ?? null;
  }

  /** Set or remove the sentence about a level. */
  tell(level: LevelName, notice: string | null): void {
    if (notice !== this.notice(level)) {
      this._notices.set(level, notice);
      this.restate(level);
    }
  }

  restate(level: LevelName): void {
    this._changed.emit({ kind: 'state', level });
  }

  splice(level: LevelName, splice: ISplice): void {
    this._changed.emit({ kind: 'spliced', level, splice });
  }

  /** Show or hide the cost of the equations. Returns whether anything changed. */
  heat(cost: ProgramCost | null): boolean {
    const before = this._cost;
    this._cost = cost;
    if (before !== cost) {
      this.jaxpr.equationHeat = cost && new EquationHeat(cost, this._trans);
    }
    return before !== cost;
  }

  private _trans: TranslationBundle;
  private _cost: ProgramCost | null = null;
  private _isTwin = false;
  private _twinLinks: TwinLinks | null = null;
  private _notices = new Map<LevelName, string | null>();
  private _changed = new Signal<this, ListingsChange>(this);
}

const OPENED = new WeakMap<Snapshot, Map<number, ProgramListings>>();

/** Open the listings of a program; every caller has to close them. */
export function openListings(
  snapshot: Snapshot,
  index: number,
  trans: TranslationBundle
): ProgramListings {
  let opened = OPENED.get(snapshot);
  if (!opened) {
    opened = new Map();
    OPENED.set(snapshot, opened);
  }
  let listings = opened.get(index);
  if (!listings) {
    listings = new ProgramListings(snapshot, index, trans);
    opened.set(index, listings);
  }
  listings.opened += 1;
  return listings;
}

export function closeListings(listings: ProgramListings): void {
  listings.opened -= 1;
  if (listings.opened === 0) {
    OPENED.get(listings.snapshot)?.delete(listings.index);
  }
}
