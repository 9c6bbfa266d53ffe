/**
 * Shows the levels of a program side by side with its source, linked by one selection.
 *
 * A selection in one column is marked in all columns and scrolls the others. While the view is out of sight it does
 * nothing.
 */
import { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { ScreenState } from '../model/screen-state';
import { costsOf } from '../model/costs';
import { linksOf } from '../model/links';
import { placeIn, readingPlaceOf } from '../model/reading-place';
import type { Snapshot } from '../protocol/snapshot';
import type { IJaxprModel, LevelName } from '../tokens';
import { element } from '../parts/dom';
import { Detail, detailOf } from '../workbench/words/detail';
import { FilterRow } from '../workbench/reading/filter-row';
import { showHelp } from '../workbench/reading/help-overlay';
import { LevelPane, dropHandedOver } from '../workbench/levels/level-pane';
import type { IHandedOver } from '../workbench/levels/level-pane-options';
import { LinkedView } from '../workbench/listing/linked-view';
import { ReadingTools } from '../workbench/reading/reading-tools';
import { LEVELS } from '../workbench/reading/toolbar';
import { steppedWords } from '../workbench/words/view-words';
import {
  ColumnName,
  FIRST_ARRANGEMENT,
  IArrangement,
  arrangementFrom,
  moved,
  shownColumns,
  toggled
} from './column-arrangement';
import { fitting } from './fitting-columns';
import { ColumnPanes, Pane } from './column-panes';
import { Columns } from './column-dividers';
import type { IWideViewOptions } from './side-by-side-options';
import { CellAndTexts } from './cell-and-texts';
import { WideHead } from '../parts/side-by-side-header';
import { WideToolbar } from './side-by-side-toolbar';
import { columnTitle, countWords } from './words';

/** Shows the levels side by side. */
export class WideView extends LinkedView {
  constructor(private _options: IWideViewOptions) {
    super('wideInView');
    const { trans, actions } = _options;
    this.addClass('jp-JaxprWide');
    const layout = (this.layout = new PanelLayout());
    this._head = new WideHead(trans, actions);
    this._tools = new ReadingTools(trans, {
      levels: () =>
        LEVELS.map(level => ({
          level,
          here: this._panes.level?.listings.listing(level) ?? null
        })),
      goToLevel: level => this._searchIn(level)
    });
    this._tools.filtersChanged.connect(this._onFilters, this);
    const filters = new FilterRow(this._tools, element('span', ''), trans);
    this._toolbar = new WideToolbar(
      trans,
      {
        toggle: column =>
          this._arrange(toggled(this._arrangement, this._fit, column)),
        together: () => {
          const { together } = this._arrangement;
          this._arrange({ ...this._arrangement, together: !together });
          this.mark(true);
        },
        find: () => this.find(),
        foldAll: () => this._panes.eachLevel(pane => pane.view?.foldAll()),
        unfoldAll: () => this._panes.eachLevel(pane => pane.view?.unfoldAll()),
        help: () => this.help()
      },
      filters.node
    );
    this._columns = new Columns(trans, {
      arrange: arrangement => this._arrange(arrangement),
      move: (column, by) =>
        this._arrange(moved(this._arrangement, this._fit, column, by))
    });
    this._detail = new Detail(trans, this._columns.node);
    layout.addWidget(this._head);
    const rest = new Widget();
    rest.addClass('jp-JaxprWide-rest');
    rest.node.append(
      this._toolbar.node,
      filters.node,
      this._columns.node,
      this._detail.node
    );
    layout.addWidget(rest);
    this._columns.node.addEventListener('focusin', event => {
      const column = (event.target as Element).closest<HTMLElement>(
        '.jp-JaxprWide-column'
      );
      this._last = (column?.dataset.column as ColumnName) ?? this._last;
      this._lastLevel = this._last === 'source' ? this._lastLevel : this._last;
    });
    this._show(FIRST_ARRANGEMENT);
    void this._recall();
  }

  /** The arrangement of the columns. */
  get arrangement(): IArrangement {
    return this._arrangement;
  }

  /** Put the keyboard into the first column that has a text. */
  focusFirst(): void {
    for (const column of this._inSight) {
      const pane = this._panes.get(column);
      if (pane?.view) {
        pane.focus();
        return;
      }
    }
    this._toolbar.focus('source');
  }

  override dispose(): void {
    if (!this.isDisposed) {
      super.dispose();
      this._tools.dispose();
    }
  }

  protected override onAfterAttach(message: Message): void {
    this._fitColumns();
    super.onAfterAttach(message);
  }

  protected override onAfterShow(message: Message): void {
    this._fitColumns();
    super.onAfterShow(message);
  }

  protected override onResize(message: Widget.ResizeMessage): void {
    this._fitColumns();
    super.onResize(message);
  }

  // --- the arrangement of the columns -------------------------------------------------------

  private async _recall(): Promise<void> {
    const remembered = await this._options.memory.load();
    if (!this.isDisposed && !this._touched && remembered !== undefined) {
      this._show(arrangementFrom(remembered));
    }
  }

  /** Arranges the columns as the user wants, and stores the arrangement. */
  private _arrange(arrangement: IArrangement): void {
    this._touched = true;
    this._options.memory.keep(arrangement);
    this._show(arrangement);
  }

  /** Shows as many columns as there is room for, until the user has chosen columns. */
  private _fitColumns(): void {
    const fit = fitting(this.node.clientWidth);
    if (fit.join() !== this._fit.join()) {
      this._fit = fit;
      this._show(this._arrangement);
    }
  }

  private get _inSight(): ColumnName[] {
    return shownColumns(this._arrangement, this._fit);
  }

  private _show(arrangement: IArrangement): void {
    this._arrangement = arrangement;
    const shown = this._inSight;
    this._toolbar.show(arrangement, shown);
    const isOther = this._columns.arrange(arrangement, shown);
    this._fill();
    this.measure();
    if (isOther) {
      this._revealSoon();
    }
  }

  /**
   * Scrolls all columns to the selection after the next drawing: in columns of another width, lines wrap differently,
   * so the selection may be out of view.
   */
  private _revealSoon(): void {
    for (const pane of this._panes.all()) {
      pane.forgetOwn();
    }
    this.markSoon(true);
  }

  protected override measure(): void {
    this._panes.measure();
  }

  // --- the shown program and its panes ------------------------------------------------------

  protected override follow(
    model: IJaxprModel,
    screenState: ScreenState
  ): void {
    this._head.model = model;
    readingPlaceOf(model).restored.connect(this._onRestored, this);
    this._takeFilters(model);
    screenState.programWanted.connect(this._onWanted, this);
  }

  protected override unfollow(
    model: IJaxprModel,
    screenState: ScreenState
  ): void {
    this._head.model = null;
    readingPlaceOf(model).restored.disconnect(this._onRestored, this);
    screenState.programWanted.disconnect(this._onWanted, this);
  }

  private _onFilters(): void {
    if (this.model) {
      readingPlaceOf(this.model).keepFilters('wide', this._tools.filters);
    }
  }

  private _takeFilters(model: IJaxprModel): void {
    const filters = readingPlaceOf(model).filters('wide');
    if (filters !== null) {
      this._tools.filters = filters;
    }
  }

  private _onRestored(): void {
    if (this.model) {
      this._takeFilters(this.model);
      this._panes.eachLevel(pane => pane.goToPlace());
      this.mark(true);
    }
  }

  private _onWanted(): void {
    if (this.screenState?.cameFrom === this) {
      this._panes.get(this._last)?.focus();
    }
  }

  protected override showProgram(snapshot: Snapshot, program: number): void {
    const shown = this._shown;
    if (shown?.snapshot !== snapshot || shown.index !== program) {
      const source = this._panes.get('source');
      const isKept =
        source instanceof CellAndTexts && source.turnTo(snapshot, program);
      const before = this._panes.handOver(isKept ? source : undefined);
      this._detail.show(null);
      this._shown = { snapshot, index: program };
      this._fill(before);
      this.mark(true);
      this._revealSoon();
    } else {
      for (const pane of this._panes.all()) {
        if (pane.view === null) {
          pane.refresh(); // the kernel may now have the text that this pane lacks
        }
      }
    }
  }

  protected override clear(): void {
    this._panes.clear();
    this._shown = null;
    this._detail.show(null);
  }

  /**
   * Make the missing panes of the visible columns, and dispose of the panes of hidden columns.
   *
   * @param before What the panes of the program before have left in the columns, for the new panes.
   */
  private _fill(before = new Map<ColumnName, IHandedOver>()): void {
    const { model, _shown: shown } = this;
    if (model && shown && this.isVisible) {
      this._panes.fill(
        this._inSight,
        column => {
          const left = before.get(column) ?? null;
          before.delete(column);
          const pane = this._makePane(column, model, shown, left);
          if (!left) {
            this._columns.column(column).body.append(pane.node);
          }
          return pane;
        },
        (column, pane) => {
          pane.mark(this._arrangement.together);
          this._showColumn(column);
        }
      );
    }
    [...before.values()].forEach(dropHandedOver);
  }

  private _makePane(
    column: ColumnName,
    model: IJaxprModel,
    { snapshot, index }: { snapshot: Snapshot; index: number },
    before: IHandedOver | null
  ): Pane {
    const { trans, python } = this._options;
    const host = {
      changed: () => this._showColumn(column),
      entered: () => this._goToCell(),
      stepped: (place: { at: number; of: number } | null) =>
        this._say(steppedWords(place, trans))
    };
    if (column === 'source') {
      return new CellAndTexts({
        trans,
        model,
        snapshot,
        program: index,
        python,
        host: { ...host, left: by => this._goToColumn(column, by) }
      });
    }
    return new LevelPane({
      trans,
      model,
      snapshot,
      program: index,
      level: column,
      tools: this._tools,
      before,
      place: placeIn(model, snapshot.id, index, `wide ${column}`),
      host: { ...host, left: (_, by) => this._goToColumn(column, by) }
    });
  }

  // --- marks, details and the keyboard focus ------------------------------------------------

  /** Marks in all columns the lines that are linked to the selection; `reveal` scrolls to them. */
  protected override mark(reveal: boolean): void {
    const { model, _shown: shown } = this;
    if (!model || !shown) {
      return;
    }
    this._showDetail(model, shown);
    for (const [column, pane] of this._panes.entries()) {
      pane.mark(reveal && this._arrangement.together);
      this._showColumn(column);
    }
    this._say('');
  }

  /** Draws the detail first, so that the texts above it have their final height when a line scrolls into view. */
  private _showDetail(
    model: IJaxprModel,
    shown: { snapshot: Snapshot; index: number }
  ): void {
    const pane = this._panes.level;
    const pointed = model.hover ?? model.selection;
    const links = linksOf(shown.snapshot, shown.index);
    if (pane) {
      const { jaxpr, texts } = pane.listings;
      const text =
        pointed?.kind === 'text' ? (texts.get(pointed.level) ?? null) : null;
      this._detail.show(
        detailOf(
          pointed,
          links.resolve(pointed),
          jaxpr,
          text,
          costsOf(model).costOf(shown.snapshot, shown.index),
          this._options.trans
        )
      );
    } else {
      this._detail.show(null);
    }
  }

  private _goToCell(): void {
    const { model, _shown: shown } = this;
    if (model && shown) {
      const links = linksOf(shown.snapshot, shown.index);
      const span = links.resolve(model.selection).spans[0];
      if (span) {
        this.screenState?.goToCell(span, this);
      }
    }
  }

  /** Moves the keyboard focus to the next column with a text, at the marked place there. */
  private _goToColumn(from: ColumnName, by: 1 | -1): void {
    const columns = this._inSight;
    for (
      let at = columns.indexOf(from) + by;
      columns[at] !== undefined;
      at += by
    ) {
      if (this._panes.get(columns[at])?.enter()) {
        return;
      }
    }
  }

  /** Open the search in the level that last had the keyboard focus. */
  protected override find(): void {
    const levels = LEVELS.filter(level => this._inSight.includes(level));
    this._searchIn(
      levels.includes(this._lastLevel)
        ? this._lastLevel
        : (levels[0] ?? 'jaxpr')
    );
  }

  protected override help(): void {
    showHelp(this._options.trans);
  }

  /** Search in a level; the level comes into sight for the search. */
  private _searchIn(level: LevelName): void {
    if (!this._inSight.includes(level)) {
      this._arrange(toggled(this._arrangement, this._fit, level));
    }
    const pane = this._panes.get(level);
    if (pane instanceof LevelPane) {
      this._lastLevel = level;
      pane.find();
    }
  }

  // --- counts and messages of the columns ---------------------------------------------------

  private _showColumn(name: ColumnName): void {
    const pane = this._panes.get(name);
    const column = this._columns.column(name);
    const { trans } = this._options;
    if (pane) {
      column.count.textContent = countWords(name, pane.count, trans);
      column.messages.textContent = pane.notice ?? '';
      column.title.textContent =
        pane instanceof CellAndTexts && pane.title !== ''
          ? pane.title
          : columnTitle(name, trans);
    }
  }

  /** Shows a message about the last key that the user pressed. */
  private _say(words: string): void {
    this._toolbar.announcement.textContent = words;
  }

  private _head: WideHead;
  private _tools: ReadingTools;
  private _toolbar: WideToolbar;
  private _columns: Columns;
  private _detail: Detail;
  private _arrangement: IArrangement = FIRST_ARRANGEMENT;
  /** The columns that fit into the present width of the view. */
  private _fit = fitting(0);
  /** True if the user has changed the arrangement; a stored arrangement that arrives later is then ignored. */
  private _touched = false;
  private _shown: { snapshot: Snapshot; index: number } | null = null;
  private _panes = new ColumnPanes();
  /** The column that last had the keyboard focus. */
  private _last: ColumnName = 'jaxpr';
  private _lastLevel: LevelName = 'jaxpr';
}
