/** Indexes equations and lines of texts by stacks, by spans and by lines of files, page by page. */
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
import { ILineFacts, LinkedText, TextLevel, put } from './linked-text';

/** A span of more lines than this is found by its first lines. */
const LONGEST_SPAN = 200;

/** What of one program comes from where. */
export class LinkIndex {
  constructor(
    readonly equations: ProgramEquations,
    readonly spans: SourceSpans,
    /** Whether the texts that the document holds are indexed too. */
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

  /** Of each equation, by its id: where it comes from, or those that call its scope. */
  readonly origins: (readonly IOrigin[])[];
  readonly texts: Readonly<Record<TextLevel, LinkedText>> = {
    stablehlo: new LinkedText(),
    hlo: new LinkedText()
  };
  /** Ids of the equations of a chain of user frames. */
  readonly byChain = new Map<number, number[]>();
  /** Ids of the equations of a whole stack. */
  readonly byExact = new Map<number, number[]>();
  /** The chains whose innermost frame is a span, and those that go through it. */
  readonly chainsOfSpan = new Map<number, number[]>();
  readonly chainsThrough = new Map<number, number[]>();
  /** The spans on a line of a file. */
  readonly spansOfLine = new Map<string, number[]>();
  /** What was made in a line of a library. */
  readonly throughLibrary = new Map<string, IOrigin[]>();
  /** Of a line of HLO that is a collective: what caused it, and the other way round. */
  readonly causes = new Map<number, readonly IEquationRef[]>();
  readonly exchanges = new Map<number, number[]>();

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

  /** Take lines of a text in. */
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
      const others = stacks
        .map(stack => this.spans.origin(pools, stack))
        .filter(origin => origin !== null);
      text.addOthers(line, others);
      for (const origin of others) {
        origins.push(origin);
      }
    }
    for (const origin of origins) {
      if (origin) {
        this._addChain(origin);
      }
    }
  }

  /** Take a page of equations in, after it was added to the program: outer before inner. */
  addParts(parts: readonly IAddedPart[]): void {
    const known = parts.filter(({ scope }) => this._indexed[scope]);
    known.slice(0, 1).forEach(({ scope, part }) => this._index(scope, part));
    this._indexScopes();
    // These are called by the others, too.
    known.slice(1).forEach(({ scope, part }) => this._index(scope, part));
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
      if (refs.length > 0 && !this.causes.has(line)) {
        this.causes.set(line, refs);
        for (const { scope, equation } of refs) {
          put(this.exchanges, this.equations.id(scope, equation), line);
        }
      }
    }
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

  /** The equations of an origin: those of its very stack, else of its user frames, else of its span. */
  equationsOf(origin: IOrigin): readonly number[] {
    return (
      this.byExact.get(origin.exact) ??
      this.byChain.get(origin.chain) ??
      this._equationsOfSpan(origin.span)
    );
  }

  /**
   * The equations of an origin of a text. One without a library's frames is of all equations of its user frames: JAX
   * leaves its own frames out of what it lowers.
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
      const known = this.throughLibrary.get(key);
      if (known) {
        known.push(origin);
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
        put(this.spansOfLine, lineKey(span.file.path, line), frame);
      }
    });
  }

  private _files = new Set<string>();
  /** Of each scope: where it is called, for equations without a place of their own. */
  private _inherited: (IOrigin[] | undefined)[] = [];
  private _indexed: (true | undefined)[] = [];
  private _chains = new Set<number>();
  private _spansSeen = new Set<number>();
  private _exacts = new Set<number>();
  private _libraries = new Map<string, File>();
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
