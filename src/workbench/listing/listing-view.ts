/**
 * A listing comes in; an editor that shows it goes out: numbers, folds, chips, badges, links, and what the user
 * points at.
 *
 * The text is CodeMirror's, so selecting, copying, searching and scrolling are those of every editor. All else is made
 * for the lines on screen only, from what the listing says of them.
 */
import {
  Compartment,
  EditorSelection,
  EditorState,
  Extension,
  Prec,
  StateEffect
} from '@codemirror/state';
import {
  EditorView,
  ViewPlugin,
  hoverTooltip,
  keymap,
  showPanel,
  tooltips
} from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import type { Selection } from '../../tokens';
import {
  ChosenField,
  VariablePanel,
  choose,
  chosenField,
  definitionFrom,
  nextUseFrom,
  nextVariable
} from './chosen-variable';
import { closedBetween, foldRange, folding, setFolds } from './folding';
import { GroupsPanel } from '../reading/groups-panel';
import {
  hiddenLines,
  hiding,
  isGap,
  isHidden,
  setHidden,
  showLines
} from './hidden-lines';
import type { IListedFold, IListing, ISplice, IVariablePlace } from './listing';
import type { IListingHost } from './listing-buttons';
import { Display } from './listing-display';
import {
  NO_MARKS,
  marks,
  openChips,
  setChips,
  setMarks,
  startsAt
} from './listing-marks';
import { KeyHandlers, keyBindings } from '../reading/keys';
import {
  NO_MATCHES,
  goToMatch,
  highlighting,
  setMatches
} from '../reading/matches';
import { bitsOf } from '../reading/noise';
import { NoisePanel } from '../reading/noise-panel';
import type { ReadingTools } from '../reading/reading-tools';
import { SearchPanel, rememberDocument } from '../reading/search-panel';
import { setHeads, sourceHeads } from './source-heads';

/**
 * Lines wrap up to this many: measured at 100,000, a frame of scrolling takes no longer than without (only what is on
 * screen is laid out), and a narrow panel is never scrolled sideways.
 */
const MOST_WRAPPED = 200000;

/** What the view tells. */
export interface IListingEvents {
  /** The mouse is over a line, or over none. */
  hovered(selection: Selection | null): void;
  /** A line was chosen, by mouse or keyboard. */
  selected(selection: Selection | null): void;
  /** Go to the cell. */
  entered(): void;
  /** The button of a line that stands for more was seen or pressed. */
  moreWanted(line: number): void;
  /** All of the text is needed, for a search. */
  allWanted(): void;
}

/** An editor that shows one listing. */
export class ListingView implements IListingHost {
  constructor(
    parent: HTMLElement,
    private _listing: IListing,
    private _events: IListingEvents,
    private _trans: TranslationBundle,
    private _tools: ReadingTools
  ) {
    const doc = _listing.document();
    this._chosen = chosenField(_listing);
    this._wraps = doc.lines <= MOST_WRAPPED;
    parent.style.setProperty('--jjx-digits', `${_listing.digits}`);
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc,
        extensions: this._extensions(folding(doc, _listing.allFolds()))
      })
    });
    rememberDocument(_listing, doc);
    _tools.searchChanged.connect(this._onSearch, this);
    _tools.filtersChanged.connect(this._onFilters, this);
    this._onSearch();
    if (_tools.hidden.size > 0 || _tools.grouped || _tools.interleaved) {
      this._onFilters();
    }
  }

  readonly view: EditorView;

  get listing(): IListing {
    return this._listing;
  }

  dispose(): void {
    this._tools.searchChanged.disconnect(this._onSearch, this);
    this._tools.filtersChanged.disconnect(this._onFilters, this);
    this._listing.heads.changed.disconnect(this._showHeads, this);
    // JupyterLab keeps the last key's event, and with it this node: the text is not to stay with it.
    this.view.setState(EditorState.create());
    this.view.destroy();
  }

  focus(): void {
    this.view.focus();
  }

  /** Open the search line, or go back into it; what is selected in a line is sought. */
  find(): void {
    const { doc, selection } = this.view.state;
    const { from, to, empty } = selection.main;
    if (!empty && to <= doc.lineAt(from).to) {
      const text = doc.sliceString(from, to);
      this._tools.sought = { ...this._tools.sought, text, regexp: false };
    }
    if (this._search) {
      this._search.mount();
    } else {
      this._tools.searchedIn = this._listing.level;
    }
  }

  /** Mark lines and variables; the lines ascending. */
  mark(lines: readonly number[], variables: ReadonlySet<string>): void {
    this.view.dispatch({ effects: setMarks.of({ lines, variables }) });
  }

  /** Bring the first of some lines into view, unless one of them is. */
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
      this._setFolds(around, false);
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

  /** Go to a line, as if it had been clicked. */
  goTo(index: number): void {
    const { from } = this.view.state.doc.line(index + 1);
    this.view.dispatch({
      selection: { anchor: from + 1 },
      effects: EditorView.scrollIntoView(from, { y: 'center' })
    });
    this._select(index);
    this.focus();
  }

  foldAll(): void {
    this._setFolds([...this._listing.allFolds(), ...this._groups], true);
  }

  unfoldAll(): void {
    this._setFolds([...this._listing.allFolds(), ...this._groups], false);
  }

  /** Whether any fold is closed. */
  get hasClosed(): boolean {
    const { state } = this.view;
    return closedBetween(state, 0, state.doc.length).length > 0;
  }

  /** The listing has other lines now. */
  splice({ at, removed, lines }: ISplice): void {
    const { doc } = this.view.state;
    const from = doc.line(at + 1).from;
    const to = doc.line(at + removed).to;
    const folds: IListedFold[] = [];
    this.view.dispatch({
      changes: { from, to, insert: lines.join('\n') },
      effects: [setMarks.of(NO_MARKS), this._hiding()]
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
      this._setFolds(folds, true);
    }
    if (this._tools.grouped) {
      this._regroup();
    }
  }

  /** What can be folded from a line on, the outer one first. */
  foldsAt(index: number): readonly IListedFold[] {
    const folds = this._listing.folds(index);
    const groups = this._groupsAt.get(index);
    return groups
      ? [...groups, ...folds].sort((a, b) => b.last - a.last)
      : folds;
  }

  private _extensions(folds: Extension): Extension[] {
    return [
      marks,
      openChips,
      folds,
      hiding,
      sourceHeads,
      highlighting,
      this._chosen,
      ViewPlugin.define(view => new Display(view, this, this._chosen), {
        decorations: display => display.decorations
      }),
      this._wraps ? EditorView.lineWrapping : [],
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({
        'aria-label': this._listing.label,
        'aria-readonly': 'true',
        tabindex: '0'
      }),
      this._searchPlace.of([]),
      this._noisePlace.of([]),
      this._groupsPlace.of([]),
      this._listing.variableRange
        ? showPanel.of(
            () =>
              new VariablePanel(this._chosen, this._trans, {
                definition: () => this._goToPlace(definitionFrom),
                nextUse: () => this._goToPlace(nextUseFrom)
              })
          )
        : [],
      Prec.highest(keymap.of(keyBindings('text', this._keys()))),
      // The panel is a container of its own, inside which nothing is placed by the window.
      tooltips({ parent: document.body }),
      hoverTooltip(
        (view, position, side) => this._tooltip(view, position, side),
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
        copy: event => this._copy(event)
      })
    ];
  }

  // --- reading tools -----------------------------------------------------------------------

  private _onSearch(): void {
    const isHere = this._tools.searchedIn === this._listing.level;
    if (isHere === (this._search !== null)) {
      return;
    }
    this._search = null;
    this.view.dispatch({
      effects: [
        setMatches.of(NO_MATCHES),
        this._searchPlace.reconfigure(
          isHere
            ? showPanel.of(view => {
                this._search = new SearchPanel(
                  view,
                  this._listing,
                  this._tools,
                  this._trans
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
    const effects: StateEffect<unknown>[] = [this._hiding()];
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
                    this._listing,
                    this._tools,
                    this._trans,
                    lines => this.reveal(lines)
                  )
              )
            : []
        )
      );
    }
    this.view.dispatch({ effects });
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

  /** Have the groups that are wanted now; those that were open stay open. */
  private _regroup(): void {
    const before = new Set(this._groups);
    this._groups = this._isGrouped ? (this._listing.nameFolds?.() ?? []) : [];
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
    this._setFolds(gone, false);
    this._setFolds(fresh, true);
  }

  private _showGroups(): void {
    const isShown = this._isGrouped && this._listing.nameFolds !== undefined;
    this.view.dispatch({
      effects: this._groupsPlace.reconfigure(
        isShown
          ? showPanel.of(
              view =>
                new GroupsPanel(
                  view,
                  () => this._groups,
                  this._tools,
                  this._trans,
                  (folds, closed) => this._setFolds(folds, closed)
                )
            )
          : []
      )
    });
  }

  /** Have the lines of source that are wanted now, with the texts that are here now. */
  private _showHeads(): void {
    const { heads } = this._listing;
    heads.changed.disconnect(this._showHeads, this);
    this.view.dispatch({
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

  private _hiding(): ReturnType<typeof setHidden.of> {
    const { hidden } = this._tools;
    return setHidden.of({
      bits: hidden.size > 0 ? this._listing.noise() : new Uint8Array(0),
      mask: bitsOf(hidden)
    });
  }

  /** Go to a place of a variable, and choose it there. */
  private _goToPlace(
    find: (
      state: EditorState,
      field: ChosenField,
      listing: IListing
    ) => IVariablePlace | null
  ): boolean {
    const place = find(this.view.state, this._chosen, this._listing);
    if (place) {
      this.reveal([place.line]);
      choose(this.view, place);
      this._selectByKey(place.line);
      this.focus();
    } else if (find === definitionFrom) {
      const { reference } = this._listing.line(this._current());
      if (reference) {
        this.goTo(reference.line);
        this.focus();
      }
    }
    return true;
  }

  private _nextVariable(step: 1 | -1): boolean {
    const place = nextVariable(
      this.view.state,
      this._chosen,
      this._listing,
      step
    );
    if (place) {
      choose(this.view, place);
    }
    return true;
  }

  // --- pointing ---------------------------------------------------------------------------

  private _hover(target: Element): void {
    const line = target.closest('.cm-line');
    this._hoverLine(
      line && this.view.contentDOM.contains(line)
        ? this.view.state.doc.lineAt(this.view.posAtDOM(line)).number - 1
        : -1
    );
  }

  /** Whoever points with the mouse sees where; the ring of the focus is for the keyboard. */
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
        return this._goToPlace(definitionFrom);
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

  /** As `_select`, by the keyboard: where the mouse happens to rest does not count until it moves. */
  private _selectByKey(index: number): void {
    this._events.hovered(null);
    this._select(index);
  }

  private _pointed(index: number): Selection | null {
    const { first, last } = this.shownAs(index);
    return this._listing.selection(first, last);
  }

  /** The lines that are one on screen with this one; more than one only behind a closed call. */
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

  private _tooltip(
    view: EditorView,
    position: number,
    side: number
  ): { pos: number; end: number; create: () => { dom: HTMLElement } } | null {
    const line = view.state.doc.lineAt(position);
    const column = position - line.from;
    const described = this._listing.describe(line.number - 1, column);
    if (
      !described ||
      (column === described.from && side < 0) ||
      (column === described.to && side > 0)
    ) {
      return null;
    }
    return {
      pos: line.from + described.from,
      end: line.from + described.to,
      create: () => {
        const dom = document.createElement('div');
        dom.className = 'jp-JaxprProgram-tip';
        dom.append(described.node);
        return { dom };
      }
    };
  }

  private _copy(event: ClipboardEvent): boolean {
    const { doc, selection } = this.view.state;
    const { from, to } = selection.main;
    if (from === to || !event.clipboardData) {
      return false;
    }
    const whole =
      from === 0 && to === doc.length ? this._listing.wholeText() : null;
    event.preventDefault();
    event.clipboardData.clearData();
    event.clipboardData.setData(
      'text/plain',
      whole ?? this.textBetween(from, to)
    );
    return true;
  }

  /** The text of a selection: lines that are in it from their start have their indentation. */
  textBetween(from: number, to: number): string {
    const { doc } = this.view.state;
    const lines: string[] = [];
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      const text = line.text.slice(at - line.from, to - line.from);
      const whole = at === line.from && (to > line.to || lines.length > 0);
      lines.push(
        whole ? this._listing.indentation(line.number - 1) + text : text
      );
      at = line.to + 1;
    }
    return lines.join('\n');
  }

  // --- keys -------------------------------------------------------------------------------

  private _keys(): KeyHandlers<'text'> {
    const { _tools: tools } = this;
    const page = (): number =>
      Math.max(
        1,
        Math.floor(
          this.view.scrollDOM.clientHeight / this.view.defaultLineHeight
        ) - 1
      );
    return {
      nextLine: () => this._move(index => this._next(index, 1)),
      previousLine: () => this._move(index => this._next(index, -1)),
      nextPage: () => this._move(index => this._next(index, page())),
      previousPage: () => this._move(index => this._next(index, -page())),
      firstLine: () => this._move(() => 0),
      lastLine: () => this._move(() => this.view.state.doc.lines - 1),
      unfold: () => this._unfoldHere(),
      fold: () => this._foldHere(),
      enterCell: () => this._enter(),
      markNothing: () => this._events.selected(null),
      definition: () => this._goToPlace(definitionFrom),
      nextUse: () => this._goToPlace(nextUseFrom),
      nextVariable: () => this._nextVariable(1),
      previousVariable: () => this._nextVariable(-1),
      nextMatch: () => this._nextMatch(1),
      previousMatch: () => this._nextMatch(-1),
      convert: () => tools.toggle('convert'),
      broadcast: () => tools.toggle('broadcast'),
      wrapper: () => tools.toggle('wrapper'),
      unused: () => tools.toggle('unused'),
      group: () => {
        tools.grouped = !tools.grouped;
      },
      source: () => {
        tools.interleaved = !tools.interleaved;
      },
      unfoldAll: () => this.unfoldAll(),
      foldAll: () => this.foldAll(),
      showHidden: () => tools.setHidden([]),
      selectAll: () =>
        this.view.dispatch({
          selection: EditorSelection.single(0, this.view.state.doc.length),
          scrollIntoView: false
        })
    };
  }

  private _enter(): void {
    const index = this._current();
    if (this._listing.line(index).button !== null) {
      this._events.moreWanted(index);
    } else {
      this._selectByKey(index);
      this._events.entered();
    }
  }

  private _nextMatch(step: 1 | -1): boolean {
    if (!goToMatch(this.view, step) && this._search === null) {
      this.find();
    }
    return true;
  }

  private _current(): number {
    const { state } = this.view;
    return state.doc.lineAt(state.selection.main.head).number - 1;
  }

  private _move(step: (index: number) => number): boolean {
    const { doc } = this.view.state;
    const wanted = step(this._current());
    const index = this.shownAs(
      Math.min(Math.max(wanted, 0), doc.lines - 1)
    ).first;
    const line = doc.line(index + 1);
    const { from } = this.view.lineBlockAt(line.from);
    this.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'nearest' })
    });
    this._selectByKey(doc.lineAt(from).number - 1);
    return true;
  }

  /** The line so many lines on screen below or above. */
  private _next(index: number, by: number): number {
    const { view } = this;
    const { doc } = view.state;
    let block = view.lineBlockAt(doc.line(index + 1).from);
    for (let i = 0; i < Math.abs(by); i++) {
      const at = by > 0 ? block.to + 1 : block.from - 1;
      if (at < 0 || at > doc.length) {
        break;
      }
      block = view.lineBlockAt(at);
      while (
        isGap(block) &&
        (by > 0 ? block.to < doc.length : block.from > 0)
      ) {
        block = view.lineBlockAt(by > 0 ? block.to + 1 : block.from - 1);
      }
    }
    return doc.lineAt(block.from).number - 1;
  }

  private _unfoldHere(): boolean {
    const index = this._current();
    const { doc } = this.view.state;
    const line = doc.line(index + 1);
    const [closed] = closedBetween(this.view.state, line.from, line.to);
    if (closed && closed.fold.first === index) {
      this._setFolds([closed.fold], false);
    } else if (this._listing.line(index).chips.length > 0) {
      this.view.dispatch({
        effects: setChips.of({ at: line.from, open: true })
      });
    }
    return true;
  }

  private _foldHere(): boolean {
    const index = this._current();
    const { doc } = this.view.state;
    const { from } = doc.line(index + 1);
    if (startsAt(this.view.state.field(openChips), from)) {
      this.view.dispatch({ effects: setChips.of({ at: from, open: false }) });
      return true;
    }
    const open = this.foldsAt(index).filter(fold => !this.isClosed(fold));
    if (open.length > 0) {
      this._setFolds([open[open.length - 1]], true);
      return true;
    }
    return this._foldAround(index);
  }

  /** Close the innermost fold around a line, and go to its first line. */
  private _foldAround(index: number): boolean {
    for (let first = index - 1; first >= 0; first--) {
      for (const fold of [...this.foldsAt(first)].reverse()) {
        if (fold.last >= index && !this.isClosed(fold)) {
          const { from } = this.view.state.doc.line(first + 1);
          this.view.dispatch({ selection: { anchor: from } });
          this._setFolds([fold], true);
          this._selectByKey(first);
          return true;
        }
      }
    }
    return true;
  }

  isClosed(fold: IListedFold): boolean {
    const { from, to } = foldRange(this.view.state.doc, fold);
    return closedBetween(this.view.state, from, to).some(
      closed => closed.fold === fold
    );
  }

  toggle(fold: IListedFold): void {
    this._setFolds([fold], !this.isClosed(fold));
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

  get trans(): TranslationBundle {
    return this._trans;
  }

  private _setFolds(folds: readonly IListedFold[], closed: boolean): void {
    this.view.dispatch({ effects: setFolds.of({ folds, closed }) });
  }

  private _wraps: boolean;
  private _chosen: ChosenField;
  private _search: SearchPanel | null = null;
  private _isFiltered = false;
  private _searchPlace = new Compartment();
  private _noisePlace = new Compartment();
  private _groupsPlace = new Compartment();
  private _isInterleaved = false;
  private _isGrouped = false;
  private _groups: readonly IListedFold[] = [];
  /** The groups by the line that they begin with. */
  private _groupsAt = new Map<number, IListedFold[]>();
  private _hovered = -1;
}

/** At the right edge of a line, in pixels: a click there goes to the cell. */
const BADGE_WIDTH = 30;
