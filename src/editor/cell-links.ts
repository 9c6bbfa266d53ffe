/**
 * The model in view and the editors of its notebook's cells come in; marks in the cells go out, and what the user
 * points at in a cell goes to the model.
 *
 * A cell is linked only while its text is the one that ran: links of an edited cell would point beside.
 */
import { Extension } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';

import { Attention, IUnlinked, attentionOf } from '../model/attention';
import { lineCounts } from '../model/call-counts';
import { Costs, costsOf } from '../model/costs';
import { heatOfLines } from '../model/heat';
import { ILinkedSpan, linksOf } from '../model/links';
import { typesOfLines } from '../model/named-types';
import type { ProgramCost, Snapshot } from '../protocol/snapshot';
import type { IJaxprModel, ModelChange } from '../tokens';
import {
  ICellMarks,
  NO_CELL_MARKS,
  cellMarks,
  setCellMarks
} from '../parts/cell-marks';
import { heatGutter, setHeat } from './heat-gutter';

/** The cells of the notebook whose program is in view. */
export interface ICells {
  /** A cell's text as it is now; null where the notebook has no such cell. */
  source(cellId: string): string | null;
  /** The one cell with this text; null where there is none, or where several have it. */
  find(source: string): string | null;
  /** Bring a cell into view, with the caret there. */
  goTo(cellId: string, line: number, column: number): Promise<void>;
}

/** A cell's editor marks, and is pointed at. */
const RETURNS = 'jp-mod-jaxprReturns';

/** Links between programs and cells. */
export class CellLinks implements IDisposable {
  constructor(private _trans: TranslationBundle) {}

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this.follow(null, null);
      this._isDisposed = true;
    }
  }

  /** What belongs into the editor of a cell. */
  extension(cellId: string): Extension {
    return [
      cellMarks,
      heatGutter,
      ViewPlugin.define(view => {
        this._add(cellId, view);
        return {
          update: update => {
            if (update.docChanged) {
              this._edited(cellId, update.view);
            }
            if (
              (update.selectionSet || update.focusChanged) &&
              update.view.hasFocus
            ) {
              this._caret(cellId, update.view);
            }
            if (update.focusChanged && !update.view.hasFocus) {
              update.view.dom.classList.remove(RETURNS);
            }
          },
          destroy: () => this._remove(cellId, view)
        };
      }),
      EditorView.domEventHandlers({
        mousemove: (event, view) => this._hover(cellId, event, view),
        mouseleave: () => this._hoverAt(null)
      })
    ];
  }

  /** Whether the types of names are shown in the cells. */
  get showsTypes(): boolean {
    return this._showsTypes;
  }

  set showsTypes(shows: boolean) {
    if (shows !== this._showsTypes) {
      this._showsTypes = shows;
      this._mark();
    }
  }

  /** Link this model's program to these cells from now on. */
  follow(model: IJaxprModel | null, cells: ICells | null): void {
    if (this._model) {
      this._model.changed.disconnect(this._onChanged, this);
      this._attention?.viewChanged.disconnect(this._onViewChanged, this);
      this._attention?.pointed.disconnect(this._onPointed, this);
      this._attention?.cellWanted.disconnect(this._onCellWanted, this);
      this._costs?.changed.disconnect(this._mark, this);
      this._clearMarks();
    }
    this._model = model;
    this._cells = cells;
    this._attention = model && attentionOf(model);
    this._costs = model && costsOf(model);
    if (model) {
      model.changed.connect(this._onChanged, this);
      this._attention?.viewChanged.connect(this._onViewChanged, this);
      this._attention?.pointed.connect(this._onPointed, this);
      this._attention?.cellWanted.connect(this._onCellWanted, this);
      this._costs?.changed.connect(this._mark, this);
      this._relink();
    }
  }

  /** From the cell that the keyboard came to, back to the program. */
  goToProgram(): void {
    this._attention?.goToProgram();
  }

  // --- editors ------------------------------------------------------------------------------

  private _add(cellId: string, view: EditorView): void {
    const views = this._views.get(cellId) ?? new Set();
    views.add(view);
    this._views.set(cellId, views);
    // An editor may not be changed while it is being made.
    queueMicrotask(() => this._mark());
  }

  private _remove(cellId: string, view: EditorView): void {
    const views = this._views.get(cellId);
    views?.delete(view);
    if (views?.size === 0) {
      this._views.delete(cellId);
    }
    this._marked.delete(view);
  }

  private _edited(cellId: string, view: EditorView): void {
    this._marked.delete(view);
    view.dom.classList.remove(RETURNS);
    if ([...this._cellIds.values()].includes(cellId)) {
      queueMicrotask(() => this._relink());
    }
  }

  // --- from the cells to the model ----------------------------------------------------------

  /** Whether a cell has text that the program in view came from, unchanged. */
  private _isLinked(cellId: string): boolean {
    return (
      (this._attention?.linksInView ?? false) && this._linkedCells.has(cellId)
    );
  }

  private _caret(cellId: string, view: EditorView): void {
    if (!this._isLinked(cellId)) {
      return;
    }
    const { head } = view.state.selection.main;
    const line = view.state.doc.lineAt(head);
    const selection = {
      kind: 'caret' as const,
      cellId,
      line: line.number,
      column: head - line.from
    };
    // The model answers with marks, and an editor may not be changed in the middle of an update.
    queueMicrotask(() => {
      // Where the mouse happens to rest does not count until it moves.
      if (this._model?.hover?.kind === 'caret') {
        this._model.setHover(null);
      }
      this._model?.setSelection(selection);
    });
  }

  private _hover(cellId: string, event: MouseEvent, view: EditorView): void {
    if (!this._isLinked(cellId)) {
      return;
    }
    this._hoverAt(() => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at === null) {
        return null;
      }
      const line = view.state.doc.lineAt(at);
      return { cellId, line: line.number, column: at - line.from };
    });
  }

  /** Once a frame is enough for the mouse. */
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
    const found =
      hover &&
      linksOf(model.snapshot, model.program).resolve(hover).precision ===
        'span';
    if (found || model.hover?.kind === 'caret') {
      model.setHover(found ? hover : null);
    }
  }

  private get model(): IJaxprModel | null {
    return this._model && this._model.program >= 0 ? this._model : null;
  }

  // --- from the model to the cells ----------------------------------------------------------

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

  /** A row of the Cache view was chosen: its line is marked, and brought into view. */
  private _onPointed(): void {
    this._mark();
    const at = this._pointedAt();
    for (const view of at === null ? [] : (this._views.get(at.cellId) ?? [])) {
      const { doc } = view.state;
      if (at !== null && at.span.line >= 1 && at.span.line <= doc.lines) {
        view.dispatch({
          effects: EditorView.scrollIntoView(doc.line(at.span.line).from, {
            y: 'nearest'
          })
        });
      }
    }
  }

  /** The line that the Cache view points at, where it is in a cell whose text is the one that ran. */
  private _pointedAt(): { cellId: string; span: ILinkedSpan } | null {
    const span = this._attention?.pointedAt ?? null;
    const cellId = span && (this._cellIds.get(span.file.path) ?? null);
    return span && cellId !== null && this._linkedCells.has(cellId)
      ? { cellId, span }
      : null;
  }

  private _onCellWanted(_: Attention, span: ILinkedSpan): void {
    // A note leads to its cell while no program is in view, too.
    this._findCells();
    const cellId = this._cellIds.get(span.file.path) ?? null;
    if (cellId === null || !this._linkedCells.has(cellId)) {
      return;
    }
    const column = Math.max(0, span.column);
    void this._cells?.goTo(cellId, span.line, column).then(() => {
      for (const view of this._views.get(cellId) ?? []) {
        if (view.hasFocus) {
          view.dom.classList.add(RETURNS);
        }
      }
    });
  }

  /** Find out which cells are linked, and why the others are not. */
  private _relink(): void {
    const model = this.model;
    const unlinked = new Map<string, IUnlinked>();
    this._cellIds.clear();
    this._linkedCells.clear();
    if (this._attention?.ledgerInView) {
      this._findCells();
    }
    if (model?.snapshot && this._attention?.linksInView) {
      const links = linksOf(model.snapshot, model.program);
      for (const [ran, id] of this._findCells()) {
        links.adopt(ran.path, id);
        if (!this._linkedCells.has(id) && links.comesFrom(ran.path)) {
          unlinked.set(id, {
            executionCount: ran.executionCount,
            reason: this._cells?.source(id) === null ? 'missing' : 'edited'
          });
        }
      }
    }
    if (this._attention) {
      this._attention.unlinked = [...unlinked.values()];
    }
    this._mark();
  }

  /** Find the cells that ran, and which of them still have the text that ran. */
  private _findCells(): [IRanCell, string][] {
    const snapshot = this._model?.snapshot ?? null;
    const found: [IRanCell, string][] = [];
    this._cellIds.clear();
    this._linkedCells.clear();
    for (const ran of snapshot ? cellsOf(snapshot) : []) {
      const id = ran.id ?? this._cells?.find(ran.source) ?? null;
      if (id !== null) {
        found.push([ran, id]);
        this._cellIds.set(ran.path, id);
        const now = this._cells?.source(id) ?? null;
        if (now !== null && sameText(now, ran.source)) {
          this._linkedCells.add(id);
        }
      }
    }
    return found;
  }

  /** Put the marks into the cells; only those whose marks changed are touched. */
  private _mark(): void {
    const marks = this._marksOfCells();
    for (const [cellId, views] of this._views) {
      const wanted = marks.get(cellId) ?? NO_CELL_MARKS;
      const key = wanted === NO_CELL_MARKS ? '' : JSON.stringify(wanted);
      for (const view of views) {
        if ((this._marked.get(view) ?? '') !== key) {
          this._marked.set(view, key);
          view.dispatch({
            effects: [setCellMarks.of(wanted), ...setHeat(view, wanted.heat)]
          });
        }
      }
    }
  }

  private _clearMarks(): void {
    this._linkedCells.clear();
    this._cellIds.clear();
    for (const views of this._views.values()) {
      for (const view of views) {
        if (this._marked.get(view)) {
          view.dispatch({
            effects: [setCellMarks.of(NO_CELL_MARKS), ...setHeat(view, [])]
          });
        }
        this._marked.delete(view);
      }
    }
  }

  private _marksOfCells(): Map<string, ICellMarks> {
    const marks = new Map<string, ICellMarks>();
    const snapshot = this._model?.snapshot;
    const attention = this._attention;
    if (!snapshot || !(attention?.linksInView || attention?.ledgerInView)) {
      return marks;
    }
    const change = (cellId: string, changes: Partial<ICellMarks>): void => {
      const known = marks.get(cellId) ?? {
        ...NO_CELL_MARKS,
        untracedTitle: this._trans.__('The trace did not reach this line.')
      };
      marks.set(cellId, { ...known, ...changes });
    };
    const mark = (cellId: string, span: ILinkedSpan): void => {
      const { line, column, endLine, endColumn, role } = span;
      const one = { line, column, endLine, endColumn, role };
      change(cellId, { spans: [...(marks.get(cellId)?.spans ?? []), one] });
    };
    const own = this._cellIds.get(snapshot.cell?.file ?? '') ?? null;
    if (own !== null && this._linkedCells.has(own)) {
      if (!attention.outcomesHidden) {
        change(own, { counts: this._countsOf(snapshot) });
      }
      if (attention.linksInView) {
        change(own, {
          untraced: snapshot.untraced_lines,
          notes: notesOf(snapshot, this._model?.program ?? -1)
        });
      }
    }
    for (const [cellId, types] of this._typesOfCells(snapshot)) {
      change(cellId, { types });
    }
    for (const [cellId, heat] of this._heatOfCells(snapshot)) {
      const known = marks.get(cellId)?.counts ?? [];
      const costs = heat.map(({ line, text }) => ({
        line,
        parts: [
          { kind: 'cost' as const, text },
          ...(known.find(one => one.line === line)?.parts ?? [])
        ]
      }));
      change(cellId, {
        heat: heat.map(({ line, share, title }) => ({ line, share, title })),
        counts: [
          ...known.filter(one => !costs.some(({ line }) => line === one.line)),
          ...costs
        ]
      });
    }
    if (attention.ledgerInView) {
      const at = this._pointedAt();
      if (at !== null) {
        // The line as a whole: a call is more than the name that JAX has for it.
        mark(at.cellId, { ...at.span, column: -1, endColumn: -1 });
      }
    }
    const model = attention.linksInView ? this.model : null;
    if (model) {
      const linked = linksOf(snapshot, model.program).resolve(
        model.hover ?? model.selection
      );
      for (const span of linked.spans) {
        const cellId = this._cellIds.get(span.file.path) ?? null;
        if (cellId !== null && this._linkedCells.has(cellId)) {
          mark(cellId, span);
        }
      }
    }
    return marks;
  }

  private _countsOf(snapshot: Snapshot): ICellMarks['counts'] {
    return (snapshot.ledger?.lines ?? [])
      .map(line => ({
        line: line.line,
        parts: lineCounts(line, this._trans)
      }))
      .filter(({ parts }) => parts.length > 0);
  }

  /** Of each linked cell: the types of its names, where they are to be seen. */
  private _typesOfCells(snapshot: Snapshot): [string, ICellMarks['types']][] {
    const { model } = this;
    if (!model || !this._showsTypes || !this._attention?.linksInView) {
      return [];
    }
    const { program } = model;
    if (this._types?.snapshot !== snapshot || this._types.program !== program) {
      const lines = typesOfLines(snapshot, program, this._trans);
      this._types = { snapshot, program, lines };
    }
    return [...this._types.lines].flatMap(([path, lines]) => {
      const cellId = this._cellIds.get(path) ?? null;
      return cellId !== null && this._linkedCells.has(cellId)
        ? [[cellId, lines] as [string, ICellMarks['types']]]
        : [];
    });
  }

  /** Of each linked cell: what its lines cost, where that is to be seen. */
  private _heatOfCells(
    snapshot: Snapshot
  ): [
    string,
    { line: number; share: number; text: string; title: string }[]
  ][] {
    const { model, _costs: costs } = this;
    const cost =
      model && costs?.heat ? costs.costOf(snapshot, model.program) : null;
    if (cost === null) {
      return [];
    }
    const found: ReturnType<CellLinks['_heatOfCells']> = [];
    if (this._heat?.cost !== cost) {
      const lines = heatOfLines(snapshot, cost, this._trans);
      this._heat = { cost, lines };
    }
    for (const [path, lines] of this._heat.lines) {
      const cellId = this._cellIds.get(path) ?? null;
      if (cellId !== null && this._linkedCells.has(cellId) && lines.size > 0) {
        const heat = [...lines].map(([line, { share, text, title }]) => ({
          line,
          share,
          text,
          title
        }));
        found.push([cellId, heat]);
      }
    }
    return found;
  }

  private _model: IJaxprModel | null = null;
  private _cells: ICells | null = null;
  private _attention: Attention | null = null;
  private _costs: Costs | null = null;
  /** Of the cost that was last to be seen. */
  private _heat: {
    cost: ProgramCost;
    lines: ReturnType<typeof heatOfLines>;
  } | null = null;
  private _showsTypes = true;
  /** Of the program that was last to be seen. */
  private _types: {
    snapshot: Snapshot;
    program: number;
    lines: ReturnType<typeof typesOfLines>;
  } | null = null;
  private _views = new Map<string, Set<EditorView>>();
  /** What each editor shows, so that the same is not shown again. */
  private _marked = new Map<EditorView, string>();
  /** Of each file of the run: the cell it is. */
  private _cellIds = new Map<string, string>();
  private _linkedCells = new Set<string>();
  private _where: Parameters<CellLinks['_hoverAt']>[0] = null;
  private _frame = 0;
  private _isDisposed = false;
}

/** A cell that a snapshot came from, as it ran. */
interface IRanCell {
  path: string;
  id: string | null;
  executionCount: number | null;
  source: string;
}

function cellsOf(snapshot: Snapshot): IRanCell[] {
  const ran: IRanCell[] = [];
  const { cell, files } = snapshot;
  for (const { path, kind, cell_id, execution_count, source } of files) {
    if (kind === 'cell' && source !== null && path !== cell?.file) {
      ran.push({ path, id: cell_id, executionCount: execution_count, source });
    }
  }
  if (cell) {
    ran.push({
      path: cell.file,
      id: cell.id,
      executionCount: cell.execution_count,
      source: cell.source
    });
  }
  return ran;
}

/** The notes of a program, or of the whole run, that are about a line of the cell that ran. */
function notesOf(
  snapshot: Snapshot,
  program: number
): { line: number; text: string }[] {
  const notes: { line: number; text: string }[] = [];
  for (const note of snapshot.notes) {
    if (note.frame < 0 || (note.program !== program && note.program >= 0)) {
      continue;
    }
    const [file, , line] = snapshot.frames[note.frame];
    if (snapshot.files[file].path === snapshot.cell?.file) {
      notes.push({ line, text: note.text });
    }
  }
  return notes;
}

/** A new line at the end moves nothing. */
function sameText(a: string, b: string): boolean {
  return a.trimEnd() === b.trimEnd();
}
