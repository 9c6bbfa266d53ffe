/**
 * A program comes in, and what the user points at; what belongs together goes out: equations, spans of cells, lines
 * of StableHLO and HLO.
 *
 * Everything is found by stacks. Two things with the same chain of user frames come from the same place of the
 * user's code; where the library frames below are the same too, from the same place of the library. An equation
 * without a user frame (inside a library's jit) has the frames of the equation that calls its scope.
 */
import {
  IAddedPart,
  ProgramEquations,
  ScopePart
} from '../program-text/equations';
import {
  IOrigin,
  ISourceSpan,
  SourcePools,
  SourceSpans
} from '../program-text/source-spans';
import type { Collective, File, Snapshot } from '../protocol/snapshot';
import type { IEquationRef, Selection } from '../tokens';

/** A text that is linked line by line. */
export type TextLevel = 'stablehlo' | 'hlo';

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

/** What is known of some lines of a text beside their stacks. */
export interface ILineFacts {
  /** Lines of the whole text whose stack is not stated: it follows from other lines. */
  inferred_lines?: readonly number[];
  /** Lines that may come from several places: the line, then the stacks beside its own. */
  other_stacks?: readonly (readonly number[])[];
  /** Lines that are one of several equations: the line, its scope and index. */
  named_equations?: readonly (readonly number[])[];
}

/** Where the lines of one text come from. */
class LinkedText {
  /** Of each line: where it comes from; null for nowhere, undefined where it has not arrived. */
  readonly origins: (IOrigin | null | undefined)[] = [];
  readonly inferred = new Set<number>();
  /** Of lines that are one of the equations of their place: which. */
  readonly named = new Map<number, IEquationRef>();

  /** Where a line comes from: several places where JAX does not tell them apart. */
  all(line: number): readonly IOrigin[] {
    const origin = this.origins[line];
    return origin ? [origin, ...(this._others.get(line) ?? [])] : [];
  }

  addOthers(line: number, origins: readonly IOrigin[]): void {
    if (!this._others.has(line)) {
      this._others.set(line, origins);
      for (const origin of origins) {
        this._put(origin, line);
      }
    }
  }

  add(firstLine: number, origins: readonly (IOrigin | null)[]): void {
    origins.forEach((origin, i) => {
      const line = firstLine + i;
      if (this.origins[line] !== undefined) {
        return;
      }
      this.origins[line] = origin;
      if (origin) {
        this._put(origin, line);
      }
    });
  }

  private _put(origin: IOrigin, line: number): void {
    put(this._byExact, origin.exact, line);
    put(this._byChain, origin.chain, line);
    put(this._bySpan, origin.span, line);
  }

  /** The lines of an origin: those of its very stack, else of its user frames, else of its span. */
  find(origin: IOrigin): readonly number[] {
    return (
      this._byExact.get(origin.exact) ??
      this._byChain.get(origin.chain) ??
      this._bySpan.get(origin.span) ??
      []
    );
  }

  ofChain(chain: number): readonly number[] {
    return this._byChain.get(chain) ?? [];
  }

  private _others = new Map<number, readonly IOrigin[]>();
  private _byExact = new Map<number, number[]>();
  private _byChain = new Map<number, number[]>();
  private _bySpan = new Map<number, number[]>();
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
    this._origins = new Array<readonly IOrigin[]>(equations.idCount);
    this._indexScopes();
    const { snapshot, program } = equations;
    for (const level of program.levels) {
      if (withTexts && level.line_stacks) {
        this.addText(level.name, 0, level.line_stacks, snapshot, level);
      }
    }
  }

  /** Where an equation comes from, or the one that calls its scope; null where neither is known. */
  origin(scope: number, equation: number): IOrigin | null {
    return this._origins[this.equations.id(scope, equation)]?.[0] ?? null;
  }

  /** Where a line of a text comes from; null where that is not known. */
  lineOrigin(level: TextLevel, line: number): IOrigin | null {
    return this._texts[level].origins[line] ?? null;
  }

  /** Whether where a line comes from was inferred, not stated. */
  isInferred(level: TextLevel, line: number): boolean {
    return this._texts[level].inferred.has(line);
  }

  /** Whether a line is told from the other equations of its place by its path and its type. */
  isNamed(level: TextLevel, line: number): boolean {
    const named = this._texts[level].named.get(line);
    return (
      named !== undefined &&
      this.equations.has(named.scope) &&
      named.equation < this.equations.count(named.scope)
    );
  }

  /** Ids of the equations that a line of a text belongs to. */
  equationsOfLine(level: TextLevel, line: number): readonly number[] {
    const named = this._texts[level].named.get(line);
    if (named && this.isNamed(level, line)) {
      return [this.equations.id(named.scope, named.equation)];
    }
    return this._texts[level]
      .all(line)
      .flatMap(origin => this._equationsOfOrigin(origin));
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
      const [origin, other] = this._texts[level].all(line);
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
    return this._files.has(path);
  }

  /** The files of libraries that the program's equations were made in, those called first before those they call. */
  get libraries(): ReadonlyMap<string, File> {
    return this._libraries;
  }

  /** The lines of a file that anything of the program comes from, ascending. */
  linesOf(path: string): number[] {
    const lines = new Set<number>();
    for (const id of this._spansSeen) {
      const { file, line } = this.spans.span(id);
      if (file.path === path) {
        lines.add(line);
      }
    }
    return [...lines].sort((a, b) => a - b);
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
    const text = this._texts[level];
    const origins = lineStacks.map(stack => this.spans.origin(pools, stack));
    text.add(firstLine, origins);
    for (const line of facts.inferred_lines ?? []) {
      text.inferred.add(line);
    }
    for (const [line, scope, equation] of facts.named_equations ?? []) {
      text.named.set(line, { scope, equation });
    }
    for (const [line, ...stacks] of facts.other_stacks ?? []) {
      const others = stacks
        .map(stack => this.spans.origin(pools, stack))
        .filter(origin => origin !== null);
      text.addOthers(line, others);
      origins.push(...others);
    }
    for (const origin of origins) {
      if (origin) {
        this._addChain(origin);
      }
    }
    this._resolved = null;
  }

  /** Take a page of equations in, after it was added to the program: outer before inner. */
  addParts(parts: readonly IAddedPart[]): void {
    const known = parts.filter(({ scope }) => this._indexed[scope]);
    known.slice(0, 1).forEach(({ scope, part }) => this._index(scope, part));
    this._indexScopes();
    // These are called by the others, too.
    known.slice(1).forEach(({ scope, part }) => this._index(scope, part));
    this._resolved = null;
  }

  /** Index the scopes that are not indexed yet, each after those that call it. */
  private _indexScopes(): void {
    for (const scope of callersFirst(this.equations)) {
      if (this._indexed[scope] === undefined) {
        this._indexed[scope] = true;
        for (const part of this.equations.parts(scope)) {
          this._index(scope, part);
        }
      }
    }
  }

  private _index(scope: number, part: ScopePart): void {
    const { equations } = this;
    const given = this._inherited[scope] ?? [];
    for (let equation = part.first; equation < part.end; equation++) {
      const own = this.spans.origin(part.pools, part.stack(equation));
      const origins = own ? own.alone : given;
      const id = equations.id(scope, equation);
      this._origins[id] = origins;
      for (const origin of origins) {
        put(this._byChain, origin.chain, id);
        put(this._byExact, origin.exact, id);
        this._addChain(origin);
      }
      if (part.hasChildren(equation)) {
        for (const [, , , inner] of part.children(equation)) {
          const list = (this._inherited[inner] ??= []);
          for (const origin of origins) {
            if (!list.some(({ exact }) => exact === origin.exact)) {
              list.push(origin);
            }
          }
        }
      }
    }
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
      addAll(ids, this._equationsOf(origin));
    }
    return this._make(ids, origins);
  }

  private _ofEquations(chosen: readonly IEquationRef[]): ILinked {
    const { ids, origins } = this._chosen(chosen);
    const linked = this._make(ids, origins);
    const exchanges = [...ids].flatMap(id => this._exchanges.get(id) ?? []);
    if (exchanges.length === 0) {
      return linked;
    }
    const hlo = new Set([...linked.lines.hlo, ...exchanges]);
    return { ...linked, lines: { ...linked.lines, hlo } };
  }

  /**
   * Link the lines of collectives to the equations that caused them, which are more than a line's own place says where
   * XLA joined several, and fewer where forward and backward share one.
   */
  addCollectives(collectives: readonly Collective[]): void {
    for (const { line, causes } of collectives) {
      const refs = causes
        .flatMap(({ equations }) => equations)
        .filter(([scope]) => this.equations.has(scope))
        .map(([scope, equation]) => ({ scope, equation }));
      if (refs.length > 0 && !this._causes.has(line)) {
        this._causes.set(line, refs);
        for (const { scope, equation } of refs) {
          put(this._exchanges, this.equations.id(scope, equation), line);
        }
      }
    }
    this._resolved = null;
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
        const [origin] = this._origins[id] ?? [];
        if (origin) {
          origins.push(origin);
        }
        continue;
      }
      const origin = this._elsewhere(scope)?.origin(scope, equation);
      if (origin) {
        origins.push(origin);
        addAll(ids, this._equationsOf(origin));
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

  /** The equations of an origin: those of its very stack, else of its user frames, else of its span. */
  private _equationsOf(origin: IOrigin): readonly number[] {
    return (
      this._byExact.get(origin.exact) ??
      this._byChain.get(origin.chain) ??
      this._equationsOfSpan(origin.span)
    );
  }

  private _ofLine(level: TextLevel, line: number): ILinked {
    const causes = level === 'hlo' ? this._causes.get(line) : undefined;
    if (causes !== undefined) {
      const { ids, origins } = this._chosen(causes);
      const linked = this._make(ids, origins);
      return { ...linked, lines: { ...linked.lines, hlo: new Set([line]) } };
    }
    const origins = this._texts[level].all(line);
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
   * The equations of an origin of a text. One without a library's frames is of all equations of its user frames: JAX
   * leaves its own frames out of what it lowers.
   */
  private _equationsOfOrigin(origin: IOrigin): readonly number[] {
    return (
      (origin.calls.length > 0 ? this._byExact.get(origin.exact) : undefined) ??
      this._byChain.get(origin.chain) ??
      this._equationsOfSpan(origin.span)
    );
  }

  private _equationsOfSpan(span: number): number[] {
    const ids: number[] = [];
    for (const chain of this._chainsOfSpan.get(span) ?? []) {
      ids.push(...(this._byChain.get(chain) ?? []));
    }
    return ids;
  }

  /** The narrowest span around the caret, be it written there or called from there; else every span of the line. */
  private _ofPlace(
    paths: readonly string[],
    line: number,
    column: number
  ): ILinked {
    const here: number[] = [];
    for (const path of paths) {
      here.push(...(this._spansOfLine.get(lineKey(path, line)) ?? []));
    }
    const around = here.filter(id => holds(this.spans.span(id), line, column));
    if (around.length > 0) {
      const narrowest = this._narrowest(around);
      const chains = [this._chainsOfSpan, this._chainsThrough];
      return this._ofSpans(narrowest, chains, 'span');
    }
    const starting = here.filter(id => this._chainsOfSpan.has(id));
    if (starting.length > 0) {
      return this._ofSpans(starting, [this._chainsOfSpan], 'line');
    }
    return here.length > 0
      ? this._ofSpans(here, [this._chainsThrough], 'line')
      : this._ofLibraryLine(paths, line);
  }

  /** What was made in a line of a library, and where the user's code called for it. */
  private _ofLibraryLine(paths: readonly string[], line: number): ILinked {
    const ids = new Set<number>();
    const origins: IOrigin[] = [];
    for (const path of paths) {
      for (const origin of this._throughLibrary.get(lineKey(path, line)) ??
        []) {
        origins.push(origin);
        addAll(ids, this._byExact.get(origin.exact) ?? []);
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
        addAll(equations, this._byChain.get(chain) ?? []);
        addAll(lines.stablehlo, this._texts.stablehlo.ofChain(chain));
        addAll(lines.hlo, this._texts.hlo.ofChain(chain));
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
      for (const origin of this._origins[id] ?? []) {
        addAll(calls, origin.calls);
      }
    }
    return [...calls].map(id => ({ ...this.spans.span(id), role: 'call' }));
  }

  private _narrowest(ids: readonly number[]): number[] {
    const size = (id: number): number => {
      const { line, column, endLine, endColumn } = this.spans.span(id);
      return (endLine - line) * 1e6 + endColumn - column;
    };
    const least = Math.min(...ids.map(size));
    return ids.filter(id => size(id) === least);
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
      addAll(lines.stablehlo, this._texts.stablehlo.find(origin));
      addAll(lines.hlo, this._texts.hlo.find(origin));
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

  private _addLibrary(origin: IOrigin): void {
    if (origin.calls.length === 0 || this._exacts.has(origin.exact)) {
      return;
    }
    this._exacts.add(origin.exact);
    for (const id of origin.calls) {
      const { file, line } = this.spans.span(id);
      if (!this._libraries.has(file.path)) {
        this._libraries.set(file.path, file);
      }
      const key = lineKey(file.path, line);
      const known = this._throughLibrary.get(key);
      if (known) {
        known.push(origin);
      } else {
        this._throughLibrary.set(key, [origin]);
      }
    }
  }

  private _addChain(origin: IOrigin): void {
    this._addLibrary(origin);
    if (this._chains.has(origin.chain)) {
      return;
    }
    this._chains.add(origin.chain);
    origin.frames.forEach((frame, i) => {
      const chains = i === 0 ? this._chainsOfSpan : this._chainsThrough;
      const known = chains.get(frame);
      if (known?.includes(origin.chain)) {
        return; // a recursive function
      }
      put(chains, frame, origin.chain);
      if (this._spansSeen.has(frame)) {
        return;
      }
      this._spansSeen.add(frame);
      const span = this.spans.span(frame);
      this._files.add(span.file.path);
      const end = Math.min(span.endLine, span.line + LONGEST_SPAN);
      for (let line = span.line; line <= end; line++) {
        put(this._spansOfLine, lineKey(span.file.path, line), frame);
      }
    });
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
  private _files = new Set<string>();
  private _adopted = new Map<string, string>();
  private _origins: (readonly IOrigin[])[];
  /** Of each scope: where it is called, for equations without a place of their own. */
  private _inherited: (IOrigin[] | undefined)[] = [];
  private _indexed: (true | undefined)[] = [];
  private _byChain = new Map<number, number[]>();
  private _byExact = new Map<number, number[]>();
  private _chains = new Set<number>();
  private _chainsOfSpan = new Map<number, number[]>();
  private _chainsThrough = new Map<number, number[]>();
  private _spansSeen = new Set<number>();
  private _exacts = new Set<number>();
  private _libraries = new Map<string, File>();
  private _throughLibrary = new Map<string, IOrigin[]>();
  private _spansOfLine = new Map<string, number[]>();
  private _texts: Record<TextLevel, LinkedText> = {
    stablehlo: new LinkedText(),
    hlo: new LinkedText()
  };
  /** Of a line of HLO that is a collective: what caused it, and the other way round. */
  private _causes = new Map<number, readonly IEquationRef[]>();
  private _exchanges = new Map<number, number[]>();
  private _resolved: { selection: Selection; linked: ILinked } | null = null;
}

/** A span of more lines than this is found by its first lines. */
const LONGEST_SPAN = 200;

function put<K>(map: Map<K, number[]>, key: K, value: number): void {
  const list = map.get(key);
  if (list) {
    list.push(value);
  } else {
    map.set(key, [value]);
  }
}

function addAll(set: Set<number>, values: readonly number[]): void {
  for (const value of values) {
    set.add(value);
  }
}

function lineKey(path: string, line: number): string {
  return `${line}:${path}`;
}

function spanKey(span: ISourceSpan): string {
  return `${span.line}:${span.column}:${span.endLine}:${span.endColumn}:${span.file.path}`;
}

function holds(span: ISourceSpan, line: number, column: number): boolean {
  return (
    span.column >= 0 &&
    (line > span.line || (line === span.line && column >= span.column)) &&
    (line < span.endLine || (line === span.endLine && column <= span.endColumn))
  );
}

/** The scopes of a program, each after every scope that calls it. */
function callersFirst(equations: ProgramEquations): number[] {
  const order: number[] = [];
  const state = new Map<number, 'entered' | 'done'>();
  const stack = [equations.root];
  while (stack.length > 0) {
    const scope = stack[stack.length - 1];
    const seen = state.get(scope);
    if (seen) {
      stack.pop();
      if (seen === 'entered') {
        state.set(scope, 'done');
        order.push(scope);
      }
      continue;
    }
    state.set(scope, 'entered');
    for (const part of equations.parts(scope)) {
      for (const [, , , inner] of part.scope.children) {
        if (!state.has(inner)) {
          stack.push(inner);
        }
      }
    }
  }
  return order.reverse();
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
