/** Handles the keys of a listing, such as those that move, fold, search, filter, and choose a variable. */
import { EditorSelection, EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import { KeyHandlers } from '../../view-keys';
import { goToMatch } from '../reading/matches';
import type { ReadingTools } from '../reading/reading-tools';
import {
  ChosenField,
  choose,
  definitionFrom,
  nextUseFrom,
  nextVariable
} from './chosen-variable';
import { hidesText } from './binder-chips';
import { closedBetween } from './folding';
import { isGap } from './hidden-lines';
import type {
  IConstruct,
  IListedFold,
  IListing,
  IListingEvents,
  IVariablePlace
} from './listing';
import { openChips, setChips, startsAt } from './listing-marks';

/** The editor that the keys act on. */
export interface IKeysHost {
  readonly view: EditorView;
  readonly listing: IListing;
  /** The field with the chosen variable. */
  readonly chosen: ChosenField;
  /** True if the search line is open. */
  readonly isSearched: boolean;
  focus(): void;
  find(): void;
  /** Scroll to the first of some lines, unless one of the lines is in view. */
  reveal(lines: readonly number[]): void;
  /** Go to a line, as a click on the line does. */
  goTo(index: number): void;
  /** Choose a line by the keyboard. */
  selectByKey(index: number): void;
  /** The first and the last of the lines that the screen shows as one line together with the line `index`. */
  shownAs(index: number): { first: number; last: number };
  /** The folds that can close from a line on, the outer fold first. */
  foldsAt(index: number): readonly IListedFold[];
  isClosed(fold: IListedFold): boolean;
  /** The construct of a line whose steps the view can show; null for none. */
  constructAt(index: number): IConstruct | null;
  showSteps(construct: IConstruct): void;
  setFolds(folds: readonly IListedFold[], closed: boolean): void;
  foldAll(): void;
  unfoldAll(): void;
}

/** Handles the keys of one editor with a listing. */
export class ListingKeys {
  constructor(
    private _host: IKeysHost,
    private _tools: ReadingTools,
    private _events: IListingEvents
  ) {}

  /** The handler of each command that has keys in the text. */
  get handlers(): KeyHandlers<'text'> {
    const { _host: host, _tools: tools } = this;
    const page = (): number =>
      Math.max(
        1,
        Math.floor(
          this._host.view.scrollDOM.clientHeight /
            this._host.view.defaultLineHeight
        ) - 1
      );
    return {
      nextLine: () => this._move(index => this._next(index, 1)),
      previousLine: () => this._move(index => this._next(index, -1)),
      nextPage: () => this._move(index => this._next(index, page())),
      previousPage: () => this._move(index => this._next(index, -page())),
      firstLine: () => this._move(() => 0),
      lastLine: () => this._move(() => this._host.view.state.doc.lines - 1),
      unfold: () => this._unfoldHere(),
      fold: () => this._foldHere(),
      enterCell: () => this._enter(),
      markNothing: () => this._events.selected(null),
      definition: () => this.goToPlace(definitionFrom),
      nextUse: () => this.goToPlace(nextUseFrom),
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
      unfoldAll: () => host.unfoldAll(),
      foldAll: () => host.foldAll(),
      showHidden: () => tools.setHidden([]),
      steps: () => this._showSteps(),
      selectAll: () =>
        this._host.view.dispatch({
          selection: EditorSelection.single(
            0,
            this._host.view.state.doc.length
          ),
          scrollIntoView: false
        })
    };
  }

  private _enter(): void {
    const index = this._current();
    if (this._host.listing.line(index).button !== null) {
      this._events.moreWanted(index);
    } else {
      this._host.selectByKey(index);
      this._events.entered();
    }
  }

  private _showSteps(): boolean {
    const construct = this._host.constructAt(this._current());
    if (construct !== null) {
      this._host.showSteps(construct);
    }
    return true;
  }

  private _nextMatch(step: 1 | -1): boolean {
    if (!goToMatch(this._host.view, step) && !this._host.isSearched) {
      this._host.find();
    }
    return true;
  }

  private _current(): number {
    const { state } = this._host.view;
    return state.doc.lineAt(state.selection.main.head).number - 1;
  }

  private _move(step: (index: number) => number): boolean {
    const { doc } = this._host.view.state;
    const wanted = step(this._current());
    const index = this._host.shownAs(
      Math.min(Math.max(wanted, 0), doc.lines - 1)
    ).first;
    const line = doc.line(index + 1);
    const { from } = this._host.view.lineBlockAt(line.from);
    this._host.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'nearest' })
    });
    this._host.selectByKey(doc.lineAt(from).number - 1);
    return true;
  }

  /** The line that is `by` lines below (or above, if negative) on screen. */
  private _next(index: number, by: number): number {
    const { view } = this._host;
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
    const { doc } = this._host.view.state;
    const line = doc.line(index + 1);
    const [closed] = closedBetween(this._host.view.state, line.from, line.to);
    if (closed && closed.fold.first === index) {
      this._host.setFolds([closed.fold], false);
    } else if (hidesText(this._host.listing.line(index))) {
      this._host.view.dispatch({
        effects: setChips.of({ at: line.from, open: true })
      });
    }
    return true;
  }

  private _foldHere(): boolean {
    const index = this._current();
    const { doc } = this._host.view.state;
    const { from } = doc.line(index + 1);
    if (startsAt(this._host.view.state.field(openChips), from)) {
      this._host.view.dispatch({
        effects: setChips.of({ at: from, open: false })
      });
      return true;
    }
    const open = this._host
      .foldsAt(index)
      .filter(fold => !this._host.isClosed(fold));
    if (open.length > 0) {
      this._host.setFolds([open[open.length - 1]], true);
      return true;
    }
    return this._foldAround(index);
  }

  /** Close the innermost fold around a line, and go to the fold's first line. */
  private _foldAround(index: number): boolean {
    for (let first = index - 1; first >= 0; first--) {
      for (const fold of [...this._host.foldsAt(first)].reverse()) {
        if (fold.last >= index && !this._host.isClosed(fold)) {
          const { from } = this._host.view.state.doc.line(first + 1);
          this._host.view.dispatch({ selection: { anchor: from } });
          this._host.setFolds([fold], true);
          this._host.selectByKey(first);
          return true;
        }
      }
    }
    return true;
  }

  /** Go to a place of a variable, and choose the variable there. */
  goToPlace(
    find: (
      state: EditorState,
      field: ChosenField,
      listing: IListing
    ) => IVariablePlace | null
  ): boolean {
    const place = find(
      this._host.view.state,
      this._host.chosen,
      this._host.listing
    );
    if (place) {
      this._host.reveal([place.line]);
      choose(this._host.view, place);
      this._host.selectByKey(place.line);
      this._host.focus();
    } else if (find === definitionFrom) {
      const { reference } = this._host.listing.line(this._current());
      if (reference) {
        this._host.goTo(reference.line);
        this._host.focus();
      }
    }
    return true;
  }

  private _nextVariable(step: 1 | -1): boolean {
    const place = nextVariable(
      this._host.view.state,
      this._host.chosen,
      this._host.listing,
      step
    );
    if (place) {
      choose(this._host.view, place);
    }
    return true;
  }
}
