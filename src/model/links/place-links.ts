/** Finds everything that is linked to a place in the code: an expression or a line. */
import type { ProgramEquations } from '../../program-text/equations';
import {
  IOrigin,
  ISourceSpan,
  SourceSpans,
  holds,
  lineKey,
  narrowest
} from '../../program-text/source-spans';
import type { PlaceIndex } from './place-index';
import { ILinked, ILinkedSpan, NOTHING, addAll } from './linked-to-selection';
import type { EquationLinks } from './equation-links';

/** An expression in the code, and the equations that come from it. */
export interface IExpression {
  span: ISourceSpan;
  /**
   * The ids of the equations that come from the expression's own code; if there are none, of the equations that come
   * from the code that the expression calls.
   */
  equations: ReadonlySet<number>;
  /** True if the expression is a call and its equations were written in the called function. */
  isCall: boolean;
  /** The number of different chains of calls by which the traced function reached the expression. */
  ways: number;
}

/** The links of the places in the source of one program. */
export class PlaceLinks {
  constructor(
    readonly equations: ProgramEquations,
    readonly spans: SourceSpans,
    private _index: PlaceIndex,
    private _origins: EquationLinks
  ) {}

  /** The smallest expression around a position from which equations come; null if there is none. */
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

  /** What is linked to the smallest span around the caret; if there is none, what is linked to any span of the line. */
  ofPlace(paths: readonly string[], line: number, column: number): ILinked {
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

  /** If a Python loop or function begins on this line: the spans in its body; else none. */
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

  /** The lines of a cell that ran, or of a file in the document. */
  private _linesOf(path: string): readonly string[] {
    const { cell, files } = this.equations.snapshot;
    const text =
      cell?.file === path
        ? cell.source
        : files.find(file => file.path === path)?.source;
    return text?.split('\n') ?? [];
  }

  /** The equations that a library line made, and the user's lines that called the library. */
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
      : { ...this._origins.make(ids, origins), precision: 'line' };
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
}
