/** The types that describe what is linked to a selection. */
import type { ISourceSpan } from '../../program-text/source-spans';
import type { TextLevel } from './text-line-origins';

/** A span of a cell that is linked to the selection. */
export interface ILinkedSpan extends ISourceSpan {
  /** own: the equations come from code in the span. call: they come from code that the span calls. */
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
  /** span: linked to expressions. line: linked only to whole lines. none: not linked. */
  readonly precision: 'span' | 'line' | 'none';
}

export const NOTHING: ILinked = {
  equations: new Set(),
  spans: [],
  fileSpans: [],
  librarySpans: [],
  lines: { stablehlo: new Set(), hlo: new Set() },
  precision: 'none'
};

/** Add some values to a set. */
export function addAll(set: Set<number>, values: readonly number[]): void {
  for (const value of values) {
    set.add(value);
  }
}
