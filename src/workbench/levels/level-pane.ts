/**
 * The editor of one level of a program, or a sentence that says why there is no text and what to do.
 *
 * A pane does everything that concerns one level: it loads the text, marks the linked lines, brings them into view, and
 * tells its host what has changed. The model has one selection: a selection in the pane goes to the model, and the pane
 * marks the model's selection when the host calls `mark`. A host shows one pane at a time, or several side by side:
 *
 *     const pane = new LevelPane({ trans, model, snapshot, program: 0, level: 'hlo', host });
 *     parent.append(pane.node);    // its parent is positioned; the pane fills it
 *     pane.refresh();              // when its parent is on screen
 *     pane.mark(true);             // when the model's selection or hover has changed
 *     pane.dispose();
 */
import { EditorView } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';

import { costsOf } from '../../model/costs';
import { twinsOf } from '../../model/exact-links';
import type { ILinked, TextLevel } from '../../model/links';
import { shardingsOf } from '../../model/shardings';
import type { ITextPlace } from '../../model/reading-place';
import { sourceFilesOf } from '../../model/source-files';
import type { Level, Snapshot } from '../../protocol/snapshot';
import type { IJaxprModel, LevelName, Selection } from '../../tokens';
import { disposeWidget } from '../../parts/dispose-widget';
import { ShardingsView } from '../shardings';
import { element } from '../../parts/dom';
import { InPlaceListing } from './in-place-listing';
import type { IListing } from '../listing/listing';
import { ListingView } from '../listing/listing-view';
import {
  ListingsChange,
  ProgramListings,
  closeListings,
  openListings
} from './program-listings';
import { dispatchKey } from '../reading/key-table';
import { ReadingTools } from '../reading/reading-tools';
import { LevelBar } from './level-bar';
import type { TextListing } from './text-listing';
import { levelTitle } from '../reading/toolbar';

/** The events of a pane. */
export interface ILevelPaneHost {
  /** The text has arrived or grown, or `notice` or `count` has changed. */
  changed(pane: LevelPane): void;
  /** The user goes to the cell. */
  entered(pane: LevelPane): void;
  /** The user goes to the next (1) or the previous (-1) level. */
  left(pane: LevelPane, by: 1 | -1): void;
  /** The keyboard moved to one of the linked places, counted from 1; null if there is none. */
  stepped?(place: { at: number; of: number } | null): void;
}

export interface ILevelPaneOptions {
  trans: TranslationBundle;
  model: IJaxprModel;
  snapshot: Snapshot;
  /** The index into the snapshot's programs. */
  program: number;
  level: LevelName;
  host: ILevelPaneHost;
  /** The search and the filters that all panes of a view share; if left out, the pane has its own. */
  tools?: ReadingTools;
  /** Loads and keeps the place where the user reads the text; if left out, the text starts at its first line. */
  place?: { load(): ITextPlace | null; keep(place: ITextPlace): void };
  /** Finds what is linked to a selection; if left out, the links of the program do. */
  resolve?: (selection: Selection | null) => ILinked;
}

/** The reason why a level has no text, and what the user can do. */
interface IAbsence {
  text: string;
  action: { label: string; run: () => void } | null;
}

/** How many equations or lines of a level are linked to the selection, and how many the level has. */
export interface ILevelCount {
  linked: number;
  total: number;
}

/** The pane of one level of one program. */
export class LevelPane implements IDisposable {
  constructor(private _options: ILevelPaneOptions) {
    const { snapshot, program, level, trans, model } = _options;
    this.level = level;
    this.listings = openListings(snapshot, program, trans);
    this.node = element('div', 'jp-JaxprProgram-listing');
    this.node.dataset.level = level;
    this.node.addEventListener('keydown', event => this._onKey(event), {
      signal: this._listening.signal
    });
    this.listings.changed.connect(this._onListings, this);
    costsOf(model).changed.connect(this._onCosts, this);
    twinsOf(model).changed.connect(this._onTwins, this);
    sourceFilesOf(snapshot).askBy(() => model.requests);
    this._tools =
      _options.tools ??
      new ReadingTools(trans, {
        levels: () => [{ level, here: this.listing }],
        goToLevel: () => this.find()
      });
    this._takeHeat();
    this._bar = new LevelBar({
      ..._options,
      pane: this.node,
      listings: this.listings,
      tools: this._tools,
      entered: () => _options.host.entered(this)
    });
    this._onTwins();
  }

  /** The element of the pane; it fills its parent. */
  readonly node: HTMLElement;
  readonly level: LevelName;
  readonly listings: ProgramListings;

  /** The editor; null until there is a text. */
  get view(): ListingView | null {
    return this._view;
  }

  /** The lines of the level; null if the text is not here. */
  get listing(): IListing | null {
    return this.listings.listing(this.level);
  }

  /** The StableHLO or HLO of the program itself, shown or not; null if the text is not here. */
  get text(): TextListing | null {
    return this.level === 'jaxpr'
      ? null
      : (this.listings.texts.get(this.level) ?? null);
  }

  /** A sentence about this level for the user; null if there is none. */
  get notice(): string | null {
    return this.listings.notice(this.level);
  }

  /** The number of equations of a jaxpr or of lines of a text; null if the text is not here. */
  get count(): ILevelCount | null {
    const linked = this._linked;
    if (this.level === 'jaxpr') {
      return {
        linked: linked.equations.size,
        total: this.listings.program.equations
      };
    }
    const text = this.listings.shownText(this.level);
    return (
      text && { linked: text.linkedLines(linked).length, total: text.total }
    );
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._listening.abort();
    this.listings.changed.disconnect(this._onListings, this);
    costsOf(this._options.model).changed.disconnect(this._onCosts, this);
    twinsOf(this._options.model).changed.disconnect(this._onTwins, this);
    this._view?.dispose();
    this._view = null;
    this._bar.dispose();
    disposeWidget(this._shardings);
    closeListings(this.listings);
    this.node.remove();
  }

  /** Show the text, or load the text, or say why there is none. */
  refresh(): void {
    if (this._isDisposed) {
      return;
    }
    this.node.querySelector('.jp-JaxprProgram-absent')?.remove();
    this._bar.refresh();
    this._showShardings();
    if (this._view) {
      this._view.view.requestMeasure();
      this._options.host.changed(this);
      return;
    }
    const { level } = this;
    const absence =
      level === 'jaxpr' || this.listings.shownText(level) !== null
        ? null
        : this._fetch(level);
    if (absence) {
      this.node.append(absenceNode(absence));
    }
    const { listing } = this;
    if (listing) {
      this._view = this._makeView(listing);
      const start =
        level === 'jaxpr'
          ? null
          : (this.listings.shownText(level)?.start ?? null);
      if (start !== null) {
        const { view } = this._view;
        const place =
          listing instanceof InPlaceListing ? listing.placeOf(start) : start;
        const { from } = view.state.doc.line(place + 1);
        view.dispatch({
          effects: EditorView.scrollIntoView(from, { y: 'start' })
        });
      }
      this.goToPlace();
      this._keepPlace(this._view);
    }
    this._options.host.changed(this);
  }

  /** Scroll the text to the place where the user read before. */
  goToPlace(): void {
    const place = this._options.place?.load() ?? null;
    if (place !== null) {
      this._view?.goToPlace(place);
    }
  }

  private _keepPlace(view: ListingView): void {
    const keep = this._options.place?.keep;
    if (keep === undefined) {
      return;
    }
    // A click or a key closes a fold, and the lines of the fold are gone when the event is over.
    const later = (): void => {
      requestAnimationFrame(() => {
        // Another text may have replaced this text, as exact links do.
        if (this._view === view && this.node.offsetParent !== null) {
          keep(view.place);
        }
      });
    };
    const options = { signal: this._listening.signal };
    view.view.scrollDOM.addEventListener('scroll', later, options);
    // The browser sends no click if the button of a fold is redrawn under the mouse: listen for pointerup.
    this.node.addEventListener('pointerup', later, options);
    this.node.addEventListener('keyup', later, options);
  }

  /** Shows, above the text of a program over several devices, how arrays are spread and what devices exchange. */
  private _showShardings(): void {
    const { model, snapshot, program, trans } = this._options;
    if (
      this._shardings === null &&
      this.node.isConnected &&
      shardingsOf(model).of(snapshot, program) !== null
    ) {
      const leave = (): void => this.focus();
      this._shardings = new ShardingsView({
        model,
        snapshot,
        program,
        trans,
        leave
      });
      Widget.attach(this._shardings, this.node);
    }
  }

  /**
   * Mark the lines that are linked to the selection; with `reveal`, scroll to them if another view made the selection.
   */
  mark(reveal: boolean): void {
    const { _view: view } = this;
    const { hover, selection } = this._options.model;
    if (!view) {
      return;
    }
    const linked = this._linked;
    const lines = view.listing.linkedLines(linked);
    view.mark(lines, view.listing.variables(linked));
    const pointed = hover ?? selection;
    if (reveal && pointed !== null && !this._own.has(pointed)) {
      view.reveal(lines);
    }
  }

  /**
   * Scroll to the selection at the next `mark`, even if this pane made the selection: the selected lines may be out of
   * view.
   */
  forgetOwn(): void {
    this._own = new WeakSet();
  }

  focus(): void {
    this._view?.focus();
  }

  /** Take the keyboard focus, on the first line that is linked to the selection. Returns false if there is no text. */
  enter(): boolean {
    if (!this._view) {
      return false;
    }
    const [first] = this._view.listing.linkedLines(this._linked);
    if (first !== undefined) {
      this._goTo(first);
    }
    this._view.focus();
    return true;
  }

  /**
   * Go to the next (1) or the previous (-1) of the linked lines, around at the ends; the selection does not change.
   *
   * Returns the number of the line among the linked lines, from 1, and the number of linked lines; null if no line is
   * linked.
   */
  nextLinked(by: 1 | -1): { at: number; of: number } | null {
    const view = this._view;
    if (!view) {
      return null;
    }
    const lines = this._screenLines(view.listing.linkedLines(this._linked));
    if (lines.length === 0) {
      return null;
    }
    const { state } = view.view;
    const here = state.doc.lineAt(state.selection.main.head).number - 1;
    let at =
      by > 0
        ? lines.findIndex(line => line > here)
        : lines.length - 1 - [...lines].reverse().findIndex(l => l < here);
    if (at < 0 || at >= lines.length) {
      at = by > 0 ? 0 : lines.length - 1;
    }
    this._goTo(lines[at]);
    return { at: at + 1, of: lines.length };
  }

  find(): void {
    this._view?.find();
  }

  // --- the text -----------------------------------------------------------------------------

  /**
   * Load the text, have the kernel make the text, or take the text from the document. Returns the reason why there is
   * none, if the user has to know.
   */
  private _fetch(name: TextLevel): IAbsence | null {
    const { trans, model } = this._options;
    const { program, pages, asked } = this.listings;
    if (this.listings.isTwin) {
      if (model.requests) {
        void pages.twin(name, model.requests);
        return null;
      }
      return {
        text: trans.__(
          'Only the kernel holds the text of the tagged program, and the kernel is not available. Go back to the program, or run the cell again.'
        ),
        action: null
      };
    }
    const level = program.levels.find(level => level.name === name);
    if (!level) {
      return {
        text: trans.__('This document has no %1.', levelTitle(name, trans)),
        action: null
      };
    }
    switch (level.state) {
      case 'held':
        pages.held(name, level);
        return null;
      case 'not_made':
        return this._notMade(name, level);
      case 'absent':
        return { text: level.reason ?? '', action: null };
      case 'on_request':
        break;
    }
    const { requests } = model;
    if (!requests) {
      return {
        text: trans.__(
          'Only the kernel holds this text, and the kernel is not available. Run the cell again to see the text.'
        ),
        action: null
      };
    }
    if (this.notice !== null && !asked.has(name)) {
      const run = (): void => void pages.text(name, requests);
      return { text: '', action: { label: trans.__('Try again'), run } };
    }
    void pages.text(name, requests);
    return null;
  }

  private _notMade(name: TextLevel, level: Level): IAbsence {
    const { trans, model } = this._options;
    if (!model.requests) {
      return { text: level.reason ?? '', action: null };
    }
    return {
      text: level.reason ?? '',
      action: {
        label: name === 'stablehlo' ? trans.__('Lower') : trans.__('Compile'),
        run: () => void this.listings.pages.make(name, model)
      }
    };
  }

  private _makeView(listing: IListing): ListingView {
    const { trans, model, host } = this._options;
    const { pages } = this.listings;
    const { level } = this;
    return new ListingView(
      this.node,
      listing,
      {
        hovered: selection => {
          this._keepOwn(selection);
          model.setHover(selection);
        },
        selected: selection => {
          this._keepOwn(selection);
          model.setSelection(selection);
        },
        entered: () => host.entered(this),
        moreWanted: line => void pages.more(level, line, model.requests),
        allWanted: () => void pages.all(level, () => model.requests)
      },
      trans,
      this._tools
    );
  }

  private _onListings(_: unknown, change: ListingsChange): void {
    if (change.level !== this.level) {
      return;
    }
    if (change.kind === 'spliced') {
      this._view?.splice(change.splice);
      this.mark(false);
      this._options.host.changed(this);
      return;
    }
    if (change.kind === 'replaced') {
      this._view?.dispose();
      this._view = null;
    }
    const hadView = this._view !== null;
    this.refresh();
    if (!hadView) {
      this.mark(true);
    }
  }

  private _onCosts(): void {
    this._takeHeat();
    this.mark(false);
  }

  private _onTwins(): void {
    const { snapshot, index } = this.listings;
    const isTwin = twinsOf(this._options.model).isShown(snapshot, index);
    this.listings.isTwin = isTwin;
    this.node.classList.toggle('jp-mod-twin', isTwin && this.level !== 'jaxpr');
  }

  private _takeHeat(): void {
    const { snapshot, index } = this.listings;
    const costs = costsOf(this._options.model);
    const cost = costs.heat ? costs.costOf(snapshot, index) : null;
    this.listings.heat(cost);
    this.node.classList.toggle('jp-mod-heat', cost !== null);
  }

  // --- pointing -----------------------------------------------------------------------------

  private get _linked(): ILinked {
    const { model, resolve } = this._options;
    const pointed = model.hover ?? model.selection;
    return resolve ? resolve(pointed) : this.listings.links.resolve(pointed);
  }

  private _keepOwn(selection: Selection | null): void {
    if (selection !== null) {
      this._own.add(selection);
    }
  }

  /**
   * The first lines of the given lines as the screen shows them, without repetition: folded lines are one line on
   * screen.
   */
  private _screenLines(lines: readonly number[]): number[] {
    const view = this._view;
    return view
      ? [...new Set(lines.map(line => view.shownAs(line).first))]
      : [];
  }

  /** Move the keyboard's line; the selection does not change. */
  private _goTo(index: number): void {
    const view = this._view;
    if (view) {
      view.reveal([index]);
      const { first } = view.shownAs(index);
      const { from } = view.view.state.doc.line(first + 1);
      view.view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: 'nearest' })
      });
    }
  }

  private _onKey(event: KeyboardEvent): void {
    const view = this._view;
    if (!view?.view.contentDOM.contains(event.target as Node)) {
      return; // typed into a field, such as that of the search
    }
    const { host } = this._options;
    dispatchKey(event, 'level', {
      nextLinked: () => this._step(1),
      previousLinked: () => this._step(-1),
      nextLevel: () => host.left(this, 1),
      previousLevel: () => host.left(this, -1),
      exactLinks: () => {
        this._bar.exact?.toggle();
        return this._bar.exact !== null;
      },
      shardings: () => {
        this._shardings?.enter();
        return this._shardings !== null;
      }
    });
  }

  private _step(by: 1 | -1): void {
    const place = this.nextLinked(by);
    this._options.host.stepped?.(place);
  }

  private _tools: ReadingTools;
  private _bar: LevelBar;
  private _shardings: ShardingsView | null = null;
  private _view: ListingView | null = null;
  /** Selections that were made in this pane: their lines are in view already. */
  private _own = new WeakSet<Selection>();
  private _listening = new AbortController();
  private _isDisposed = false;
}

function absenceNode({ text, action }: IAbsence): HTMLElement {
  const node = element('div', 'jp-JaxprProgram-absent');
  if (text) {
    node.append(element('p', '', text));
  }
  if (action) {
    const button = element('button', 'jp-JaxprProgram-make', action.label);
    button.addEventListener('click', action.run);
    node.append(button);
  }
  return node;
}
