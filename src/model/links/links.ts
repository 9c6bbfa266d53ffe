/**
 * Finds what belongs together in a program: equations, spans of cells, lines of StableHLO and HLO.
 *
 * Everything is found by stacks. Two things with the same chain of user frames come from the same place of the
 * user's code; where the library frames below are the same too, from the same place of the library. An equation
 * without a user frame (inside a library's jit) has the frames of the equation that calls its scope.
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

/** A span of a cell that belongs to what is pointed at. */
export interface ILinkedSpan extends ISourceSpan {
  /** own: it was written here. call: it was written elsewhere, and called from here. */
  role: 'own' | 'call';
}

/** What belongs to what the user points at. */
export interface ILinked {
  /** Ids of equations, as `ProgramEquations.id` gives them. */
  readonly equations: ReadonlySet<number>;
  /** In cells. */
  readonly spans: readonly ILinkedSpan[];
  /** In the user's own files. */
  readonly fileSpans: readonly ILinkedSpan[];
  /** In libraries that the user's code calls: whole lines. */
  readonly librarySpans: readonly ILinkedSpan[];
  readonly lines: Readonly<Record<TextLevel, ReadonlySet<number>>>;
  /** span: to expressions. line: only to whole lines. none: it is linked to nothing. */
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

/** An expression of the code, and what of a program comes from it. */
export interface IExpression {
  span: ISourceSpan;
  /** Ids of the equations that were written there; where there are none, of those that a call there leads to. */
  equations: ReadonlySet<number>;
  /** Whether the equations were written elsewhere, in what the expression calls. */
  isCall: boolean;
  /** In how many ways the code comes to the expression: chains of calls. */
  ways: number;
}

/** Which equations some lines of a text come from. */
export interface ILinesEquations {
  ids: ReadonlySet<number>;
  /** That they come from all of these; else from some of them, which XLA does not tell apart. */
  told: boolean;
}

/** The links of one program; pages of equations and of texts are added as they arrive. */
export class Links {
  constructor(
    readonly equations: ProgramEquations,
    readonly spans: SourceSpans,
    /** Whether the texts that the document holds are these links' own. */
    withTexts = true
  ) {
    this._ownFile = equations.snapshot.cell?.file ?? null;
    this._index = new LinkIndex(equations, spans, withTexts);
  }

  /** Where an equation comes from, or the one that calls its scope; null where neither is known. */
  origin(scope: number, equation: number): IOrigin | null {
    return this._index.origins[this.equations.id(scope, equation)]?.[0] ?? null;
  }

  /** Where a line of a text comes from; null where that is not known. */
  lineOrigin(level: TextLevel, line: number): IOrigin | null {
    return this._index.texts[level].origins[line] ?? null;
  }

  /** Whether where a line comes from was inferred, not stated. */
  isInferred(level: TextLevel, line: number): boolean {
    return this._index.texts[level].inferred.has(line);
  }

  /** Whether a line is told from the other equations of its place by its path and its type. */
  isNamed(level: TextLevel, line: number): boolean {
    const named = this._index.texts[level].named.get(line);
    return (
      named !== undefined &&
      this.equations.has(named.scope) &&
      named.equation < this.equations.count(named.scope)
    );
  }

  /** Ids of the equations that a line of a text belongs to. */
  equationsOfLine(level: TextLevel, line: number): readonly number[] {
    const named = this._index.texts[level].named.get(line);
    if (named && this.isNamed(level, line)) {
      return [this.equations.id(named.scope, named.equation)];
    }
    return this._index.texts[level]
      .all(line)
      .flatMap(origin => this._index.equationsOfOrigin(origin));
  }

  /** The equations of some lines of a text, and whether each line has one alone. */
  equationsOfLines(
    level: TextLevel,
    first: number,
    last: number
  ): ILinesEquations {
    const ids = new Set<number>();
    const seen = new Set<number>();
    let told = true;
    for (let line = first; line <= last; line++) {
      // Of the thousands of lines of an unrolled loop, most are of the same place.
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

  /** The span in a cell that an origin is shown by: the innermost frame that is in one. */
  cellSpan(origin: IOrigin): ISourceSpan | null {
    for (const frame of origin.frames) {
      const span = this.spans.span(frame);
      if (span.file.kind === 'cell') {
        return span;
      }
    }
    return null;
  }

  /** Whether a span is in the cell that ran. */
  inOwnCell(span: ISourceSpan): boolean {
    return span.file.path === this._ownFile;
  }

  /** Whether anything of the program comes from a file. */
  comesFrom(path: string): boolean {
    return this._index.comesFrom(path);
  }

  /** The files of libraries that the program's equations were made in, those called first before those they call. */
  get libraries(): ReadonlyMap<string, File> {
    return this._index.libraries;
  }

  /** The lines of a file that anything of the program comes from, ascending. */
  linesOf(path: string): number[] {
    return this._index.linesOf(path);
  }

  /** Say which cell a file is that the kernel did not know by its id. */
  adopt(path: string, cellId: string): void {
    if (this._adopted.get(path) !== cellId) {
      this._adopted.set(path, cellId);
      this._resolved = null;
    }
  }

  /** Take lines of a text in. */
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

  /** Take a page of equations in, after it was added to the program: outer before inner. */
  addParts(parts: readonly IAddedPart[]): void {
    this._index.addParts(parts);
    this._resolved = null;
  }

  /** Link the lines of collectives to the equations that caused them. */
  addCollectives(collectives: readonly Collective[]): void {
    this._index.addCollectives(collectives);
    this._resolved = null;
  }

  /** What belongs to a selection. */
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

  /** Where equations were written, without their lines in other texts. */
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
   * What belongs to a selection, and what else comes from the same place: where equations are chosen, all of this
   * program that the same expression made, whichever program they were chosen in.
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

  /** The narrowest expression around a place that equations come from; null where there is none. */
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

  /** Ids of the chosen equations and where they come from; of another program's, what comes from there here. */
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
        // What is inside a library's jit is shown where its first caller is.
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

  /** The links of the first program of the run that has a scope. */
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

  /** The narrowest span around the caret, be it written there or called from there; else every span of the line. */
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
    const body = this._bodyOfLoop(paths, line);
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

  /** The spans in the body of the Python loop that a line begins; none where it begins none. */
  private _bodyOfLoop(paths: readonly string[], line: number): number[] {
    const body = new Set<number>();
    for (const path of paths) {
      const lines = this._linesOf(path);
      const indent = /^(\s*)(for|while)\b/.exec(lines[line - 1] ?? '')?.[1];
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

  /** What was made in a line of a library, and where the user's code called for it. */
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

  /** Whether a file is what a cell was when it ran. */
  isOfCell(path: string, cellId: string): boolean {
    return this._pathsOf(cellId).includes(path);
  }

  /** The files of a cell: it may have run more than once, and its functions live on. */
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

/** Of each snapshot: the spans, which all its programs share so that their numbers agree, and its links so far. */
const OPENED = new WeakMap<
  Snapshot,
  { spans: SourceSpans; links: Map<number, Links> }
>();

/** The links of a program; the same object for every view of the snapshot. */
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
