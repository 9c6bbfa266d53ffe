/**
 * Links equations, spans of cells, and lines of StableHLO and HLO with each other.
 *
 * Links are found by comparing stacks. Two things with the same chain of user frames come from the same place of the
 * user's code; if their library frames are the same too, they come from the same place of the library. An equation
 * without a user frame (inside a library's jit) has the frames of the equation that calls its scope.
 */
import { IAddedPart, ProgramEquations } from '../../program-text/equations';
import {
  IOrigin,
  ISourceSpan,
  SourcePools,
  SourceSpans
} from '../../program-text/source-spans';
import type { Collective, File, Snapshot } from '../../protocol/snapshot';
import type { IEquationRef, Selection } from '../../tokens';
import { PlaceIndex } from './place-index';
import { ILinked, ILinkedSpan, NOTHING, addAll } from './linked-to-selection';
import { EquationLinks } from './equation-links';
import { IExpression, PlaceLinks } from './place-links';
import { ILineFacts, TextLevel } from './text-line-origins';

/** The equations from which some lines of a text come. */
export interface ILinesEquations {
  ids: ReadonlySet<number>;
  /**
   * True if the lines come from all of these equations; false if they come from some of them, which XLA does not
   * distinguish.
   */
  isExact: boolean;
}

/** The links of one program; pages of equations and of texts are added when they arrive. */
export class Links {
  constructor(
    readonly equations: ProgramEquations,
    readonly spans: SourceSpans,
    /** True to add the StableHLO and HLO in the document; false for the links of a text for another platform. */
    withTexts = true
  ) {
    const ownFile = equations.snapshot.cell?.file ?? null;
    this._index = new PlaceIndex(equations, spans, withTexts);
    this._origins = new EquationLinks(spans, this._index, ownFile);
    this._places = new PlaceLinks(equations, spans, this._index, this._origins);
  }

  /** The origin of an equation, or else of the equation that calls its scope; null if unknown. */
  origin(scope: number, equation: number): IOrigin | null {
    return this._index.origins[this.equations.id(scope, equation)]?.[0] ?? null;
  }

  /** The origin of a line of a text; null if unknown. */
  lineOrigin(level: TextLevel, line: number): IOrigin | null {
    return this._index.texts[level].origins[line] ?? null;
  }

  /** True if the origin of a line was inferred, not stated by XLA. */
  isInferred(level: TextLevel, line: number): boolean {
    return this._index.texts[level].inferred.has(line);
  }

  /**
   * True if the kernel has found the one equation that a line comes from, among several equations of the same place.
   */
  isNamed(level: TextLevel, line: number): boolean {
    const named = this._index.texts[level].named.get(line);
    return (
      named !== undefined &&
      this.equations.has(named.scope) &&
      named.equation < this.equations.count(named.scope)
    );
  }

  /** The ids of the equations that a line of a text comes from. */
  equationsOfLine(level: TextLevel, line: number): readonly number[] {
    const named = this._index.texts[level].named.get(line);
    if (named && this.isNamed(level, line)) {
      return [this.equations.id(named.scope, named.equation)];
    }
    return this._index.texts[level]
      .all(line)
      .flatMap(origin => this._index.equationsOfOrigin(origin));
  }

  /** The equations of some lines of a text, and whether each line comes from at most one equation. */
  equationsOfLines(
    level: TextLevel,
    first: number,
    last: number
  ): ILinesEquations {
    const ids = new Set<number>();
    const seen = new Set<number>();
    let isExact = true;
    for (let line = first; line <= last; line++) {
      // Most of the thousands of lines of an unrolled loop have the same origin, which is looked up once.
      const [origin, secondOrigin] = this._index.texts[level].all(line);
      if (origin && !secondOrigin && !this.isNamed(level, line)) {
        if (seen.has(origin.exact)) {
          continue;
        }
        seen.add(origin.exact);
      }
      const equations = this.equationsOfLine(level, line);
      addAll(ids, equations);
      isExact &&= equations.length <= 1;
    }
    return { ids, isExact };
  }

  /** The innermost frame of an origin that is in a cell, as a span; null if there is none. */
  cellSpan(origin: IOrigin): ISourceSpan | null {
    return this._origins.cellSpan(origin);
  }

  /** True if a span is in the cell that ran. */
  inOwnCell(span: ISourceSpan): boolean {
    return this._origins.inOwnCell(span);
  }

  /** The narrowest expression around a place that equations come from; null if there is none. */
  expressionAt(path: string, line: number, column: number): IExpression | null {
    return this._places.expressionAt(path, line, column);
  }

  /** True if any equation or text line of the program comes from the file. */
  comesFrom(path: string): boolean {
    return this._index.comesFrom(path);
  }

  /** The library files from which equations come; a calling file comes before the files that it calls. */
  get libraries(): ReadonlyMap<string, File> {
    return this._index.libraries;
  }

  /** The lines of a file from which any equation or text line of the program comes, ascending. */
  linesOf(path: string): number[] {
    return this._index.linesOf(path);
  }

  /** Records the id of the cell whose code is in a file; called if the kernel did not know the id. */
  adopt(path: string, cellId: string): void {
    if (this._adopted.get(path) !== cellId) {
      this._adopted.set(path, cellId);
      this._resolved = null;
    }
  }

  /** Add the lines of a text to the links. */
  addText(
    level: TextLevel,
    firstLine: number,
    lineStacks: readonly number[],
    pools: SourcePools,
    facts: ILineFacts = {}
  ): void {
    this._index.addText(level, firstLine, lineStacks, pools, facts);
    this._resolved = null;
  }

  /**
   * Add a page of equations to the links, after the page was added to the program; outer pages come before inner pages.
   */
  addParts(parts: readonly IAddedPart[]): void {
    this._index.addParts(parts);
    this._resolved = null;
  }

  /** Link the lines of collectives to the equations that caused them. */
  addCollectives(collectives: readonly Collective[]): void {
    this._index.addCollectives(collectives);
    this._resolved = null;
  }

  /** Everything that is linked to a selection. */
  resolve(selection: Selection | null): ILinked {
    if (selection === null) {
      return NOTHING;
    }
    if (this._resolved?.selection === selection) {
      return this._resolved.linked;
    }
    const linked = this._resolve(selection);
    this._resolved = { selection, linked };
    return linked;
  }

  /** The spans from which equations come; their text lines are not searched. */
  spansOf(equations: readonly IEquationRef[]): readonly ILinkedSpan[] {
    const { ids, origins } = this._chosen(equations);
    return this._origins.make(ids, origins).spans;
  }

  private _resolve(selection: Selection): ILinked {
    switch (selection.kind) {
      case 'equations':
        return this._ofEquations(selection.equations);
      case 'text':
        return this._ofLine(selection.level, selection.line);
      case 'caret':
        return this._places.ofPlace(
          this._pathsOf(selection.cellId),
          selection.line,
          selection.column
        );
      case 'source':
        return this._places.ofPlace(
          [selection.path],
          selection.line,
          selection.column
        );
    }
  }

  /**
   * Everything that is linked to a selection, and everything else from the same place: for chosen equations (of this or
   * another program), all equations that the same expression made.
   */
  sameSource(selection: Selection | null): ILinked {
    if (selection?.kind !== 'equations') {
      return this.resolve(selection);
    }
    const { ids, origins } = this._chosen(selection.equations);
    for (const origin of origins) {
      addAll(ids, this._index.equationsOf(origin));
    }
    return this._origins.make(ids, origins);
  }

  private _ofEquations(chosen: readonly IEquationRef[]): ILinked {
    const { ids, origins } = this._chosen(chosen);
    const linked = this._origins.make(ids, origins);
    const exchanges = [...ids].flatMap(
      id => this._index.exchanges.get(id) ?? []
    );
    if (exchanges.length === 0) {
      return linked;
    }
    const hlo = new Set([...linked.lines.hlo, ...exchanges]);
    return { ...linked, lines: { ...linked.lines, hlo } };
  }

  /**
   * The ids of the chosen equations and their origins. Equations of another program are replaced by this program's
   * equations with the same origins.
   */
  private _chosen(chosen: readonly IEquationRef[]): {
    ids: Set<number>;
    origins: IOrigin[];
  } {
    const ids = new Set<number>();
    const origins: IOrigin[] = [];
    for (const { scope, equation } of chosen) {
      if (this.equations.has(scope)) {
        const id = this.equations.id(scope, equation);
        ids.add(id);
        // An equation inside of a library's jit is shown at the first call of this jit.
        const [origin] = this._index.origins[id] ?? [];
        if (origin) {
          origins.push(origin);
        }
        continue;
      }
      const origin = this._elsewhere(scope)?.origin(scope, equation);
      if (origin) {
        origins.push(origin);
        addAll(ids, this._index.equationsOf(origin));
      }
    }
    return { ids, origins };
  }

  /** The links of the first program of the run that has this scope. */
  private _elsewhere(scope: number): Links | null {
    const { snapshot } = this.equations;
    for (let program = 0; program < snapshot.programs.length; program++) {
      const links = linksOf(snapshot, program);
      if (links.equations.has(scope)) {
        return links;
      }
    }
    return null;
  }

  private _ofLine(level: TextLevel, line: number): ILinked {
    const causes = level === 'hlo' ? this._index.causes.get(line) : undefined;
    if (causes !== undefined) {
      const { ids, origins } = this._chosen(causes);
      const linked = this._origins.make(ids, origins);
      return { ...linked, lines: { ...linked.lines, hlo: new Set([line]) } };
    }
    const origins = this._index.texts[level].all(line);
    if (origins.length === 0) {
      return {
        ...NOTHING,
        lines: { ...NOTHING.lines, [level]: new Set([line]) }
      };
    }
    const equations = this.equationsOfLine(level, line);
    const linked = this._origins.make(new Set(equations), origins);
    return {
      ...linked,
      lines: { ...linked.lines, [level]: new Set([line]) }
    };
  }

  /** True if the file has the text that a cell had when the cell ran. */
  isOfCell(path: string, cellId: string): boolean {
    return this._pathsOf(cellId).includes(path);
  }

  /** The file names of a cell: each run has its own, and functions of earlier runs may still exist. */
  private _pathsOf(cellId: string): string[] {
    const { cell, files } = this.equations.snapshot;
    const paths = files
      .filter(
        ({ kind, cell_id, path }) =>
          kind === 'cell' && (cell_id ?? this._adopted.get(path)) === cellId
      )
      .map(({ path }) => path);
    if (cell && cell.id === cellId && !paths.includes(cell.file)) {
      paths.push(cell.file);
    }
    return paths;
  }

  private _index: PlaceIndex;
  private _origins: EquationLinks;
  private _places: PlaceLinks;
  private _adopted = new Map<string, string>();
  private _resolved: { selection: Selection; linked: ILinked } | null = null;
}

/** For each document: the spans, shared by its programs so that their numbers agree, and the links made until now. */
const OPENED = new WeakMap<
  Snapshot,
  { spans: SourceSpans; links: Map<number, Links> }
>();

/** The links of a program; all views of the snapshot get the same object. */
export function linksOf(snapshot: Snapshot, program: number): Links {
  let opened = OPENED.get(snapshot);
  if (!opened) {
    opened = { spans: new SourceSpans(snapshot), links: new Map() };
    OPENED.set(snapshot, opened);
  }
  let links = opened.links.get(program);
  if (!links) {
    links = new Links(
      new ProgramEquations(snapshot, snapshot.programs[program]),
      opened.spans
    );
    const spread = snapshot.shardings?.find(
      shardings => shardings.program === program
    );
    links.addCollectives(spread?.collectives ?? []);
    opened.links.set(program, links);
  }
  return links;
}
