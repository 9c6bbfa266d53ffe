/**
 * Finds the spans in source files for the stacks of a snapshot and its pages; equal spans have equal numbers, also
 * across pools.
 */
import type { File, Snapshot } from '../protocol/snapshot';

import { Pools } from './equations';

/** The part of a page's pools that has the source places. */
export type SourcePools = Pick<
  Pools,
  'strings' | 'files' | 'frames' | 'stacks'
>;

/** A place in a source file. */
export interface ISourceSpan {
  file: File;
  /** The Python function around the span. */
  function: string;
  /** The first line, from 1. */
  line: number;
  /** The first column, from 0 in UTF-16 code units; -1 when unknown. */
  column: number;
  endLine: number;
  /** The column after the last character; -1 when unknown. */
  endColumn: number;
}

/** The place that a stack leads to; each number below stands for a place, and equal places have equal numbers. */
export interface IOrigin {
  /** The number of the span of the innermost user frame. */
  span: number;
  /** The number of the chain of all user frames. */
  chain: number;
  /** The number of the whole stack: all user frames and all library frames. */
  exact: number;
  /** The spans of all user frames, innermost first. */
  frames: readonly number[];
  /**
   * The spans of the library frames that the innermost user frame called, outermost first; empty if the user's own code
   * made the equation.
   */
  calls: readonly number[];
  /** A list that contains only this origin. Most equations have one origin and share this list. */
  alone: readonly IOrigin[];
}

/**
 * The spans in the user's and the libraries' source files to which the stacks lead; equal spans are stored once, under
 * one number.
 */
export class SourceSpans {
  constructor(private _snapshot: Snapshot) {}

  /** The origin of a stack; null for no stack, and for a stack without a user frame. */
  origin(pools: SourcePools, stack: number): IOrigin | null {
    if (stack < 0) {
      return null;
    }
    let origins = this._origins.get(pools);
    if (!origins) {
      origins = new Array<IOrigin | null | undefined>(pools.stacks.length);
      this._origins.set(pools, origins);
    }
    const cached = origins[stack];
    if (cached !== undefined) {
      return cached;
    }
    const made = this._makeOrigin(pools, stack);
    origins[stack] = made;
    return made;
  }

  /** The library frames of a stack, outermost first. */
  libraryFrames(pools: SourcePools, stack: number): ISourceSpan[] {
    return stack < 0
      ? []
      : pools.stacks[stack][1].map(
          frame => this._spans[this.frame(pools, frame)]
        );
  }

  span(id: number): ISourceSpan {
    return this._spans[id];
  }

  get count(): number {
    return this._spans.length;
  }

  /** The number of the span that a frame points at. */
  frame(pools: SourcePools, frame: number): number {
    let spanNumbers = this._frames.get(pools);
    if (!spanNumbers) {
      spanNumbers = new Int32Array(pools.frames.length).fill(-1);
      this._frames.set(pools, spanNumbers);
    }
    if (spanNumbers[frame] < 0) {
      const [file, name, line, column, endLine, endColumn] =
        pools.frames[frame];
      const { path } = pools.files[file];
      const key = `${path}\n${line}:${column}:${endLine}:${endColumn}`;
      spanNumbers[frame] = this._intern(key, this._spanIds);
      this._spans[spanNumbers[frame]] ??= {
        file: pools.files[file],
        function: pools.strings[name],
        line,
        column,
        endLine,
        endColumn
      };
    }
    return spanNumbers[frame];
  }

  /** The text of a file as it ran; null where the document does not have it. */
  source(file: File): string | null {
    const { cell } = this._snapshot;
    if (cell && file.path === cell.file) {
      return cell.source;
    }
    return file.source;
  }

  /** The source text of a span, on one line; null where the document does not have it. */
  text(span: ISourceSpan): string | null {
    if (span.column < 0 || span.endColumn < 0) {
      return null;
    }
    let lines = this._lines.get(span.file.path);
    if (lines === undefined) {
      lines = this.source(span.file)?.split('\n') ?? null;
      this._lines.set(span.file.path, lines);
    }
    const pieces = lines?.slice(span.line - 1, span.endLine) ?? [];
    if (span.line < 1 || pieces.length !== span.endLine - span.line + 1) {
      return null; // the span is beyond the last line of the file's text
    }
    const last = pieces.length - 1;
    pieces[last] = pieces[last].slice(0, span.endColumn);
    pieces[0] = pieces[0].slice(span.column);
    return pieces.map(piece => piece.trim()).join(' ');
  }

  private _makeOrigin(pools: SourcePools, stack: number): IOrigin | null {
    const [user, library] = pools.stacks[stack];
    if (user.length === 0) {
      return null;
    }
    const frames = user.map(frame => this.frame(pools, frame));
    const chain = frames.join(',');
    const calls = library.map(frame => this.frame(pools, frame));
    const origin = {
      span: frames[0],
      chain: this._intern(chain, this._chainIds),
      exact: this._intern(`${chain}|${calls.join(',')}`, this._exactIds),
      frames,
      calls,
      alone: [] as IOrigin[]
    };
    origin.alone.push(origin);
    return origin;
  }

  private _intern(key: string, ids: Map<string, number>): number {
    let id = ids.get(key);
    if (id === undefined) {
      id = ids.size;
      ids.set(key, id);
    }
    return id;
  }

  private _spans: ISourceSpan[] = [];
  private _spanIds = new Map<string, number>();
  private _chainIds = new Map<string, number>();
  private _exactIds = new Map<string, number>();
  private _frames = new Map<SourcePools, Int32Array>();
  private _origins = new Map<SourcePools, (IOrigin | null | undefined)[]>();
  private _lines = new Map<string, string[] | null>();
}

/** A string that is equal for the same line of the same file. */
export function lineKey(path: string, line: number): string {
  return `${line}:${path}`;
}

/** A string that is equal for equal spans. */
export function spanKey(span: ISourceSpan): string {
  return `${span.line}:${span.column}:${span.endLine}:${span.endColumn}:${span.file.path}`;
}

/** True if a place is in a span. */
export function holds(
  span: ISourceSpan,
  line: number,
  column: number
): boolean {
  return (
    span.column >= 0 &&
    (line > span.line || (line === span.line && column >= span.column)) &&
    (line < span.endLine || (line === span.endLine && column <= span.endColumn))
  );
}

/** The shortest of some spans; several if they are equally long. */
export function narrowest(
  ids: readonly number[],
  spans: SourceSpans
): number[] {
  const size = (id: number): number => {
    const { line, column, endLine, endColumn } = spans.span(id);
    return (endLine - line) * 1e6 + endColumn - column;
  };
  const least = Math.min(...ids.map(size));
  return ids.filter(id => size(id) === least);
}

/** If the called function has a longer name, the fold's line is not shorter than the expression. */
const LONGEST_NAME = 40;

/**
 * The function that an expression calls: `jax.nn.softmax` for `jax.nn.softmax(h @ w)`. An expression that is no call,
 * such as `a * f(x)`, is returned as it is. null if the result would be longer than `LONGEST_NAME`.
 */
export function calledAs(expression: string): string | null {
  const name = callee(expression) ?? expression;
  return name.length <= LONGEST_NAME ? name : null;
}

/** An expression that is no call, on one line and shortened. */
export function operatorAs(expression: string): string {
  const line = expression.replace(/\s+/g, ' ');
  return line.length <= LONGEST_NAME
    ? line
    : `${line.slice(0, LONGEST_NAME - 1).trimEnd()}…`;
}

/** The function that an expression calls; null for an expression such as `a * f(x)`, which is no call. */
export function callee(expression: string): string | null {
  if (!expression.endsWith(')')) {
    return null;
  }
  let depth = 0;
  let quote = '';
  let open = -1;
  for (let i = 0; i < expression.length; i++) {
    const sign = expression[i];
    if (quote) {
      if (sign === '\\') {
        i++;
      } else if (sign === quote) {
        quote = '';
      }
    } else if (sign === '"' || sign === "'") {
      quote = sign;
    } else if ('([{'.includes(sign)) {
      if (depth++ === 0) {
        open = i;
      }
    } else if (')]}'.includes(sign)) {
      depth--;
    } else if (depth === 0 && OPERATOR.test(sign)) {
      return null;
    }
  }
  return open > 0 ? expression.slice(0, open) : null;
}

/** Matches the text between operands: signs, and the spaces around words such as `and`. */
const OPERATOR = /[-+*/%@&|^~<>=!,:\s]/;
