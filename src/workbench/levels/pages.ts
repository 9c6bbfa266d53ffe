/** Loads the missing pages of texts and equations into the listings of a program. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { TextLevel } from '../../model/links';
import type { Level } from '../../protocol/snapshot';
import type { IJaxprModel, IRequests, LevelName } from '../../tokens';
import type { ProgramListings } from './program-listings';
import { TextListing } from './text-listing';
import { TwinListing } from './twin-listing';
import { levelTitle } from '../reading/toolbar';

/**
 * The number of lines that one request brings: the first page of a text or a page that the user scrolls to (the first
 * number), or a page for a search in the whole text (the second number).
 */
export const FIRST_LINES = 2000;
const MORE_LINES = 5000;
/** The number of equations in a page, including equations of inner scopes. */
const PAGE = 5000;

/** Requests the missing pages of texts and equations from the kernel, and adds them to the listings. */
export class Pages {
  constructor(
    private _listings: ProgramListings,
    private _trans: TranslationBundle
  ) {}

  /** Makes the listing of a level whose text is in the document, and keeps the listing with the program's listings. */
  takeText(name: TextLevel, level: Level): TextListing {
    const { snapshot, links, texts } = this._listings;
    const text = level.text ?? '';
    const listing = new TextListing(links, name, this._trans);
    const lines = text.split('\n').length;
    listing.add(text, 0, level.line_stacks ?? [], snapshot, lines, level);
    texts.set(name, listing);
    return listing;
  }

  /** Ask the kernel for the first page of a text. */
  async text(name: TextLevel, requests: IRequests): Promise<void> {
    const { snapshot, index, links, texts, requested } = this._listings;
    if (requested.has(name)) {
      return;
    }
    requested.add(name);
    this._tell(
      name,
      this._trans.__('Loading %1 …', levelTitle(name, this._trans))
    );
    try {
      const page = await requests.ask('text', {
        snapshot: snapshot.id,
        program: index,
        level: name,
        first_line: 0,
        line_count: FIRST_LINES
      });
      const listing = new TextListing(links, name, this._trans);
      listing.add(page.text, 0, page.line_stacks, page, page.lines, page);
      texts.set(name, listing);
      this._tell(name, null);
    } catch (error) {
      requested.delete(name);
      this._tell(name, (error as Error).message);
    }
  }

  /** Asks the kernel for the first page of a level's text of the twin, the tagged copy that the kernel has compiled. */
  async twin(name: TextLevel, requests: IRequests): Promise<void> {
    const { snapshot, index, twinLinks, twins, requested } = this._listings;
    if (requested.has(`twin ${name}`)) {
      return;
    }
    requested.add(`twin ${name}`);
    this._tell(
      name,
      this._trans.__(
        'Loading the %1 of the tagged copy …',
        levelTitle(name, this._trans)
      )
    );
    try {
      const page = await requests.ask('text', {
        snapshot: snapshot.id,
        program: index,
        level: name,
        first_line: 0,
        line_count: FIRST_LINES,
        twin: true
      });
      const listing = new TwinListing(twinLinks, name, this._trans);
      listing.addPage(page);
      twins.set(name, listing);
      this._tell(name, null);
      this._listings.restate(name);
    } catch (error) {
      requested.delete(`twin ${name}`);
      this._tell(name, (error as Error).message);
    }
  }

  /**
   * Have the kernel make a level that the program lacks; the document that arrives replaces this document in the model.
   */
  async make(name: TextLevel, model: IJaxprModel): Promise<void> {
    const { snapshot, index, requested } = this._listings;
    const { requests } = model;
    if (!requests || requested.has(`make ${name}`)) {
      return;
    }
    requested.add(`make ${name}`);
    this._tell(
      name,
      name === 'stablehlo'
        ? this._trans.__('Lowering …')
        : this._trans.__('Compiling …')
    );
    try {
      await requests.ask('make', {
        snapshot: snapshot.id,
        program: index,
        level: name
      });
      this._tell(name, null);
    } catch (error) {
      requested.delete(`make ${name}`);
      this._tell(name, (error as Error).message);
    }
  }

  /** Load the page that a line stands for. */
  async more(
    level: LevelName,
    line: number,
    requests: IRequests | null
  ): Promise<void> {
    if (level === 'jaxpr') {
      await this._moreEquations(line, requests);
    } else {
      await this._moreLines(level, FIRST_LINES, requests);
    }
  }

  private async _moreEquations(
    line: number,
    requests: IRequests | null
  ): Promise<void> {
    const { snapshot, jaxpr, requested } = this._listings;
    const missing = jaxpr.missing(line);
    if (!missing) {
      return;
    }
    if (!requests) {
      this._tell(
        'jaxpr',
        this._trans.__(
          'Only the kernel holds the other equations, and the kernel is not available. Run the cell again to see all equations.'
        )
      );
      return;
    }
    const { scope, equation } = missing;
    const key = `${scope}:${equation}`;
    if (requested.has(key)) {
      return;
    }
    requested.add(key);
    try {
      const page = await requests.ask('scope', {
        snapshot: snapshot.id,
        scope,
        first_equation: equation,
        equation_count: PAGE
      });
      const splice = this._isOpen ? jaxpr.insert(scope, equation, page) : null;
      if (splice) {
        this._listings.splice('jaxpr', splice);
      }
    } catch (error) {
      requested.delete(key);
      this._tell('jaxpr', (error as Error).message);
    }
  }

  /** Load the next lines of a text. Returns false if no further lines have arrived. */
  private async _moreLines(
    level: TextLevel,
    count: number,
    requests: IRequests | null
  ): Promise<boolean> {
    const { snapshot, index, requested } = this._listings;
    const listing = this._listings.shownText(level);
    if (!listing || listing.complete || !this._isOpen) {
      return false;
    }
    if (!requests) {
      this._tell(
        level,
        this._trans.__(
          'Only the kernel holds the other lines, and the kernel is not available. Run the cell again to see all lines.'
        )
      );
      return false;
    }
    const isTwin = listing instanceof TwinListing;
    const key = `${isTwin ? 'twin ' : ''}${level}:${listing.arrivedLines}`;
    if (requested.has(key)) {
      return false;
    }
    requested.add(key);
    try {
      const page = await requests.ask('text', {
        snapshot: snapshot.id,
        program: index,
        level,
        first_line: listing.arrivedLines,
        line_count: count,
        ...(isTwin ? { twin: true } : {})
      });
      const splice = !this._isOpen
        ? null
        : isTwin
          ? listing.addPage(page)
          : listing.add(
              page.text,
              page.first_line,
              page.line_stacks,
              page,
              page.lines,
              page
            );
      if (splice && listing === this._listings.shownText(level)) {
        this._listings.splice(level, splice);
        return true;
      }
    } catch (error) {
      requested.delete(key);
      this._tell(level, (error as Error).message);
    }
    return false;
  }

  /** Load the rest of the text for a search, and report the progress. */
  async all(level: LevelName, requests: () => IRequests | null): Promise<void> {
    const { jaxpr } = this._listings;
    if (level === 'jaxpr') {
      for (
        let [line] = jaxpr.missingBetween(0, Infinity);
        line !== undefined && this._isOpen;
        [line] = jaxpr.missingBetween(0, Infinity)
      ) {
        const before = jaxpr.rows.rows.length;
        this._tell(level, this._trans.__('Loading the other equations …'));
        await this._moreEquations(line, requests());
        if (jaxpr.rows.rows.length === before) {
          return;
        }
      }
      this._tell(level, null);
      return;
    }
    const listing = this._listings.shownText(level);
    while (listing && !listing.complete) {
      this._tell(
        level,
        this._trans.__(
          'Loading line %1 of %2 …',
          listing.arrivedLines.toLocaleString('en'),
          listing.total.toLocaleString('en')
        )
      );
      if (!(await this._moreLines(level, MORE_LINES, requests()))) {
        return;
      }
    }
    this._tell(level, null);
  }

  /** True while a view has the listings open; pages that arrive later are dropped. */
  private get _isOpen(): boolean {
    return this._listings.opened > 0;
  }

  private _tell(level: LevelName, notice: string | null): void {
    this._listings.tell(level, notice);
  }
}
