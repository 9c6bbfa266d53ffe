/**
 * What is missing of a program and who can be asked come in; pages of equations and of lines go where they belong.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Links, TextLevel } from '../../model/links';
import type { Program, ProgramCost, Snapshot } from '../../protocol/snapshot';
import type { IRequests, LevelName } from '../../tokens';
import type { JaxprListing } from './jaxpr-listing';
import type { ListingView } from './listing-view';
import type { TextListing } from './text-listing';

/** Lines of a text in its first page, and in each further one when all are wanted. */
export const FIRST_LINES = 2000;
const MORE_LINES = 5000;
/** Equations in a page. */
const PAGE = 5000;

/** Everything that belongs to one program on screen. */
export interface IShown {
  snapshot: Snapshot;
  index: number;
  program: Program;
  links: Links;
  jaxpr: JaxprListing;
  texts: Map<TextLevel, TextListing>;
  views: Map<LevelName, ListingView>;
  /** Pages that were asked for, so that none is asked for twice. */
  asked: Set<string>;
  /** The cost that is drawn beside the equations; null where none is. */
  heated: ProgramCost | null;
}

/** What pages need of the view they are for. */
export interface IPagesHost {
  /** Null where no kernel can answer. */
  requests(): IRequests | null;
  isShown(shown: IShown): boolean;
  /** Say something above the code, or nothing. */
  tell(notice: string | null): void;
  /** There is more to mark. */
  arrived(): void;
}

/** Loads what is not here yet. */
export class Pages {
  constructor(
    private _trans: TranslationBundle,
    private _host: IPagesHost
  ) {}

  /** Load what a line stands for. */
  async more(shown: IShown, level: LevelName, line: number): Promise<void> {
    if (level === 'jaxpr') {
      await this._moreEquations(shown, line);
    } else {
      await this._moreLines(shown, level, FIRST_LINES);
    }
  }

  private async _moreEquations(shown: IShown, line: number): Promise<void> {
    const missing = shown.jaxpr.missing(line);
    const requests = this._host.requests();
    if (!missing) {
      return;
    }
    if (!requests) {
      this._host.tell(
        this._trans.__(
          'The other equations are in the kernel, which cannot be asked now. Run the cell again to see them.'
        )
      );
      return;
    }
    const { scope, equation, count } = missing;
    const key = `${scope}:${equation}`;
    if (shown.asked.has(key)) {
      return;
    }
    shown.asked.add(key);
    try {
      const page = await requests.scope(
        shown.snapshot.id,
        scope,
        equation,
        Math.min(PAGE, count)
      );
      const splice = shown.jaxpr.insert(scope, equation, page);
      const view = shown.views.get('jaxpr');
      if (splice && view && this._host.isShown(shown)) {
        view.splice(splice);
        this._host.arrived();
      }
    } catch (error) {
      shown.asked.delete(key);
      this._host.tell((error as Error).message);
    }
  }

  /** Load the next lines of a text; whether there were any. */
  private async _moreLines(
    shown: IShown,
    level: TextLevel,
    count: number
  ): Promise<boolean> {
    const listing = shown.texts.get(level);
    const requests = this._host.requests();
    if (!listing || listing.complete || !this._host.isShown(shown)) {
      return false;
    }
    if (!requests) {
      this._host.tell(
        this._trans.__(
          'The other lines are in the kernel, which cannot be asked now. Run the cell again to see them.'
        )
      );
      return false;
    }
    const key = `${level}:${listing.held}`;
    if (shown.asked.has(key)) {
      return false;
    }
    shown.asked.add(key);
    try {
      const page = await requests.text(
        shown.snapshot.id,
        shown.index,
        level,
        listing.held,
        count
      );
      const splice = listing.add(
        page.text,
        page.first_line,
        page.line_stacks,
        page,
        page.lines
      );
      const view = shown.views.get(level);
      if (splice && view && this._host.isShown(shown)) {
        view.splice(splice);
        this._host.arrived();
        return true;
      }
    } catch (error) {
      shown.asked.delete(key);
      this._host.tell((error as Error).message);
    }
    return false;
  }

  /** A search looks at everything: load the rest, and say how far it is. */
  async all(shown: IShown, level: LevelName): Promise<void> {
    if (level === 'jaxpr') {
      for (
        let [line] = shown.jaxpr.missingBetween(0, Infinity);
        line !== undefined && this._host.isShown(shown);
        [line] = shown.jaxpr.missingBetween(0, Infinity)
      ) {
        const before = shown.jaxpr.rows.rows.length;
        this._host.tell(this._trans.__('Loading the other equations …'));
        await this._moreEquations(shown, line);
        if (shown.jaxpr.rows.rows.length === before) {
          return;
        }
      }
      this._host.tell(null);
      return;
    }
    const listing = shown.texts.get(level);
    while (listing && !listing.complete) {
      this._host.tell(
        this._trans.__(
          'Loading line %1 of %2 …',
          listing.held.toLocaleString('en'),
          listing.total.toLocaleString('en')
        )
      );
      if (!(await this._moreLines(shown, level, MORE_LINES))) {
        return;
      }
    }
    this._host.tell(null);
  }
}
