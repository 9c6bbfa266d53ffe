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
import { IDisposable } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';

import { costsOf } from '../../model/costs';
import { twinsOf } from '../../model/exact-links';
import type { ILinked } from '../../model/links';
import { shardingsOf } from '../../model/shardings';
import { sourceFilesOf } from '../../model/source-files';
import type { LevelName, Selection } from '../../tokens';
import { disposeWidget } from '../../parts/dispose-widget';
import { ShardingsView } from '../shardings';
import { element } from '../../parts/dom';
import { absenceNode, fetchText } from './absent-text';
import { CalledComputationsListing } from './called-computations-listing';
import { keepPlace } from './kept-place';
import type {
  IHandedOver,
  ILevelCount,
  ILevelPaneOptions
} from './level-pane-options';
import { nextAround } from './next-around';
import type { IListing } from '../listing/listing';
import { ListingView } from '../listing/listing-view';
import { giveBackEditor } from '../listing/spare-editors';
import {
  ListingsChange,
  ProgramListings,
  closeListings,
  openListings
} from './program-listings';
import { dispatchKey } from '../../view-keys';
import { ReadingTools } from '../reading/reading-tools';
import { LevelBar, editorIn } from './level-bar';
import type { TextListing } from './text-listing';

/** Remove what a closed pane left on the page, if no pane replaces the closed one. */
export function dropHandedOver({ node, editor }: IHandedOver): void {
  if (editor) {
    giveBackEditor(editor);
  }
  node.remove();
}

/** The pane of one level of one program. */
export class LevelPane implements IDisposable {
  constructor(private _options: ILevelPaneOptions) {
    const { snapshot, program, level, trans, model } = _options;
    this.level = level;
    this.listings = openListings(snapshot, program, trans);
    this._before = _options.before?.editor ?? null;
    this.node =
      _options.before?.node ?? element('div', 'jp-JaxprProgram-listing');
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

  /** The lines of the level; null until the text has arrived. */
  get listing(): IListing | null {
    return this.listings.listing(this.level);
  }

  /**
   * The program's own StableHLO or HLO, also while the text of the twin (the tagged copy) is shown; null until the text
   * has arrived.
   */
  get text(): TextListing | null {
    return this.level === 'jaxpr'
      ? null
      : (this.listings.texts.get(this.level) ?? null);
  }

  /** A sentence about this level for the user; null if there is none. */
  get notice(): string | null {
    return this.listings.notice(this.level);
  }

  /** The number of equations of a jaxpr, or of lines of StableHLO or HLO; null until the text has arrived. */
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
    dropHandedOver(this.handOver());
  }

  /**
   * End as `dispose` does, but leave the node and the editor on the page; return both for the pane that replaces this
   * pane.
   *
   * The lines that both texts have then keep their elements, so that the browser does not lay out the whole text again:
   * with Live on, this happens at each pause of the user's typing.
   */
  handOver(): IHandedOver {
    this._isDisposed = true;
    this._listening.abort();
    this.listings.changed.disconnect(this._onListings, this);
    costsOf(this._options.model).changed.disconnect(this._onCosts, this);
    twinsOf(this._options.model).changed.disconnect(this._onTwins, this);
    const editor = this._view?.handOver() ?? this._before;
    this._view = null;
    this._before = null;
    this._bar.dispose();
    disposeWidget(this._shardings);
    closeListings(this.listings);
    return { node: this.node, editor };
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
        : fetchText(level, this.listings, this._options);
    if (absence) {
      this.node.append(absenceNode(absence));
    }
    const { listing } = this;
    if (!listing && this._before) {
      giveBackEditor(this._before);
      this._before = null;
    }
    if (listing) {
      const isHandedOver = this._before !== null;
      this._view = this._makeView(listing);
      const start =
        level === 'jaxpr'
          ? null
          : (this.listings.shownText(level)?.start ?? null);
      if (start !== null || isHandedOver) {
        const { view } = this._view;
        const place =
          start !== null && listing instanceof CalledComputationsListing
            ? listing.placeOf(start)
            : (start ?? 0);
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

  /** Scroll the text to the saved reading position. */
  goToPlace(): void {
    const place = this._options.place?.load() ?? null;
    if (place !== null) {
      this._view?.goToPlace(place);
    }
  }

  private _keepPlace(view: ListingView): void {
    const keep = this._options.place?.keep;
    if (keep !== undefined) {
      // After another text has replaced this text (as the text of the tagged copy does), positions of this view are not
      // saved.
      const isShown = (): boolean =>
        this._view === view && this.node.offsetParent !== null;
      keepPlace(view, this.node, isShown, keep, this._listening.signal);
    }
  }

  /**
   * Shows, above the text of a program that runs on several devices, how its arrays are sharded and what the devices
   * exchange.
   */
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
      Widget.attach(this._shardings, this.node, editorIn(this.node));
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

  /**
   * Take the keyboard focus and go to the first line that is linked to the selection. Returns false if there is no
   * text.
   */
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
    const at = nextAround(lines, here, by);
    this._goTo(lines[at]);
    return { at: at + 1, of: lines.length };
  }

  find(): void {
    this._view?.find();
  }

  // --- the editor of the text and the costs beside its lines --------------------------------

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
        allWanted: () => void pages.all(level, () => model.requests),
        stepsWanted: model.fromSaved ? undefined : host.stepsWanted
      },
      trans,
      this._tools,
      this._takeBefore()
    );
  }

  private _takeBefore(): EditorView | null {
    const editor = this._before;
    this._before = null;
    return editor;
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

  // --- the selection, the linked lines and the keys -----------------------------------------

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

  /** Move the line that the keyboard has chosen; the selection does not change. */
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
      return; // the keyboard focus is not in the text, but for example in the search field
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
  /** The editor of the closed pane that this pane replaces, until this pane has a text. */
  private _before: EditorView | null;
  /** Selections that the user made in this pane: their lines are already in view. */
  private _own = new WeakSet<Selection>();
  private _listening = new AbortController();
  private _isDisposed = false;
}
