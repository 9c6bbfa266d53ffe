/**
 * Marks in a notebook's cells the text that belongs to the program in view, and tells the model where in the cells the
 * user points.
 *
 * Places in a cell are places of the text that ran; the editor's `movedText` gives their present places.
 */
import { Extension, Text } from '@codemirror/state';
import { EditorView, ViewPlugin, ViewUpdate } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { ScreenState, screenStateOf } from '../model/screen-state';
import { Costs, costsOf } from '../model/costs';
import { ILinkedSpan, linksOf } from '../model/links';
import { Stepping, steppingOf } from '../model/stepping';
import { typesChoice } from '../model/types-choice';
import { cellMarks } from '../parts/drawn-marks';
import { MovedText, movedText } from '../parts/moved-text';
import { typesUnderPointer } from '../parts/types-at-line-ends';
import { signRoom } from '../parts/visible-width';
import type { IJaxprModel, ModelChange } from '../tokens';
import { programAt } from './caret-program';
import { IRanIn, expressionHover } from './expression-hover';
import { heatGutter } from './heat-gutter';
import { MarkedEditors } from './marked-editors';
import { MarksOfCells } from './marks-of-run';
import { ICells, RanCells } from './ran-cells';

/** After an edit, the views follow the caret when this many milliseconds have passed without another edit. */
const TYPING = 200;

/**
 * The CSS class of an editor to which the keyboard focus came from the program, so that a key returns to the program.
 */
const RETURNS = 'jp-mod-jaxprReturns';

/** The views to which the signs in a cell lead, such as the number of a line's notes. */
export type SignView = 'notes' | 'cost' | 'cache';

/**
 * For each sign in a cell, its CSS selector and the view to which the sign leads; inner elements come before outer
 * ones.
 */
const SIGNS: readonly [string, SignView][] = [
  ['.jp-JaxprCell-note', 'notes'],
  ['.jp-JaxprCell-count.jp-mod-cost', 'cost'],
  ['.jp-JaxprCell-counts', 'cache']
];

/** The place that stands for text that did not run: no equation comes from it. */
const NEW_TEXT = { line: 0, column: 0 };

/**
 * Links the program in view with the notebook's cells: marks the cells, and follows the caret and the mouse in them.
 */
export class CellLinks implements IDisposable {
  constructor(private _trans: TranslationBundle) {
    this._marks = new MarksOfCells(_trans);
    typesChoice.changed.connect(this._mark, this);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this.follow(null, null);
      window.clearTimeout(this._typing);
      typesChoice.changed.disconnect(this._mark, this);
      this._isDisposed = true;
    }
  }

  /** The extension that each editor of a cell needs to show the marks, and to report the caret, the mouse and edits. */
  extension(cellId: string): Extension {
    return [
      movedText,
      cellMarks,
      signRoom,
      typesUnderPointer,
      heatGutter,
      expressionHover(() => this._ranIn(cellId), this._trans),
      ViewPlugin.define(view => {
        this._editors.add(cellId, view);
        // CodeMirror forbids a change of an editor while the plugins of the editor are made.
        queueMicrotask(() => this._mark());
        return {
          update: update => {
            if (update.docChanged) {
              this._edited(cellId, update);
            }
            if (
              (update.selectionSet || update.focusChanged) &&
              update.view.hasFocus
            ) {
              this._caretMoved(cellId, update);
            }
            if (update.focusChanged && !update.view.hasFocus) {
              update.view.dom.classList.remove(RETURNS);
            }
          },
          destroy: () => this._editors.remove(cellId, view)
        };
      }),
      EditorView.domEventHandlers({
        click: (event, view) => this._press(cellId, event, view),
        mousemove: (event, view) => this._hover(cellId, event, view),
        mouseleave: () => this._hoverAt(null)
      })
    ];
  }

  /** Links the program of this model to these cells from now on. */
  follow(model: IJaxprModel | null, cells: ICells | null): void {
    if (this._model) {
      this._model.changed.disconnect(this._onChanged, this);
      this._screenState?.viewChanged.disconnect(this._onViewChanged, this);
      this._screenState?.pointed.disconnect(this._onPointed, this);
      this._screenState?.cellWanted.disconnect(this._onCellWanted, this);
      this._costs?.changed.disconnect(this._mark, this);
      this._stepping?.shownChanged.disconnect(this._mark, this);
      this._ran.clear();
      this._editors.clearMarks();
    }
    this._model = model;
    this._cells = cells;
    this._screenState = model && screenStateOf(model);
    this._costs = model && costsOf(model);
    this._stepping = model && steppingOf(model);
    if (model) {
      model.changed.connect(this._onChanged, this);
      this._screenState?.viewChanged.connect(this._onViewChanged, this);
      this._screenState?.pointed.connect(this._onPointed, this);
      this._screenState?.cellWanted.connect(this._onCellWanted, this);
      this._costs?.changed.connect(this._mark, this);
      this._stepping?.shownChanged.connect(this._mark, this);
      this._relink();
    }
  }

  /** Emits the view to which a sign in a cell leads, when the user presses the sign. */
  get viewWanted(): ISignal<this, SignView> {
    return this._viewWanted;
  }

  /** Finds the cells that ran again, because the notebook's cells have changed. */
  cellsChanged(): void {
    if (!this._isDisposed) {
      this._relink();
    }
  }

  /** Moves the keyboard focus back from the cell to the program from which the keyboard came. */
  goToProgram(): void {
    this._screenState?.goToProgram();
  }

  // --- edits of the cells -------------------------------------------------------------------

  private _edited(cellId: string, update: ViewUpdate): void {
    update.view.dom.classList.remove(RETURNS);
    const [before, now] = [update.startState, update.state].map(
      state => state.field(movedText)?.isEdited
    );
    if (this._ran.ran(cellId) !== undefined && before !== now) {
      queueMicrotask(() => this._tellUnlinked());
    }
  }

  // --- the caret and the mouse in the cells change the model's selection --------------------

  /** The model, and the cell as it ran; null if it is unknown whether the cell ran. */
  private _ranIn(cellId: string): IRanIn | null {
    const cell = this._ran.ran(cellId);
    return this._model && cell ? { model: this._model, cell } : null;
  }

  /** True if the run in view has a cell, so that its program may come from the cell. */
  private _isOfRun(cellId: string): boolean {
    return this._ran.ran(cellId)?.snapshot === this._model?.snapshot;
  }

  /** True if the views on screen may show a program that comes from a cell. */
  private _isLinked(cellId: string): boolean {
    return (this._screenState?.linksInView ?? false) && this._isOfRun(cellId);
  }

  /** The place in the text that ran that corresponds to a place in an editor; null for text that did not run. */
  private _ranPlace(
    view: EditorView,
    at: number
  ): { line: number; column: number } | null {
    return view.state.field(movedText)?.ranPlace(at) ?? null;
  }

  /**
   * Follows the caret at once; while the user types, only after a pause, because following takes longer than a frame
   * has.
   */
  private _caretMoved(cellId: string, update: ViewUpdate): void {
    window.clearTimeout(this._typing);
    if (update.docChanged) {
      this._typing = window.setTimeout(
        () => this._caret(cellId, update.view),
        TYPING
      );
    } else {
      this._caret(cellId, update.view);
    }
  }

  private _caret(cellId: string, view: EditorView): void {
    const screenState = this._screenState;
    if (!screenState?.isInView || this._ran.ran(cellId) === undefined) {
      return;
    }
    // The call is deferred, because the model answers with marks, and an editor must not change during an update.
    queueMicrotask(() => {
      this._follow(cellId, view);
      if (!this._isOfRun(cellId)) {
        return;
      }
      const { head } = view.state.selection.main;
      const selection = {
        kind: 'caret' as const,
        cellId,
        ...(this._ranPlace(view, head) ?? NEW_TEXT)
      };
      // The selection now follows the caret, so the preview of the place under the resting mouse ends.
      if (this._model?.hover?.kind === 'caret') {
        this._model.setHover(null);
      }
      this._model?.setSelection(selection);
    });
  }

  /** A press on a sign at the end of a line shows the sign's subject (note, cost or calls) in the run of the sign. */
  private _press(cellId: string, event: MouseEvent, view: EditorView): void {
    const sign = event.target instanceof Element ? event.target : null;
    const wanted = SIGNS.find(([selector]) => sign?.closest(selector));
    if (wanted) {
      queueMicrotask(() => {
        this._follow(cellId, view);
        this._viewWanted.emit(wanted[1]);
      });
    }
  }

  /** Show the program that the panel should show for the place of the caret. */
  private _follow(cellId: string, view: EditorView): void {
    const { _model: model } = this;
    const { head } = view.state.selection.main;
    const place = this._ranPlace(view, head) ?? NEW_TEXT;
    const target = model && programAt(model, this._ran, { cellId, ...place });
    if (target) {
      model.setRun(target.run);
      model.setProgram(target.program);
    }
  }

  private _hover(cellId: string, event: MouseEvent, view: EditorView): void {
    if (!this._isLinked(cellId)) {
      return;
    }
    this._hoverAt(() => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      const place = at === null ? null : this._ranPlace(view, at);
      return place && { cellId, ...place };
    });
  }

  /** Previews the place under the mouse, at most once per frame. */
  private _hoverAt(
    where:
      (() => { cellId: string; line: number; column: number } | null) | null
  ): void {
    this._where = where;
    if (this._frame === 0) {
      this._frame = window.requestAnimationFrame(() => {
        this._frame = 0;
        this._previewAt(this._where?.() ?? null);
      });
    }
  }

  private _previewAt(
    place: { cellId: string; line: number; column: number } | null
  ): void {
    const { model } = this;
    if (!model?.snapshot) {
      return;
    }
    const hover = place && { kind: 'caret' as const, ...place };
    const isLinked =
      hover &&
      linksOf(model.snapshot, model.program).resolve(hover).precision ===
        'span';
    if (isLinked || model.hover?.kind === 'caret') {
      model.setHover(isLinked ? hover : null);
    }
  }

  private get model(): IJaxprModel | null {
    return this._model && this._model.program >= 0 ? this._model : null;
  }

  // --- the model's selection changes the marks in the cells ---------------------------------

  private _onChanged(_: IJaxprModel, change: ModelChange): void {
    if (change === 'hover' || change === 'selection') {
      this._mark();
    } else if (change === 'program' || change === 'snapshots') {
      this._relink();
    }
  }

  private _onViewChanged(): void {
    this._relink();
  }

  /** The user chose a row of the Cache view: marks its line, and scrolls to the line. */
  private _onPointed(): void {
    this._mark();
    const span = this._screenState?.pointedAt ?? null;
    const cellId = span && this._ran.cellOf(span.file.path);
    for (const view of cellId === null ? [] : this._editors.of(cellId)) {
      const at = span && view.state.field(movedText)?.line(span.line);
      if (at) {
        view.dispatch({
          effects: EditorView.scrollIntoView(at.line.from, { y: 'nearest' })
        });
      }
    }
  }

  private _onCellWanted(_: ScreenState, span: ILinkedSpan): void {
    // A note links to its cell also when no program is in view.
    this._relink();
    const cellId = this._ran.cellOf(span.file.path);
    if (cellId === null) {
      return;
    }
    const { line, column } = this._placeNow(cellId, span);
    void this._cells?.goTo(cellId, line, column).then(() => {
      for (const view of this._editors.of(cellId)) {
        if (view.hasFocus) {
          view.dom.classList.add(RETURNS);
        }
      }
    });
  }

  /** The present place, in a cell, of a place in the text that ran. */
  private _placeNow(
    cellId: string,
    { line, column }: { line: number; column: number }
  ): { line: number; column: number } {
    const { source } = this._ran.ran(cellId) ?? {};
    const now = this._cells?.source(cellId) ?? null;
    if (source === undefined || now === null) {
      return { line, column: Math.max(0, column) };
    }
    // An editor that is out of sight may not have been made.
    const [view] = this._editors.of(cellId);
    const doc = view?.state.doc ?? Text.of(now.split('\n'));
    const moved =
      view?.state.field(movedText) ?? MovedText.between(source, doc);
    const at = moved.place(line, column);
    const there = doc.lineAt(at);
    return { line: there.number, column: at - there.from };
  }

  /** Finds the cells that ran, and the cells whose text has changed since. */
  private _relink(): void {
    const { _model: model, _cells: cells } = this;
    if (!model?.snapshot || cells === null) {
      this._ran.clear();
    } else {
      const runs = model.runs.map(({ snapshot }) => snapshot);
      this._ran.find([...new Set([model.snapshot, ...runs])], cells);
      if (model.program >= 0) {
        const links = linksOf(model.snapshot, model.program);
        for (const [id, { snapshot, path }] of this._ran.all()) {
          if (snapshot === model.snapshot) {
            links.adopt(path, id);
          }
        }
      }
    }
    this._tellUnlinked();
    this._mark();
  }

  private _tellUnlinked(): void {
    const { model, _cells: cells } = this;
    if (this._screenState) {
      const { snapshot, program } = model ?? { snapshot: null, program: -1 };
      this._screenState.unlinked =
        snapshot === null || cells === null
          ? []
          : this._ran.unlinked(snapshot, cells, path =>
              linksOf(snapshot, program).comesFrom(path)
            );
    }
  }

  /** Put the marks into the cells; only cells whose marks have changed are updated. */
  private _mark(): void {
    const {
      _model: model,
      _screenState: screenState,
      _costs: costs,
      _stepping: stepping
    } = this;
    const marks =
      model === null ||
      screenState === null ||
      costs === null ||
      stepping === null
        ? null
        : this._marks.make({
            model,
            screenState,
            costs,
            stepping,
            cells: this._ran
          });
    this._editors.mark(marks, cellId => this._ran.ran(cellId)?.source);
  }

  private _model: IJaxprModel | null = null;
  private _cells: ICells | null = null;
  private _screenState: ScreenState | null = null;
  private _costs: Costs | null = null;
  private _stepping: Stepping | null = null;
  private _viewWanted = new Signal<this, SignView>(this);
  private _marks: MarksOfCells;
  private _ran = new RanCells();
  private _editors = new MarkedEditors();
  private _where: Parameters<CellLinks['_hoverAt']>[0] = null;
  private _frame = 0;
  private _typing = 0;
  private _isDisposed = false;
}
