/**
 * Indexes the equations and the text lines of a program by stack, by span and by source line; pages are added when they
 * arrive.
 */
import {
  IAddedPart,
  ProgramEquations,
  ScopePart
} from '../../program-text/equations';
import {
  IOrigin,
  SourcePools,
  SourceSpans,
  lineKey
} from '../../program-text/source-spans';
import type { Collective, File } from '../../protocol/snapshot';
import type { IEquationRef } from '../../tokens';
import {
  ILineFacts,
  TextLineOrigins,
  TextLevel,
  put
} from './text-line-origins';

/** A span with more lines than this is only indexed under its first lines. */
const LONGEST_SPAN = 200;

/** Maps places in the code of one program to equations and text lines, and back. */
export class PlaceIndex {
  constructor(
    readonly equations: ProgramEquations,
    readonly spans: SourceSpans,
    /** True to index the texts in the document, too. */
    withTexts: boolean
  ) {
    this.origins = new Array<readonly IOrigin[]>(equations.idCount);
    this._indexScopes();
    const { snapshot, program } = equations;
    for (const level of program.levels) {
      if (withTexts && level.line_stacks) {
        this.addText(level.name, 0, level.line_stacks, snapshot, level);
      }
    }
  }

  /**
   * id of an equation -> its origins; an equation without a place of its own has the origins of the equations that call
   * its scope
   */
  readonly origins: (readonly IOrigin[])[];
  readonly texts: Readonly<Record<TextLevel, TextLineOrigins>> = {
    stablehlo: new TextLineOrigins(),
    hlo: new TextLineOrigins()
  };
  /** chain of user frames -> ids of its equations */
  readonly byChain = new Map<number, number[]>();
  /** complete stack -> ids of its equations */
  readonly byExact = new Map<number, number[]>();
  /** span -> the chains that end in the span, and the chains that pass through it */
  readonly chainsOfSpan = new Map<number, number[]>();
  readonly chainsThrough = new Map<number, number[]>();
  /** line of a file -> its spans */
  readonly spansOfLine = new Map<string, number[]>();
  /** line of a library -> the origins of the equations that it made */
  readonly throughLibrary = new Map<string, IOrigin[]>();
  /** line of HLO that is a collective -> the equations that caused it; `exchanges`: equation -> its collectives */
  readonly causes = new Map<number, readonly IEquationRef[]>();
  readonly exchanges = new Map<number, number[]>();

  /** True if any equation or text line of the program comes from the file. */
  comesFrom(path: string): boolean {
    return this._files.has(path);
  }

  /** The library files from which equations come; a calling file comes before the files that it calls. */
  get libraries(): ReadonlyMap<string, File> {
    return this._libraries;
  }

  /** The lines of a file from which any equation or text line comes, ascending. */
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

  /** Adds the lines of a text to the index. */
  addText(
    level: TextLevel,
    firstLine: number,
    lineStacks: readonly number[],
    pools: SourcePools,
    facts: ILineFacts = {}
  ): void {
    const text = this.texts[level];
    const origins = lineStacks.map(stack => this.spans.origin(pools, stack));
    text.add(firstLine, origins);
    for (const line of facts.inferred_lines ?? []) {
      text.inferred.add(line);
    }
    for (const [line, scope, equation] of facts.named_equations ?? []) {
      text.named.set(line, { scope, equation });
    }
    for (const [line, ...stacks] of facts.other_stacks ?? []) {
      const otherOrigins = stacks
        .map(stack => this.spans.origin(pools, stack))
        .filter(origin => origin !== null);
      text.addOthers(line, otherOrigins);
      for (const origin of otherOrigins) {
        origins.push(origin);
      }
    }
    for (const origin of origins) {
      if (origin) {
        this._addChain(origin);
      }
    }
  }

  /** Adds a page of equations, which was added to the program before; outer pages must come before inner ones. */
  addParts(parts: readonly IAddedPart[]): void {
    const indexedParts = parts.filter(({ scope }) => this._indexed[scope]);
    indexedParts
      .slice(0, 1)
      .forEach(({ scope, part }) => this._index(scope, part));
    this._indexScopes();
    // The inner parts are indexed only now, because equations that were indexed before may also call these scopes.
    indexedParts
      .slice(1)
      .forEach(({ scope, part }) => this._index(scope, part));
  }

  /**
   * Links the lines of collectives to the equations that caused them.
   *
   * The origin of the line alone is not enough: XLA may have joined several collectives into one line, and a forward
   * and a backward collective may have the same origin.
   */
  addCollectives(collectives: readonly Collective[]): void {
    for (const { line, causes } of collectives) {
      const refs = causes
        .flatMap(({ equations }) => equations)
        .filter(([scope]) => this.equations.has(scope))
        .map(([scope, equation]) => ({ scope, equation }));
      if (refs.length > 0 && !this.causes.has(line)) {
        this.causes.set(line, refs);
        for (const { scope, equation } of refs) {
          put(this.exchanges, this.equations.id(scope, equation), line);
        }
      }
    }
  }

  /** Indexes the new scopes, each after the scopes that call it. */
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
    const inherited = this._inherited[scope] ?? [];
    for (let equation = part.first; equation < part.end; equation++) {
      const own = this.spans.origin(part.pools, part.stack(equation));
      const origins = own ? own.alone : inherited;
      const id = equations.id(scope, equation);
      this.origins[id] = origins;
      for (const origin of origins) {
        put(this.byChain, origin.chain, id);
        put(this.byExact, origin.exact, id);
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

  /**
   * The equations of an origin: those with the same complete stack; if none, those with the same user frames; if none,
   * those of the same span.
   */
  equationsOf(origin: IOrigin): readonly number[] {
    return (
      this.byExact.get(origin.exact) ??
      this.byChain.get(origin.chain) ??
      this._equationsOfSpan(origin.span)
    );
  }

  /**
   * The equations for the origin of a text line. If it has no library frames, all equations with its user frames count,
   * because JAX omits its own frames in lowered text.
   */
  equationsOfOrigin(origin: IOrigin): readonly number[] {
    return (
      (origin.calls.length > 0 ? this.byExact.get(origin.exact) : undefined) ??
      this.byChain.get(origin.chain) ??
      this._equationsOfSpan(origin.span)
    );
  }

  private _equationsOfSpan(span: number): number[] {
    const ids: number[] = [];
    for (const chain of this.chainsOfSpan.get(span) ?? []) {
      for (const id of this.byChain.get(chain) ?? []) {
        ids.push(id);
      }
    }
    return ids;
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
      const origins = this.throughLibrary.get(key);
      if (origins) {
        origins.push(origin);
      } else {
        this.throughLibrary.set(key, [origin]);
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
      const chains = i === 0 ? this.chainsOfSpan : this.chainsThrough;
      const chainsOfFrame = chains.get(frame);
      if (chainsOfFrame?.includes(origin.chain)) {
        return; // already listed: in a recursive function, one chain has the same frame several times
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
        put(this.spansOfLine, lineKey(span.file.path, line), frame);
      }
    });
  }

  private _files = new Set<string>();
  /** For each scope the origins of its calls, used for equations without a place of their own. */
  private _inherited: (IOrigin[] | undefined)[] = [];
  private _indexed: (true | undefined)[] = [];
  private _chains = new Set<number>();
  private _spansSeen = new Set<number>();
  private _exacts = new Set<number>();
  private _libraries = new Map<string, File>();
}

/** The scopes of a program, each after all scopes that call it. */
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
