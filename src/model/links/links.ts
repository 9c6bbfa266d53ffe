/**
 * Links equations, spans of cells, and lines of StableHLO and HLO with each other.
 *
 * All links are made by stacks. Two things with the same chain of user frames come from the same place of the user's
 * code; if their library frames are the same too, they come from the same place of the library. An equation without a
 * user frame (inside a library's jit) has the frames of the equation that calls its scope.
 */
import { IAddedPart, ProgramEquations } from '../../program-text/equations';
import {
  IOrigin,
  ISourceSpan,
  SourcePools,
  SourceSpans,
  holds,
  lineKey,
  narrowest,
  spanKey
} from '../../program-text/source-spans';
import type { Collective, File, Snapshot } from '../../protocol/snapshot';
import type { IEquationRef, Selection } from '../../tokens';
import { LinkIndex } from './link-index';
import { ILineFacts, TextLevel } from './linked-text';

/** A span of a cell that is linked to the selection. */
export interface ILinkedSpan extends ISourceSpan {
  /**
   * own: the equations were written in the span. call: the equations were written elsewhere, in code that the span
   * calls.
   */
  role: 'own' | 'call';
}

/** Everything that is linked to the selection. */
export interface ILinked {
  /** The ids of the equations, as `ProgramEquations.id` gives them. */
  readonly equations: ReadonlySet<number>;
  /** The spans in cells. */
  readonly spans: readonly ILinkedSpan[];
  /** The spans in the user's own files. */
  readonly fileSpans: readonly ILinkedSpan[];
  /** The spans in libraries that the user's code calls: whole lines. */
  readonly librarySpans: readonly ILinkedSpan[];
  readonly lines: Readonly<Record<TextLevel, ReadonlySet<number>>>;
  /** span: linked to expressions. line: linked to whole lines only. none: linked to nothing. */
  readonly precision: 'span' | 'line' | 'none';
}

const NOTHING: ILinked = {
  equations: new Set(),
  spans: [],
  fileSpans: [],
  librarySpans: [],
  lines: { stablehlo: new Set(), hlo: new Set() },
  precision: 'none'
};

/** An expression of the code, and the equations that come from the expression. */
export interface IExpression {
  span: ISourceSpan;
  /**
   * The ids of the equations that were written in the expression; if there are none, of the equations that its call
   * leads to.
   */
  equations: ReadonlySet<number>;
  /** True if the expression is a call and its equations were written in the called function. */
  isCall: boolean;
  /** The number of call chains that reach the expression. */
  ways: number;
}

/** The equations that some lines of a text come from. */
export interface ILinesEquations {
  ids: ReadonlySet<number>;
  /**
   * True if the lines come from all of these equations; false if they come from some of them, which XLA does not
   * distinguish.
   */
  told: boolean;
}

/** The links of one program; pages of equations and of texts are added when they arrive. */
export class Links {
  constructor(
    readonly equations: ProgramEquations,
    readonly spans: SourceSpans,
    /** True if the texts that the document holds belong to these links. */
    withTexts = true
  ) {
    this._ownFile = equations.snapshot.cell?.file ?? null;
    this._index = new LinkIndex(equations, spans, withTexts);
  }

  /** The origin of an equation, or of the equation that calls its scope; null if both are unknown. */
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

  /** True if the path and the type of a line distinguish its equation from the other equations of the same place. */
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

  /** The equations of some lines of a text, and whether each line comes from exactly one equation. */
  equationsOfLines(
    level: TextLevel,
    first: number,
    last: number
  ): ILinesEquations {
    const ids = new Set<number>();
    const seen = new Set<number>();
    let told = true;
    for (let line = first; line <= last; line++) {
      // Most of the thousands of lines of an unrolled loop have the same origin, which is looked up once.
      const [origin, other] = this._index.texts[level].all(line);
      if (origin && !other && !this.isNamed(level, line)) {
        if (seen.has(origin.exact)) {
          continue;
        }
        seen.add(origin.exact);
      }
      const equations = this.equationsOfLine(level, line);
      addAll(ids, equations);
      told &&= equations.length <= 1;
    }
    return { ids, told };
  }

  /** The span in a cell that stands for an origin: the innermost frame that is in a cell. */
  cellSpan(origin: IOrigin): ISourceSpan | null {
    for (const frame of origin.frames) {
      const span = this.spans.span(frame);
      if (span.file.kind === 'cell') {
        return span;
      }
    }
    return null;
  }

  /** True if a span is in the cell that ran. */
  inOwnCell(span: ISourceSpan): boolean {
    return span.file.path === this._ownFile;
  }

  /** True if anything of the program comes from the file. */
  comesFrom(path: string): boolean {
    return this._index.comesFrom(path);
  }

  /** The files of libraries that made equations of the program; a calling file comes before the files that it calls. */
  get libraries(): ReadonlyMap<string, File> {
    return this._index.libraries;
  }

  /** The lines of a file from which anything of the program comes, ascending. */
  linesOf(path: string): number[] {
    return this._index.linesOf(path);
  }

  /** State which cell a file is, if the kernel did not know the id of the cell. */
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

  /** The spans where equations were written, without the lines of the equations in texts. */
  spansOf(equations: readonly IEquationRef[]): readonly ILinkedSpan[] {
    const { ids, origins } = this._chosen(equations);
    return this._make(ids, origins).spans;
  }

  private _resolve(selection: Selection): ILinked {
    switch (selection.kind) {
      case 'equations':
        return this._ofEquations(selection.equations);
      case 'text':
        return this._ofLine(selection.level, selection.line);
      case 'caret':
        return this._ofPlace(
          this._pathsOf(selection.cellId),
          selection.line,
          selection.column
        );
      case 'source':
        return this._ofPlace(
          [selection.path],
          selection.line,
          selection.column
        );
    }
  }

  /**
   * Everything that is linked to a selection, and everything else of the same place. For chosen equations, of this or
   * of another program, these are all equations of this program that the same expression made.
   */
  sameSource(selection: Selection | null): ILinked {
    if (selection?.kind !== 'equations') {
      return this.resolve(selection);
    }
    const { ids, origins } = this._chosen(selection.equations);
    for (const origin of origins) {
      addAll(ids, this._index.equationsOf(origin));
    }
    return this._make(ids, origins);
  }

  /** The narrowest expression around a place that equations come from; null if there is none. */
  expressionAt(path: string, line: number, column: number): IExpression | null {
    const around = (
      this._index.spansOfLine.get(lineKey(path, line)) ?? []
    ).filter(id => holds(this.spans.span(id), line, column));
    if (around.length === 0) {
      return null;
    }
    const [id] = narrowest(around, this.spans);
    const own = this._index.chainsOfSpan.get(id) ?? [];
    const isCall = !own.some(chain => this._index.byChain.has(chain));
    const chains = isCall ? (this._index.chainsThrough.get(id) ?? []) : own;
    const equations = new Set<number>();
    for (const chain of chains) {
      addAll(equations, this._index.byChain.get(chain) ?? []);
    }
    return equations.size === 0
      ? null
      : { span: this.spans.span(id), equations, isCall, ways: chains.length };
  }

  private _ofEquations(chosen: readonly IEquationRef[]): ILinked {
    const { ids, origins } = this._chosen(chosen);
    const linked = this._make(ids, origins);
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
   * equations of the same origins.
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
        // An equation inside a library's jit is shown at the first caller of the jit.
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
      const linked = this._make(ids, origins);
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
    const linked = this._make(new Set(equations), origins);
    return {
      ...linked,
      lines: { ...linked.lines, [level]: new Set([line]) }
    };
  }

  /**
   * The narrowest span around the caret, be it written there or called from there; if there is none, every span of the
   * line.
   */
  private _ofPlace(
    paths: readonly string[],
    line: number,
    column: number
  ): ILinked {
    const here: number[] = [];
    for (const path of paths) {
      here.push(...(this._index.spansOfLine.get(lineKey(path, line)) ?? []));
    }
    const around = here.filter(id => holds(this.spans.span(id), line, column));
    if (around.length > 0) {
      const chains = [this._index.chainsOfSpan, this._index.chainsThrough];
      return this._ofSpans(narrowest(around, this.spans), chains, 'span');
    }
    const starting = here.filter(id => this._index.chainsOfSpan.has(id));
    const body = this._bodyOf(paths, line);
    if (body.length > 0) {
      const chains = [this._index.chainsOfSpan, this._index.chainsThrough];
      return this._ofSpans([...starting, ...body], chains, 'line');
    }
    if (starting.length > 0) {
      return this._ofSpans(starting, [this._index.chainsOfSpan], 'line');
    }
    return here.length > 0
      ? this._ofSpans(here, [this._index.chainsThrough], 'line')
      : this._ofLibraryLine(paths, line);
  }

  /** The spans in the body of the Python loop or function whose first line this is; none for any other line. */
  private _bodyOf(paths: readonly string[], line: number): number[] {
    const body = new Set<number>();
    for (const path of paths) {
      const lines = this._linesOf(path);
      const indent = /^(\s*)(for|while|def|async\s+def)\b/.exec(
        lines[line - 1] ?? ''
      )?.[1];
      if (indent === undefined) {
        continue;
      }
      for (let at = line + 1; at <= lines.length; at++) {
        const text = lines[at - 1];
        const isBlank = /^\s*(#|$)/.test(text);
        if (!isBlank && text.search(/\S/) <= indent.length) {
          break;
        }
        addAll(body, this._index.spansOfLine.get(lineKey(path, at)) ?? []);
      }
    }
    return [...body];
  }

  /** The lines of a cell that ran, or of a file that the document holds. */
  private _linesOf(path: string): readonly string[] {
    const { cell, files } = this.equations.snapshot;
    const text =
      cell?.file === path
        ? cell.source
        : files.find(file => file.path === path)?.source;
    return text?.split('\n') ?? [];
  }

  /** The equations that a line of a library made, and the places of the user's code that called the library. */
  private _ofLibraryLine(paths: readonly string[], line: number): ILinked {
    const ids = new Set<number>();
    const origins: IOrigin[] = [];
    for (const path of paths) {
      for (const origin of this._index.throughLibrary.get(
        lineKey(path, line)
      ) ?? []) {
        origins.push(origin);
        addAll(ids, this._index.byExact.get(origin.exact) ?? []);
      }
    }
    return origins.length === 0
      ? NOTHING
      : { ...this._make(ids, origins), precision: 'line' };
  }

  private _ofSpans(
    ids: readonly number[],
    chainsOf: readonly ReadonlyMap<number, readonly number[]>[],
    precision: 'span' | 'line'
  ): ILinked {
    const equations = new Set<number>();
    const lines = { stablehlo: new Set<number>(), hlo: new Set<number>() };
    const all: ILinkedSpan[] = [];
    for (const id of ids) {
      for (const chain of chainsOf.flatMap(chains => chains.get(id) ?? [])) {
        addAll(equations, this._index.byChain.get(chain) ?? []);
        addAll(lines.stablehlo, this._index.texts.stablehlo.ofChain(chain));
        addAll(lines.hlo, this._index.texts.hlo.ofChain(chain));
      }
      all.push({ ...this.spans.span(id), role: 'own' });
    }
    if (equations.size + lines.stablehlo.size + lines.hlo.size === 0) {
      return NOTHING;
    }
    const spans = all.filter(({ file }) => file.kind === 'cell');
    const fileSpans = all.filter(({ file }) => file.kind !== 'cell');
    return {
      equations,
      spans,
      fileSpans,
      librarySpans: this._librarySpans(equations),
      lines,
      precision
    };
  }

  private _librarySpans(equations: ReadonlySet<number>): ILinkedSpan[] {
    const calls = new Set<number>();
    for (const id of equations) {
      for (const origin of this._index.origins[id] ?? []) {
        addAll(calls, origin.calls);
      }
    }
    return [...calls].map(id => ({ ...this.spans.span(id), role: 'call' }));
  }

  private _make(
    equations: ReadonlySet<number>,
    origins: readonly IOrigin[]
  ): ILinked {
    const lines = { stablehlo: new Set<number>(), hlo: new Set<number>() };
    const spans = new Map<string, ILinkedSpan>();
    const fileSpans = new Map<string, ILinkedSpan>();
    const librarySpans = new Map<string, ILinkedSpan>();
    const exacts = new Set<number>();
    for (const origin of origins) {
      if (exacts.has(origin.exact)) {
        continue;
      }
      exacts.add(origin.exact);
      addAll(lines.stablehlo, this._index.texts.stablehlo.find(origin));
      addAll(lines.hlo, this._index.texts.hlo.find(origin));
      for (const id of origin.calls) {
        const call = this.spans.span(id);
        librarySpans.set(spanKey(call), { ...call, role: 'call' });
      }
      const inner = this.spans.span(origin.span);
      if (inner.file.kind !== 'cell') {
        fileSpans.set(spanKey(inner), { ...inner, role: 'own' });
      }
      const own = this.cellSpan(origin);
      if (!own) {
        continue;
      }
      spans.set(spanKey(own), { ...own, role: 'own' });
      if (!this.inOwnCell(own)) {
        const frame = origin.frames.find(id =>
          this.inOwnCell(this.spans.span(id))
        );
        if (frame !== undefined) {
          const call = this.spans.span(frame);
          spans.set(spanKey(call), { ...call, role: 'call' });
        }
      }
    }
    const all = [...spans.values(), ...fileSpans.values()];
    return {
      equations,
      spans: [...spans.values()],
      fileSpans: [...fileSpans.values()],
      librarySpans: [...librarySpans.values()],
      lines,
      precision:
        all.length === 0
          ? 'none'
          : all.some(({ column }) => column >= 0)
            ? 'span'
            : 'line'
    };
  }

  /** True if the file has the text that a cell had when the cell ran. */
  isOfCell(path: string, cellId: string): boolean {
    return this._pathsOf(cellId).includes(path);
  }

  /**
   * The files of a cell: a cell that ran several times has several files, and functions of earlier runs still exist.
   */
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

  private _ownFile: string | null;
  private _index: LinkIndex;
  private _adopted = new Map<string, string>();
  private _resolved: { selection: Selection; linked: ILinked } | null = null;
}

function addAll(set: Set<number>, values: readonly number[]): void {
  for (const value of values) {
    set.add(value);
  }
}

/**
 * For each snapshot, the spans, which all its programs share so that their numbers agree, and the links that were made
 * so far.
 */
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
    const spread = snapshot.shardings?.find(one => one.program === program);
    links.addCollectives(spread?.collectives ?? []);
    opened.links.set(program, links);
  }
  return links;
}
