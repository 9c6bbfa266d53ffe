/**
 * Parses a search text into a pattern for each level, or into a sentence that says why the search text is not valid.
 *
 * `f32[*,128]` finds types, `line:7` equations of a line of the cell, `scope:step` equations inside a named scope,
 * `primitive:dot_general` operations; all other words are plain text. A line has to match all words. A search of plain
 * text alone also matches the source, the scopes and the Python names beside a line.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { LevelName } from '../../tokens';

/** What is searched: the search text and the options of the search. */
export interface ISought {
  text: string;
  caseSensitive: boolean;
  regexp: boolean;
}

/** A type with wildcards. */
export interface ITypePattern {
  kind: 'type';
  /** The dtype as a jaxpr prints it, such as f32 or bool; * for any dtype. */
  dtype: string;
  /** For each dimension: its text, * for any size, ... for any number of dimensions. */
  dimensions: readonly string[];
}

/** One condition of a search. */
export type Term =
  | { kind: 'text'; text: string }
  | { kind: 'regexp'; source: string }
  | { kind: 'primitive'; name: string }
  | { kind: 'line'; first: number; last: number }
  | { kind: 'scope'; name: string }
  | ITypePattern;

/** A parsed search text; `invalid` is a sentence. */
export type Query =
  { kind: 'nothing' } | { kind: 'invalid'; reason: string } | ITerms;

export interface ITerms {
  kind: 'terms';
  terms: readonly Term[];
  caseSensitive: boolean;
}

const DTYPE = String.raw`\*|bool|pred|key<[\w*]+>|b?f\d+\w*|[a-z]+\d+\w*`;
const TYPE = new RegExp(String.raw`^(${DTYPE})\[([^\]]*)\]$`);
const DIMENSION = /^(?:\*|\.\.\.|\d+|[A-Za-z_]\w*)$/;

/** Parses a search text. */
export function readQuery(sought: ISought, trans: TranslationBundle): Query {
  const { text, caseSensitive, regexp } = sought;
  if (text.trim() === '') {
    return { kind: 'nothing' };
  }
  if (regexp) {
    try {
      new RegExp(text);
    } catch (error) {
      return {
        kind: 'invalid',
        reason: trans.__(
          'The search text is not a valid regular expression: %1. Correct the expression, or switch .* off to search for text.',
          (error as Error).message.replace(/^.*\/: /, '')
        )
      };
    }
    return {
      kind: 'terms',
      terms: [{ kind: 'regexp', source: text }],
      caseSensitive
    };
  }
  const terms: Term[] = [];
  const plain: string[] = [];
  for (const word of text.trim().split(/\s+/)) {
    const term = readWord(word, trans);
    if (term === null) {
      plain.push(word);
    } else if ('reason' in term) {
      return { kind: 'invalid', reason: term.reason };
    } else {
      terms.push(term);
    }
  }
  if (terms.length === 0) {
    // Plain text is searched as the user typed it, including spaces.
    return { kind: 'terms', terms: [{ kind: 'text', text }], caseSensitive };
  }
  if (plain.length > 0) {
    terms.push({ kind: 'text', text: plain.join(' ') });
  }
  return { kind: 'terms', terms, caseSensitive };
}

/** Parses a word with a special meaning, such as a type; null for any other word. */
function readWord(
  word: string,
  trans: TranslationBundle
): Term | { reason: string } | null {
  const type = TYPE.exec(word);
  if (type) {
    return readType(word, type[1], type[2], trans);
  }
  const [, name, value] = /^(line|scope|primitive):(.*)$/.exec(word) ?? [];
  switch (name) {
    case 'line':
      return readLines(value, trans);
    case 'scope':
      return value === ''
        ? {
            reason: trans.__(
              'Type the name of a scope after the colon, such as scope:step or scope:layer*.'
            )
          }
        : { kind: 'scope', name: value };
    case 'primitive':
      return value === ''
        ? {
            reason: trans.__(
              'Type the name of a primitive after the colon, such as primitive:dot_general.'
            )
          }
        : { kind: 'primitive', name: value };
    default:
      return null;
  }
}

function readLines(
  value: string,
  trans: TranslationBundle
): Term | { reason: string } {
  const [, first, last] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(value) ?? [];
  if (first === undefined || Number(last ?? first) < Number(first)) {
    return {
      reason: trans.__(
        'Type a line of the cell after the colon, such as line:7 or line:3-7.'
      )
    };
  }
  return { kind: 'line', first: Number(first), last: Number(last ?? first) };
}

function readType(
  word: string,
  dtype: string,
  inside: string,
  trans: TranslationBundle
): Term | { reason: string } {
  const dimensions =
    inside.trim() === ''
      ? []
      : inside.split(',').map(dimension => dimension.trim());
  if (!dimensions.every(dimension => DIMENSION.test(dimension))) {
    return {
      reason: trans.__(
        '%1 is not a type. Write each dimension as a number, as * for any size, or as ... for any number of dimensions, such as f32[*,128].',
        word
      )
    };
  }
  return { kind: 'type', dtype: jaxprDtype(dtype), dimensions };
}

/** Translates dtypes that HLO writes in its own way. */
function jaxprDtype(dtype: string): string {
  return dtype === 'pred' ? 'bool' : dtype.replace(/^s(\d+)$/, 'i$1');
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

const ANY_DTYPE: Record<LevelName, string> = {
  jaxpr: String.raw`(?:bool|key<\w+>|[a-z]+\d+\w*)`,
  stablehlo: String.raw`[^x<>\s,](?:[^<>,]|<[^<>]*>)*?`,
  hlo: String.raw`(?:pred|[a-z]+\d+\w*)`
};

function dtypeSource(dtype: string, level: LevelName): string {
  if (dtype === '*') {
    return ANY_DTYPE[level];
  }
  if (level === 'jaxpr') {
    return escape(dtype);
  }
  const complex = /^c(64|128)$/.exec(dtype);
  if (level === 'hlo') {
    return dtype === 'bool'
      ? 'pred'
      : escape(dtype.replace(/^i(\d+)$/, 's$1').replace('_', ''));
  }
  if (complex) {
    return complex[1] === '64' ? 'complex<f32>' : 'complex<f64>';
  }
  return dtype === 'bool'
    ? 'i1'
    : escape(dtype.replace(/^u(\d+)$/, 'ui$1').replace('_', ''));
}

/** The source of a regular expression that matches a type in the way a level prints it. */
export function typeSource(
  { dtype, dimensions }: ITypePattern,
  level: LevelName
): string {
  const kind = dtypeSource(dtype, level);
  if (level === 'stablehlo') {
    const inside = dimensions
      .map(dimension =>
        dimension === '...'
          ? '(?:[\\d?]+x)*'
          : dimension === '*'
            ? '[\\d?]+x'
            : `${escape(dimension)}x`
      )
      .join('');
    return `tensor<${inside}${kind}(?:, [^>]*)?>`;
  }
  // A dimension may name the axis of the mesh that splits it: 8@x. A dimension holds no bracket: otherwise, a search would
  // read a damaged line such as f32[f32[f32[ to its end from each of its types.
  const any = '[^,[\\]]+';
  let inside = '';
  let follows = false;
  dimensions.forEach((dimension, i) => {
    if (dimension === '...') {
      inside += follows
        ? `(?:,${any})*`
        : i === dimensions.length - 1
          ? `(?:${any}(?:,${any})*)?`
          : `(?:${any},)*`;
      return;
    }
    inside += follows ? ',' : '';
    inside += dimension === '*' ? any : `${escape(dimension)}(?:@[^,[\\]]+)?`;
    follows = true;
  });
  return `(?<![\\w<])${kind}\\[${inside}\\]`;
}

/**
 * For each primitive with another name in StableHLO or in HLO: the name in StableHLO, and the name in HLO if XLA's
 * passes keep the operation.
 */
const OTHER_NAMES: Readonly<Record<string, readonly [string, string]>> = {
  add_any: ['add', 'add'],
  argmax: ['reduce', 'reduce'],
  argmin: ['reduce', 'reduce'],
  broadcast_in_dim: ['broadcast_in_dim', 'broadcast'],
  clz: ['count_leading_zeros', 'count-leading-zeros'],
  cond: ['case', 'conditional'],
  conv_general_dilated: ['convolution', 'convolution'],
  convert_element_type: ['convert', 'convert'],
  cos: ['cosine', 'cosine'],
  cummax: ['reduce_window', 'reduce-window'],
  cummin: ['reduce_window', 'reduce-window'],
  cumprod: ['reduce_window', 'reduce-window'],
  cumsum: ['reduce_window', 'reduce-window'],
  div: ['divide', 'divide'],
  dot_general: ['dot_general', 'dot'],
  eq: ['compare', 'compare'],
  exp: ['exponential', 'exponential'],
  expm1: ['exponential_minus_one', 'exponential-minus-one'],
  ge: ['compare', 'compare'],
  gt: ['compare', 'compare'],
  integer_pow: ['multiply', 'multiply'],
  le: ['compare', 'compare'],
  log1p: ['log_plus_one', 'log-plus-one'],
  lt: ['compare', 'compare'],
  max: ['maximum', 'maximum'],
  min: ['minimum', 'minimum'],
  mul: ['multiply', 'multiply'],
  ne: ['compare', 'compare'],
  neg: ['negate', 'negate'],
  pmax: ['all_reduce', 'all-reduce'],
  pmin: ['all_reduce', 'all-reduce'],
  population_count: ['popcnt', 'popcnt'],
  pow: ['power', 'power'],
  ppermute: ['collective_permute', 'collective-permute'],
  psum: ['all_reduce', 'all-reduce'],
  psum_invariant: ['all_reduce', 'all-reduce'],
  reduce_and: ['reduce', 'reduce'],
  reduce_max: ['reduce', 'reduce'],
  reduce_min: ['reduce', 'reduce'],
  reduce_or: ['reduce', 'reduce'],
  reduce_prod: ['reduce', 'reduce'],
  reduce_sum: ['reduce', 'reduce'],
  reduce_xor: ['reduce', 'reduce'],
  rem: ['remainder', 'remainder'],
  rev: ['reverse', 'reverse'],
  round: ['round_nearest_*', 'round-nearest-*'],
  scan: ['while', 'while'],
  'scatter-add': ['scatter', 'scatter'],
  'scatter-max': ['scatter', 'scatter'],
  'scatter-min': ['scatter', 'scatter'],
  'scatter-mul': ['scatter', 'scatter'],
  'scatter-sub': ['scatter', 'scatter'],
  scatter_add: ['scatter', 'scatter'],
  scatter_max: ['scatter', 'scatter'],
  scatter_min: ['scatter', 'scatter'],
  scatter_mul: ['scatter', 'scatter'],
  scatter_sub: ['scatter', 'scatter'],
  select_and_scatter_add: ['select_and_scatter', 'select-and-scatter'],
  select_n: ['select', 'select'],
  sin: ['sine', 'sine'],
  split: ['slice', 'slice'],
  square: ['square', 'multiply'],
  squeeze: ['reshape', 'reshape'],
  sub: ['subtract', 'subtract']
};

function primitiveSource(name: string, level: LevelName): string {
  const glob = (text: string): string =>
    escape(text).replace(/\\\*/g, '[\\w-]*');
  const [stablehlo, hlo] = OTHER_NAMES[name] ?? [name, name.replace(/_/g, '-')];
  switch (level) {
    case 'jaxpr':
      return `(?:^|(?<== ))${glob(name)}(?=[[ ]|$)`;
    case 'stablehlo':
      return `(?:stablehlo|chlo)\\.${glob(stablehlo)}(?![\\w.])`;
    case 'hlo':
      return `(?<=[\\])}] )${glob(hlo)}(?=\\()`;
  }
}

/** The facts about lines that a search needs in addition to their text. */
export interface ILineFacts {
  /** The line of the cell that ran, from 1, which stands at the right edge; -1 if the line has none. */
  sourceLine(index: number): number;
  /** The names of the scopes around a line. */
  scopes(index: number): readonly string[];
  /** The line of source that a line comes from. */
  readonly heads?: {
    of(index: number): { readonly key: string; readonly text: string } | null;
  };
  /** The lines whose results have names in the user's Python, each with its name. */
  named?(): Iterable<readonly [index: number, name: string]>;
}

/** The pattern for the text beside the lines; null if the search has conditions other than plain text. */
export function besidePattern({ terms, caseSensitive }: ITerms): RegExp | null {
  const [term, ...otherTerms] = terms;
  return term?.kind === 'text' && otherTerms.length === 0
    ? new RegExp(escape(term.text), caseSensitive ? '' : 'i')
    : null;
}

/** Matches a query against the lines of one level. */
export class LineMatcher {
  constructor(
    terms: readonly Term[],
    caseSensitive: boolean,
    level: LevelName
  ) {
    const flags = caseSensitive ? 'g' : 'gi';
    for (const term of terms) {
      switch (term.kind) {
        case 'text':
          this._patterns.push(new RegExp(escape(term.text), flags));
          break;
        case 'regexp':
          this._patterns.push(new RegExp(term.source, flags));
          break;
        case 'primitive':
          this._patterns.push(
            new RegExp(primitiveSource(term.name, level), 'g')
          );
          break;
        case 'type':
          this._patterns.push(new RegExp(typeSource(term, level), 'g'));
          break;
        case 'line':
          this._lines.push(term);
          break;
        case 'scope':
          this._scopes.push(
            new RegExp(
              `^${escape(term.name).replace(/\\\*/g, '.*')}$`,
              caseSensitive ? '' : 'i'
            )
          );
          break;
      }
    }
  }

  /**
   * Calls `found` for each match in a line: the matches of the first pattern if the line meets all conditions, or the
   * whole line if the conditions are only about lines and scopes.
   */
  find(
    text: string,
    index: number,
    facts: ILineFacts,
    addMatch: (from: number, to: number) => void
  ): void {
    const [first] = this._patterns;
    if (
      (this._isSeveral &&
        !this._patterns.every(pattern => has(pattern, text))) ||
      !this._isThere(index, facts)
    ) {
      return;
    }
    if (!first) {
      if (text.length > 0) {
        addMatch(0, text.length);
      }
      return;
    }
    first.lastIndex = 0;
    for (let match = first.exec(text); match; match = first.exec(text)) {
      if (match[0] === '') {
        first.lastIndex++;
      } else {
        addMatch(match.index, match.index + match[0].length);
      }
    }
  }

  /** True if the query has more than one condition. A single pattern needs no test before the search for its matches. */
  private get _isSeveral(): boolean {
    return this._patterns.length + this._lines.length + this._scopes.length > 1;
  }

  private _isThere(index: number, facts: ILineFacts): boolean {
    if (this._lines.length > 0) {
      const line = facts.sourceLine(index);
      if (
        !this._lines.every(({ first, last }) => first <= line && line <= last)
      ) {
        return false;
      }
    }
    if (this._scopes.length > 0) {
      const names = facts.scopes(index);
      let isInScope = this._known.get(names);
      if (isInScope === undefined) {
        isInScope = this._scopes.every(scope =>
          names.some(name => scope.test(name))
        );
        this._known.set(names, isInScope);
      }
      return isInScope;
    }
    return true;
  }

  private _patterns: RegExp[] = [];
  private _lines: { first: number; last: number }[] = [];
  private _scopes: RegExp[] = [];
  /** Most lines share their scopes, so the result for each list of scopes is kept. */
  private _known = new Map<readonly string[], boolean>();
}

function has(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

/** The names in a name stack: `transpose(jvp(step))/layer` has four. */
export function namesOfStack(stack: string): string[] {
  return stack.match(/[^/()]+/g) ?? [];
}
