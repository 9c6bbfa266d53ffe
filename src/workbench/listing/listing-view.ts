/**
 * The editor that shows a listing: numbers, folds, chips, badges, links, and the marks of the selection.
 *
 * The text is CodeMirror's, so selecting, copying, searching and scrolling work as in every editor. Everything else is
 * made for the lines on screen only, from the data of the listing.
 */
import { EditorState, Extension, Prec } from '@codemirror/state';
import {
  EditorView,
  ViewPlugin,
  hoverTooltip,
  keymap,
  showPanel,
  tooltips
} from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { aboveAll } from '../../host';
import type { Selection } from '../../tokens';
import {
  ChosenField,
  VariablePanel,
  chosenField,
  definitionFrom,
  nextUseFrom
} from './chosen-variable';
import type { ITextPlace } from '../../model/reading-place';
import { copySelection } from './copied-text';
import { closedBetween, folding } from './folding';
import { hiddenLines, hiding, isHidden, showLines } from './hidden-lines';
import type {
  IConstruct,
  IListedFold,
  IListing,
  IListingEvents,
  ISplice
} from './listing';
import { IListingHost, listingHost } from './listing-buttons';
import { Display } from './listing-display';
import { IKeysHost, ListingKeys } from './key-handlers';
import { columnsOf, lineWidth } from './line-columns';
import {
  NO_MARKS,
  marks,
  openChips,
  setChips,
  setMarks
} from './listing-marks';
import { IToolsHost, ListingTools } from './listing-tools';
import { keyBindings } from '../../view-keys';
import { highlighting } from '../reading/matches';
import type { ReadingTools } from '../reading/reading-tools';
import { rememberDocument } from '../reading/search-panel';
import { sourceHeads } from './source-heads';
import { giveBackEditor, takeEditor } from './spare-editors';
import { closeFolds, goToPlace, isClosed, placeOf } from './text-place';
import { tokenBreaking } from './token-breaks';
import { wordTooltip } from './word-tooltip';

/**
 * Lines wrap in listings of up to this many lines. Measured at 100,000 lines, a frame of scrolling takes no longer with
 * wrapping (the editor lays out only the lines on screen), and a narrow panel never scrolls sideways.
 */
const MOST_WRAPPED = 200000;

/**
 * An editor that shows one listing.
 *
 * `before` is the editor of the listing that this listing replaces, from `handOver`: lines that both listings have keep
 * their elements.
 */
export class ListingView implements IListingHost, IKeysHost, IToolsHost {
  constructor(
    parent: HTMLElement,
    private _listing: IListing,
    private _events: IListingEvents,
    private _trans: TranslationBundle,
    tools: ReadingTools,
    before: EditorView | null = null
  ) {
    const doc = _listing.document();
    this.chosen = chosenField(_listing);
    this._reading = new ListingTools(this, tools, _events, _trans);
    this._keys = new ListingKeys(this, tools, _events);
    this._wraps = doc.lines <= MOST_WRAPPED;
    parent.style.setProperty('--jjx-digits', `${_listing.digits}`);
    const root = parent.getRootNode();
    this.view = takeEditor(
      // A host may draw the widget in a shadow tree, where styles and the selection are the tree's own.
      root instanceof ShadowRoot ? root : document,
      doc,
      this._extensions(folding(doc, _listing.allFolds())),
      before
    );
    // The node is appended only now: while the editor is made, a look at its width would lay out the whole page.
    if (this.view !== before) {
      parent.append(this.view.dom);
    }
    rememberDocument(_listing, doc);
    this._reading.start();
  }

  readonly view: EditorView;
  readonly chosen: ChosenField;

  get listing(): IListing {
    return this._listing;
  }

  dispose(): void {
    giveBackEditor(this.handOver());
  }

  /** End as `dispose` does, but leave the editor in its place, with its text; return the editor for the next listing. */
  handOver(): EditorView {
    this._reading.dispose();
    return this.view;
  }

  focus(): void {
    this.view.focus();
  }

  get isSearched(): boolean {
    return this._reading.isSearched;
  }

  /** Open the search line, or focus it; the search starts with the text that is selected in a line. */
  find(): void {
    this._reading.find();
  }

  /** Mark lines and variables; the lines are ascending. */
  mark(lines: readonly number[], variables: ReadonlySet<string>): void {
    this.view.dispatch({ effects: setMarks.of({ lines, variables }) });
  }

  /** Scroll to the first of some lines, unless one of the lines is in view. */
  reveal(lines: readonly number[]): void {
    if (lines.length === 0) {
      return;
    }
    const { doc } = this.view.state;
    const hidden = this.view.state.field(hiddenLines);
    if (lines.every(line => isHidden(hidden, line))) {
      this.view.dispatch({ effects: showLines.of(lines) });
    }
    const first = doc.line(lines[0] + 1);
    const around = closedBetween(this.view.state, first.from, first.to)
      .map(({ fold }) => fold)
      .filter(fold => !fold.whole && fold.first < lines[0]);
    if (around.length > 0) {
      this.setFolds(around, false);
    }
    const box = this.view.scrollDOM.getBoundingClientRect();
    const seen = lines.some(index => {
      const { from } = doc.line(index + 1);
      if (from < this.view.viewport.from || from > this.view.viewport.to) {
        return false;
      }
      const block = this.view.lineBlockAt(from);
      const top = block.top + this.view.documentTop;
      return top >= box.top && top + block.height <= box.bottom;
    });
    if (!seen) {
      this.view.dispatch({
        effects: EditorView.scrollIntoView(first.from, { y: 'center' })
      });
    }
  }

  /** Go to a line, as a click on the line does. */
  goTo(index: number): void {
    const { from } = this.view.state.doc.line(index + 1);
    this.view.dispatch({
      selection: { anchor: from + 1 },
      effects: EditorView.scrollIntoView(from, { y: 'center' })
    });
    this._select(index);
    this.focus();
  }

  /** The user's reading position: the top line, the closed folds, the open chips. */
  get place(): ITextPlace {
    return placeOf(this.view, this._folds);
  }

  /** Scroll the text to a saved reading position, with its closed folds. */
  goToPlace(place: ITextPlace): void {
    goToPlace(this.view, this._folds, place);
  }

  foldAll(): void {
    this.setFolds(this._folds, true);
  }

  unfoldAll(): void {
    this.setFolds(this._folds, false);
  }

  /** All folds of the listing, including groups. */
  private get _folds(): IListedFold[] {
    return [...this._listing.allFolds(), ...this._reading.groups];
  }

  /** True if any fold is closed. */
  get hasClosed(): boolean {
    const { state } = this.view;
    return closedBetween(state, 0, state.doc.length).length > 0;
  }

  /** Replaces lines of the editor's text as the listing has replaced lines. */
  splice({ at, removed, lines }: ISplice): void {
    const { doc } = this.view.state;
    const from = doc.line(at + 1).from;
    const to = doc.line(at + removed).to;
    const folds: IListedFold[] = [];
    this.view.dispatch({
      changes: { from, to, insert: lines.join('\n') },
      effects: [setMarks.of(NO_MARKS), this._reading.hiding()]
    });
    rememberDocument(this._listing, this.view.state.doc);
    for (let index = at; index < at + lines.length; index++) {
      for (const fold of this._listing.folds(index)) {
        if (fold.closed) {
          folds.push(fold);
        }
      }
    }
    if (folds.length > 0) {
      this.setFolds(folds, true);
    }
    this._reading.spliced();
  }

  foldsAt(index: number): readonly IListedFold[] {
    return this._reading.foldsAt(index);
  }

  private _extensions(folds: Extension): Extension[] {
    return [
      listingHost.of(this),
      marks,
      openChips,
      folds,
      hiding,
      sourceHeads,
      highlighting,
      this.chosen,
      lineWidth,
      ViewPlugin.define(view => new Display(view, this, this.chosen), {
        decorations: display => display.decorations
      }),
      this._wraps
        ? [
            EditorView.lineWrapping,
            tokenBreaking((view, index) => {
              const depth = this._listing.indentation(index).length / 2;
              const { badge } = this._listing.line(index);
              return columnsOf(view, depth, badge?.text)?.further ?? null;
            })
          ]
        : [],
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({
        'aria-label': this._listing.label,
        'aria-readonly': 'true',
        tabindex: '0'
      }),
      this._reading.extension,
      this._listing.variableRange
        ? showPanel.of(
            () =>
              new VariablePanel(this.chosen, this._trans, {
                definition: () => this._keys.goToPlace(definitionFrom),
                nextUse: () => this._keys.goToPlace(nextUseFrom)
              })
          )
        : [],
      Prec.highest(keymap.of(keyBindings('text', this._keys.handlers))),
      // The panel is a CSS container, inside which nothing can be placed relative to the window.
      tooltips({ parent: aboveAll() }),
      hoverTooltip(
        (view, position, side) =>
          wordTooltip(this._listing, view, position, side),
        {
          hoverTime: 350
        }
      ),
      EditorView.domEventHandlers({
        mousemove: event => this._hover(event.target as Element),
        mouseleave: () => this._hoverLine(-1),
        mousedown: () => this._byMouse(true),
        keydown: () => this._byMouse(false),
        click: event => this._click(event),
        copy: event => copySelection(event, this._listing, this.view.state)
      })
    ];
  }

  // --- mouse, clicks and the chosen line --------------------------------------------------

  private _hover(target: Element): void {
    const line = target.closest('.cm-line');
    this._hoverLine(
      line && this.view.contentDOM.contains(line)
        ? this.view.state.doc.lineAt(this.view.posAtDOM(line)).number - 1
        : -1
    );
  }

  /** If the user moves the mouse, the focus ring is hidden, because only users of the keyboard need it. */
  private _byMouse(mouse: boolean): boolean {
    this.view.dom.parentElement?.classList.toggle('jp-mod-byMouse', mouse);
    return false;
  }

  private _hoverLine(index: number): void {
    if (index !== this._hovered) {
      this._hovered = index;
      this._events.hovered(index < 0 ? null : this._pointed(index));
    }
  }

  private _click(event: MouseEvent): boolean {
    const line = (event.target as Element).closest('.cm-line');
    if (
      line &&
      this.view.contentDOM.contains(line) &&
      this.view.state.selection.main.empty
    ) {
      const index =
        this.view.state.doc.lineAt(this.view.posAtDOM(line)).number - 1;
      const box = line.getBoundingClientRect();
      this._select(index);
      if (event.altKey) {
        return this._keys.goToPlace(definitionFrom);
      }
      if (event.clientX > box.right - BADGE_WIDTH) {
        this._events.entered();
      }
    }
    return false;
  }

  private _select(index: number): void {
    this._events.selected(this._pointed(index));
  }

  /** Choose a line by the keyboard, as `_select` does for the mouse; a resting mouse is ignored until it moves. */
  selectByKey(index: number): void {
    this._events.hovered(null);
    this._select(index);
  }

  private _pointed(index: number): Selection | null {
    const { first, last } = this.shownAs(index);
    return this._listing.selection(first, last);
  }

  /** The lines that the screen shows as one line with this line; more than one only for a closed call. */
  shownAs(index: number): { first: number; last: number } {
    const { doc } = this.view.state;
    const { from } = doc.line(index + 1);
    for (const closed of closedBetween(this.view.state, from, from)) {
      if (closed.fold.whole) {
        return { first: closed.fold.first, last: closed.fold.last };
      }
    }
    return { first: index, last: index };
  }

  isClosed(fold: IListedFold): boolean {
    return isClosed(this.view, fold);
  }

  toggle(fold: IListedFold): void {
    this.setFolds([fold], !this.isClosed(fold));
  }

  openChipsAt(at: number): void {
    this.view.dispatch({ effects: setChips.of({ at, open: true }) });
  }

  more(index: number): void {
    if (index >= this.view.state.doc.lines) {
      return;
    }
    this._events.moreWanted(index);
  }

  constructAt(index: number): IConstruct | null {
    return this._events.stepsWanted === undefined
      ? null
      : (this._listing.construct?.(index) ?? null);
  }

  showSteps(construct: IConstruct): void {
    this._events.stepsWanted?.(construct);
  }

  get trans(): TranslationBundle {
    return this._trans;
  }

  setFolds(folds: readonly IListedFold[], closed: boolean): void {
    closeFolds(this.view, folds, closed);
  }

  private _wraps: boolean;
  private _reading: ListingTools;
  private _keys: ListingKeys;
  private _hovered = -1;
}

/** The width in pixels of the right edge of a line, where a click goes to the cell. */
const BADGE_WIDTH = 30;
