/** Makes the marks of each cell of a run, at places of the text that ran. */
import { TranslationBundle } from '@jupyterlab/translation';

import { ScreenState } from '../model/screen-state';
import { lineCounts } from '../model/call-counts';
import { Costs } from '../model/costs';
import { heatOfLines } from '../model/cost-shares';
import { ILinkedSpan, linksOf } from '../model/links';
import { ILineTypes, typesOfRun } from '../model/named-types';
import { IShownStep, Stepping } from '../model/stepping';
import { typesChoice } from '../model/types-choice';
import { ICellMarks, IStepMarks, NO_CELL_MARKS } from '../parts/drawn-marks';
import type { ProgramCost, Snapshot } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { isUnedited } from '../model/edited-text';
import { notesOfLines } from './notes-of-lines';
import { RanCells } from './ran-cells';

/** The objects from which the marks are made: the model, the state of its views, the costs, the steps and the cells. */
export interface IMarksOf {
  model: IJaxprModel;
  screenState: ScreenState;
  costs: Costs;
  stepping: Stepping;
  cells: RanCells;
}

/** Makes marks; the results of expensive work are kept until the run or the program changes. */
export class MarksOfCells {
  constructor(private _trans: TranslationBundle) {}

  /** Makes the marks of all cells; returns them by the ids of the cells. */
  make(of: IMarksOf): Map<string, ICellMarks> {
    const marks = new Map<string, ICellMarks>();
    const { model, screenState, cells } = of;
    const { snapshot } = model;
    if (!snapshot) {
      return marks;
    }
    const change = (cellId: string, changes: Partial<ICellMarks>): void => {
      const cellMarks = marks.get(cellId) ?? {
        ...NO_CELL_MARKS,
        typesAfterNames: typesChoice.afterNames,
        untracedTitle: this._trans.__('The trace did not reach this line.'),
        changedTitle: this._trans.__(
          'This part of the cell was edited after the cell ran.'
        )
      };
      marks.set(cellId, { ...cellMarks, ...changes });
    };
    const mark = (cellId: string, span: ILinkedSpan): void => {
      const { line, column, endLine, endColumn, role } = span;
      const markedSpan = { line, column, endLine, endColumn, role };
      change(cellId, {
        spans: [...(marks.get(cellId)?.spans ?? []), markedSpan]
      });
    };
    for (const [cellId, types] of typesChoice.shown ? this._types(of) : []) {
      change(cellId, { types });
    }
    if (!screenState.linksInView && !screenState.ledgerInView) {
      return marks;
    }
    const own = cells.cellOf(snapshot.cell?.file ?? '');
    if (own !== null) {
      if (!screenState.outcomesHidden) {
        change(own, { counts: this._counts(snapshot) });
      }
      if (screenState.linksInView) {
        change(own, {
          untraced: snapshot.untraced_lines,
          notes: notesOfLines(snapshot, model.program)
        });
      }
    }
    for (const [cellId, heat] of this._heatOf(of, snapshot)) {
      const counts = marks.get(cellId)?.counts ?? [];
      const costs = heat.map(({ line, text }) => ({
        line,
        parts: [
          { kind: 'cost' as const, text },
          ...(counts.find(count => count.line === line)?.parts ?? [])
        ]
      }));
      change(cellId, {
        heat: heat.map(({ line, share, title }) => ({ line, share, title })),
        counts: [
          ...counts.filter(
            count => !costs.some(({ line }) => line === count.line)
          ),
          ...costs
        ]
      });
    }
    for (const [cellId, step] of this._stepOf(of)) {
      change(cellId, { step });
    }
    const pointed = screenState.ledgerInView ? screenState.pointedAt : null;
    const pointedCell = pointed && cells.cellOf(pointed.file.path);
    if (pointed !== null && pointedCell !== null) {
      // The user chose a row of the ledger. The whole line is marked, because a place in the ledger may span less than
      // the call.
      mark(pointedCell, { ...pointed, column: -1, endColumn: -1 });
    }
    if (screenState.linksInView && model.program >= 0) {
      const linked = linksOf(snapshot, model.program).resolve(
        model.hover ?? model.selection
      );
      for (const span of linked.spans) {
        const cellId = cells.cellOf(span.file.path);
        if (cellId !== null) {
          mark(cellId, span);
        }
      }
    }
    return marks;
  }

  private _counts(snapshot: Snapshot): ICellMarks['counts'] {
    return (snapshot.ledger?.lines ?? [])
      .map(line => ({
        line: line.line,
        parts: lineCounts(line, this._trans)
      }))
      .filter(({ parts }) => parts.length > 0);
  }

  /**
   * For each cell, the types of its names, from the run whose text the cell has. Lines without types in this run have
   * the types of the newest run of the cell itself (this run may be of another cell, which called a function of the
   * cell).
   */
  private _types({ model, cells }: IMarksOf): [string, ILineTypes[]][] {
    const typesOfCells: [string, ILineTypes[]][] = [];
    for (const [cellId, { snapshot, path, source }] of cells.all()) {
      const program =
        snapshot === model.snapshot ? model.program : snapshot.focus;
      const lines = this._typesOf(snapshot, program).get(path) ?? [];
      const own = model.runs.find(run => run.snapshot.cell?.id === cellId);
      const { cell = null, focus = -1 } = own?.snapshot ?? {};
      const ownTypes =
        own && cell && isUnedited(cell.source, source)
          ? (this._typesOf(
              own.snapshot,
              own.snapshot === model.snapshot ? model.program : focus
            ).get(cell.file) ?? [])
          : [];
      const taken = new Set(lines.map(({ line }) => line));
      const all = [
        ...lines,
        ...ownTypes.filter(({ line }) => !taken.has(line))
      ];
      if (all.length > 0) {
        typesOfCells.push([cellId, all]);
      }
    }
    return typesOfCells;
  }

  private _typesOf(
    snapshot: Snapshot,
    program: number
  ): Map<string, ILineTypes[]> {
    const cached = this._typesOfRuns.get(snapshot);
    if (cached?.program === program) {
      return cached.types;
    }
    const types = typesOfRun(snapshot, program, this._trans);
    this._typesOfRuns.set(snapshot, { program, types });
    return types;
  }

  /** For each cell, the costs of its lines, while views show heat. */
  private _heatOf(
    { model, costs, cells }: IMarksOf,
    snapshot: Snapshot
  ): [
    string,
    { line: number; share: number; text: string; title: string }[]
  ][] {
    const cost =
      model.program >= 0 && costs.heat
        ? costs.costOf(snapshot, model.program)
        : null;
    if (cost === null) {
      return [];
    }
    if (this._heat?.cost !== cost) {
      const lines = heatOfLines(snapshot, cost, this._trans);
      this._heat = { cost, lines };
    }
    const heatOfCells: ReturnType<MarksOfCells['_heatOf']> = [];
    for (const [path, lines] of this._heat.lines) {
      const cellId = cells.cellOf(path);
      if (cellId !== null && lines.size > 0) {
        const heat = [...lines].map(([line, { share, text, title }]) => ({
          line,
          share,
          text,
          title
        }));
        heatOfCells.push([cellId, heat]);
      }
    }
    return heatOfCells;
  }

  /**
   * For each cell, the marks of the step in view: the expressions that the step computes, and the values before and
   * after the step.
   */
  private _stepOf({
    model,
    screenState,
    stepping,
    cells
  }: IMarksOf): [string, IStepMarks][] {
    const { shown } = stepping;
    const { snapshot, program } = model;
    if (
      shown === null ||
      !screenState.flowInView ||
      shown.snapshot !== snapshot ||
      shown.program !== program
    ) {
      return [];
    }
    const stepsOfCells: [string, IStepMarks][] = [];
    for (const [path, spans] of this._spansOf(shown)) {
      const cellId = cells.cellOf(path);
      if (cellId === null) {
        continue;
      }
      const lines = spans.map(({ line }) => line);
      const [file, , def] = snapshot.frames[shown.frame] ?? [];
      if (file !== undefined && snapshot.files[file].path === path) {
        lines.push(def);
      }
      const first = Math.min(...lines);
      const last = Math.max(...spans.map(({ endLine }) => endLine));
      const { before, after } = shown;
      const values =
        first === last
          ? [
              {
                line: first,
                text: [before.text, after.text].filter(Boolean).join(' → '),
                title: `${before.title}\n${after.title}`
              }
            ]
          : [
              { line: first, ...before },
              { line: last, ...after }
            ];
      stepsOfCells.push([
        cellId,
        { spans, values: values.filter(({ text }) => text !== '') }
      ]);
    }
    return stepsOfCells;
  }

  /**
   * The places where the equations of a step were written, by file; computed once for all steps with the same
   * equations.
   */
  private _spansOf({
    snapshot,
    program,
    equations
  }: IShownStep): Map<string, IStepMarks['spans'][number][]> {
    if (this._step?.equations !== equations) {
      const spans = new Map<string, IStepMarks['spans'][number][]>();
      const links = linksOf(snapshot, program);
      for (const span of links.spansOf(equations)) {
        const { line, column, endLine, endColumn, role } = span;
        const { path } = span.file;
        const spansOfFile = spans.get(path) ?? [];
        spansOfFile.push({ line, column, endLine, endColumn, role });
        spans.set(path, spansOfFile);
      }
      this._step = { equations, spans };
    }
    return this._step.spans;
  }

  private _step: {
    equations: IShownStep['equations'];
    spans: Map<string, IStepMarks['spans'][number][]>;
  } | null = null;
  private _heat: {
    cost: ProgramCost;
    lines: ReturnType<typeof heatOfLines>;
  } | null = null;
  private _typesOfRuns = new WeakMap<
    Snapshot,
    { program: number; types: Map<string, ILineTypes[]> }
  >();
}
