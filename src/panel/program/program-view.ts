/**
 * The Program view: jaxpr, StableHLO and HLO, linked to the notebook's cells. It makes its content when it is first
 * visible, and does nothing while hidden.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { ScreenState } from '../../model/screen-state';
import { costsOf } from '../../model/costs';
import { steppingOf } from '../../model/stepping';
import { placeIn, readingPlaceOf } from '../../model/reading-place';
import type { Snapshot } from '../../protocol/snapshot';
import type { IJaxprModel, LevelName } from '../../tokens';
import { element } from '../../parts/dom';
import { Detail, detailOf } from '../../workbench/words/detail';
import { FilterRow } from '../../workbench/reading/filter-row';
import { showHelp } from '../../workbench/reading/help-overlay';
import { LevelPane } from '../../workbench/levels/level-pane';
import type { IHandedOver } from '../../workbench/levels/level-pane-options';
import { LinkedView } from '../../workbench/listing/linked-view';
import type { ListingView } from '../../workbench/listing/listing-view';
import { TransformRow } from '../../transform/transform-row';
import type { Noise } from '../../workbench/reading/noise-rules';
import { ReadingTools } from '../../workbench/reading/reading-tools';
import { LEVELS, Toolbar, helpButton } from '../../workbench/reading/toolbar';
import {
  levelCountWords,
  steppedWords
} from '../../workbench/words/view-words';

/** Shows the levels of a program, one at a time, with the tools for reading them. */
export class ProgramView extends LinkedView {
  constructor(options: {
    trans: TranslationBundle;
    model?: IJaxprModel | null;
    /** Opens the levels side by side; left out if the application has no place for them. */
    wide?: () => void;
    /** Opens the transforms side by side; left out if the application has no place for them. */
    transforms?: () => void;
    /** Puts the Flow view in front. */
    openFlow?: () => void;
    /** The kinds of lines that are hidden at first. */
    hidden?: readonly Noise[];
  }) {
    super('inView');
    this._trans = options.trans;
    this._openFlow = options.openFlow ?? null;
    this._tools = new ReadingTools(this._trans, {
      levels: () =>
        LEVELS.map(level => ({
          level,
          here: this._pane?.listings.listing(level) ?? null
        })),
      goToLevel: level => this._searchIn(level)
    });
    this._tools.setHidden(options.hidden ?? []);
    this._tools.filtersChanged.connect(this._onFilters, this);
    const filters = new FilterRow(
      this._tools,
      helpButton(this._trans, () => this.help(), 'jp-mod-narrow'),
      this._trans
    );
    this._transforms = new TransformRow(this._trans, options.transforms);
    this._toolbar = new Toolbar(
      this._trans,
      {
        choose: level => this._choose(level),
        find: () => this.find(),
        foldAll: () => this.view?.foldAll(),
        unfoldAll: () => this.view?.unfoldAll(),
        help: () => this.help(),
        wide: options.wide,
        transforms: () => this._showTransforms(this._transforms.node.hidden)
      },
      filters
    );
    this._messages = element('div', 'jp-JaxprProgram-messages');
    this._messages.setAttribute('role', 'status');
    this._body = element('div', 'jp-JaxprProgram-body');
    this._said = element('div', 'jp-JaxprProgram-stepped');
    this._said.setAttribute('role', 'status');
    this._body.append(this._said);
    this._detail = new Detail(this._trans, this._body);
    this.node.append(
      this._toolbar.node,
      filters.node,
      this._transforms.node,
      this._body,
      // The messages are below the text, so that a message which arrives while the user edits the cell moves no line.
      this._messages,
      this._detail.node
    );
    this.model = options.model ?? null;
  }

  /** The editor in view; for tests and for the panel's copy command. */
  get view(): ListingView | null {
    return this._pane?.view ?? null;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      super.dispose();
      this._tools.dispose();
    }
  }

  // --- the shown program, level and filters -------------------------------------------------

  protected override follow(
    model: IJaxprModel,
    screenState: ScreenState
  ): void {
    this._transforms.model = model;
    this._level = readingPlaceOf(model).level;
    this._takeFilters(model);
    readingPlaceOf(model).restored.connect(this._onRestored, this);
    screenState.programWanted.connect(this._onWanted, this);
  }

  protected override unfollow(
    model: IJaxprModel,
    screenState: ScreenState
  ): void {
    this._transforms.model = null;
    readingPlaceOf(model).restored.disconnect(this._onRestored, this);
    screenState.programWanted.disconnect(this._onWanted, this);
  }

  private _onWanted(): void {
    if (this.screenState?.cameFrom === null) {
      this._pane?.focus();
    }
  }

  protected override showProgram(snapshot: Snapshot, program: number): void {
    this._transforms.refresh();
    const shown = this._shown;
    if (shown?.snapshot !== snapshot || shown.index !== program) {
      const before = this._pane?.handOver() ?? null;
      this._panes.delete(this._level);
      this._letGo();
      this._shown = { snapshot, index: program };
      if (this._transforms.isWorth) {
        this._showTransforms(true);
      }
      this._showLevel(before);
      this.mark(true);
    } else if (this.view === null) {
      this._showLevel();
    }
  }

  private _showTransforms(shown: boolean): void {
    this._transforms.node.hidden = !shown;
    this._toolbar.showTransforms(shown);
  }

  protected override clear(): void {
    this._transforms.refresh();
    this._letGo();
  }

  private _letGo(): void {
    for (const pane of this._panes.values()) {
      pane.dispose();
    }
    this._panes.clear();
    this._shown = null;
    this._detail.show(null);
    this._showMessages();
  }

  private _choose(level: LevelName): void {
    if (level !== this._level) {
      this._level = level;
      if (this.model) {
        readingPlaceOf(this.model).level = level;
      }
      if (this._tools.searchedIn !== null) {
        this._tools.searchedIn = level;
      }
      this._showLevel();
      // The lines of a selection that the user made in another level may be out of view in this level: scroll to them.
      this._pane?.forgetOwn();
      this.mark(true);
    }
  }

  /**
   * Shows the pane of the chosen level, and hides the other panes.
   *
   * @param before What the pane of the program before has left on the page, for a new pane of the same level.
   */
  private _showLevel(before: IHandedOver | null = null): void {
    const { model, _shown: shown } = this;
    if (!model || !shown) {
      return;
    }
    let pane = this._pane;
    if (!pane) {
      pane = new LevelPane({
        trans: this._trans,
        model,
        snapshot: shown.snapshot,
        program: shown.index,
        level: this._level,
        tools: this._tools,
        before,
        place: placeIn(model, shown.snapshot.id, shown.index, this._level),
        host: {
          changed: pane => this._onPane(pane),
          entered: pane => this._goToCell(pane),
          left: (_, by) => this._goToLevel(by),
          stepped: place => {
            this._said.textContent = steppedWords(place, this._trans);
          },
          stepsWanted:
            this._openFlow === null
              ? undefined
              : ({ control }) => this._showSteps(shown.snapshot, control)
        }
      });
      this._panes.set(this._level, pane);
      if (!before) {
        this._body.append(pane.node);
      }
    }
    for (const shownPane of this._panes.values()) {
      shownPane.node.hidden = shownPane !== pane;
    }
    pane.refresh();
    this._onPane(pane);
  }

  private _onFilters(): void {
    if (this.model) {
      readingPlaceOf(this.model).keepFilters('panel', this._tools.filters);
    }
  }

  /** Restores the filters that were last used in the notebook; a new notebook gets those of the previous one. */
  private _takeFilters(model: IJaxprModel): void {
    const filters = readingPlaceOf(model).filters('panel');
    if (filters !== null) {
      this._tools.filters = filters;
    }
  }

  private _onRestored(): void {
    if (this.model) {
      this._level = readingPlaceOf(this.model).level;
      this._takeFilters(this.model);
      this._showLevel();
      this._pane?.goToPlace();
      this.mark(true);
    }
  }

  /** The pane of the chosen level; null if the level was never shown. */
  private get _pane(): LevelPane | null {
    return this._panes.get(this._level) ?? null;
  }

  private _onPane(pane: LevelPane): void {
    if (pane === this._pane) {
      this._showCount();
      this._showMessages();
    }
  }

  // --- pointing with the mouse and moving with the keyboard ---------------------------------

  protected override onHover(): void {
    this.mark(false);
  }

  protected override mark(reveal: boolean): void {
    const { model, _pane: pane } = this;
    if (!model || !pane) {
      return;
    }
    this._said.textContent = '';
    const pointed = model.hover ?? model.selection;
    const { links, jaxpr } = pane.listings;
    this._detail.show(
      detailOf(
        pointed,
        links.resolve(pointed),
        jaxpr,
        pane.text,
        this._shown &&
          costsOf(model).costOf(this._shown.snapshot, this._shown.index),
        this._trans
      )
    );
    // The details are drawn before the marks, so that the text has its final height when a line scrolls into view.
    // Hovering only marks a line; selecting also scrolls.
    pane.mark(reveal && model.hover === null);
    this._showCount();
  }

  /** Shows the card of a construct in the Flow view, and records the steps of the construct if there are none yet. */
  private _showSteps(snapshot: Snapshot, control: number): void {
    const { model } = this;
    const card = snapshot.control_flow?.[control];
    if (!model || !card) {
      return;
    }
    const { scope, equation } = card;
    model.setHover(null);
    model.setSelection({ kind: 'equations', equations: [{ scope, equation }] });
    const stepping = steppingOf(model);
    if (stepping.recordingOf(snapshot, control) === null) {
      void stepping.record(snapshot, control);
    }
    this._openFlow?.();
  }

  private _goToCell(pane: LevelPane): void {
    const linked = pane.listings.links.resolve(this.model?.selection ?? null);
    const span = linked.spans[0];
    if (span) {
      this.screenState?.goToCell(span);
    }
  }

  /** Shows the next (1) or the previous (-1) level, and moves the keyboard focus to the marked line in this level. */
  private _goToLevel(by: 1 | -1): void {
    const level = LEVELS[LEVELS.indexOf(this._level) + by];
    if (level) {
      this._choose(level);
      if (!this._pane?.enter()) {
        this._toolbar.focus(level);
      }
    }
  }

  protected override measure(): void {
    this.view?.view.requestMeasure();
  }

  protected override find(): void {
    this._pane?.find();
  }

  protected override help(): void {
    showHelp(this._trans);
  }

  /** Continues the search in another level, whose text is requested if necessary. */
  private _searchIn(level: LevelName): void {
    this._tools.searchedIn = level;
    this._choose(level);
  }

  // --- the counts and the messages around the text ------------------------------------------

  private _showCount(): void {
    const count = this._pane?.count ?? null;
    const words = levelCountWords(this._level, count, this._trans);
    this._toolbar.show(this._level, words, count !== null);
  }

  private _showMessages(): void {
    const notice = this._pane?.notice ?? null;
    this._messages.replaceChildren(
      ...(notice === null ? [] : [element('div', '', notice)])
    );
  }

  private _trans: TranslationBundle;
  private _openFlow: (() => void) | null;
  private _tools: ReadingTools;
  private _toolbar: Toolbar;
  private _transforms: TransformRow;
  private _messages: HTMLElement;
  /** A message that covers a part of the text and moves no line: which of the linked places has the keyboard focus. */
  private _said: HTMLElement;
  private _body: HTMLElement;
  private _detail: Detail;
  private _level: LevelName = 'jaxpr';
  /** The program in view, with one pane for each level that the user has chosen. */
  private _shown: { snapshot: Snapshot; index: number } | null = null;
  private _panes = new Map<LevelName, LevelPane>();
}
