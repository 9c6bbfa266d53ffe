/** Finds the lines of a listing that are noise for a reader of the mathematics, by kind. */
import { TranslationBundle } from '@jupyterlab/translation';

import { listOf } from '../../parts/list-of';
import type { ProgramEquations } from '../../program-text/equations';
import type { IRow, ProgramRows } from '../../program-text/rows';

/**
 * - convert: changes of dtype
 * - broadcast
 * - wrapper: calls of a jitted function that holds one equation
 * - unused: equations whose results nothing uses, and that have no effect
 */
export type Noise = 'convert' | 'broadcast' | 'wrapper' | 'unused';

/** In the order of the menu; a line that is of two kinds is counted as the last one. */
export const NOISES: readonly Noise[] = [
  'convert',
  'broadcast',
  'wrapper',
  'unused'
];

/** A set bit of a line says that the line is of this kind. */
export const BIT: Readonly<Record<Noise, number>> = {
  convert: 1,
  broadcast: 2,
  wrapper: 4,
  unused: 8
};

/** Set on the first line of an equation: the others belong to it. */
export const HEAD = 128;

/** The bits of several kinds. */
export function bitsOf(noises: Iterable<Noise>): number {
  let bits = 0;
  for (const noise of noises) {
    bits |= BIT[noise];
  }
  return bits;
}

const PRIMITIVES: Readonly<Record<string, Noise>> = {
  broadcast: 'broadcast',
  broadcast_in_dim: 'broadcast',
  convert_element_type: 'convert'
};

/** The noise of a program. */
export interface IRowNoise {
  /** Of each row: the bits of what it is. */
  bits: Uint8Array;
  /** Of the row in a trivial call: which of its names are which outside, for when the call is hidden. */
  names: ReadonlyMap<number, string>;
}

/** Find the noise of a program. */
export function noiseOfRows(program: ProgramRows): IRowNoise {
  const { equations, rows } = program;
  const bits = new Uint8Array(rows.length);
  const names = new Map<number, string>();
  const unused = new Map<number, Uint8Array | null>();
  for (const row of rows) {
    if (row.kind !== 'equation') {
      continue;
    }
    const { scope, equation, index } = row;
    const part = equations.part(scope, equation);
    if (!part) {
      continue;
    }
    const primitive = part.primitive(equation);
    const noise = PRIMITIVES[primitive];
    bits[index] |= HEAD | (noise ? BIT[noise] : 0);
    const inner =
      primitive === 'jit' || primitive === 'pjit'
        ? row.folds?.find(({ kind }) => kind === 'scope')
        : undefined;
    const same = inner ? trivialCall(program, row) : null;
    if (inner && same !== null) {
      for (const line of [index, index + 1, inner.last.index]) {
        bits[line] |= BIT.wrapper;
      }
      if (same !== '') {
        names.set(index + 2, same);
      }
    }
    if (!unused.has(scope)) {
      unused.set(scope, unusedOf(equations, scope));
    }
    if (unused.get(scope)?.[equation] === 1) {
      bits[index] |= BIT.unused;
      for (
        let i = index + 1;
        i < rows.length && rows[i].depth > row.depth;
        i++
      ) {
        bits[i] |= BIT.unused;
      }
    }
  }
  return { bits, names };
}

/**
 * Of a call that holds one equation and could stand for it: what its values are called in and outside, such as
 * `r = p`, empty where they have the same names; null of any other call.
 */
function trivialCall({ equations }: ProgramRows, row: IRow): string | null {
  const { scope, equation, names, elsewhere } = row;
  const part = equations.part(scope, equation);
  const programs = part?.printedPrograms(equation) ?? [];
  if (!part || programs.length !== 1 || elsewhere !== null) {
    return null;
  }
  const [{ scope: inner, inText }] = programs;
  const body = equations.snapshot.scopes[inner];
  const operands = part.operands(equation);
  const start = part.outputStart(equation);
  if (
    inText ||
    equations.count(inner) !== 1 ||
    body.constants > 0 ||
    operands.length !== body.inputs ||
    part.outputEnd(equation) - start !== body.outputs.length
  ) {
    return null;
  }
  const pairs: string[] = [];
  const pair = (inside: number, outside: number): boolean => {
    const within = names.variables[inner]?.[inside];
    const without = names.variables[scope]?.[outside];
    if (inside < 0 || outside < 0 || !within || !without) {
      return false;
    }
    if (within !== without && without !== '_') {
      pairs.push(`${within} = ${without}`);
    }
    return true;
  };
  return operands.every((operand, i) => pair(i, operand)) &&
    body.outputs.every((output, i) => pair(output, start + i))
    ? pairs.join(', ')
    : null;
}

/** Of each equation of a scope: 1 where nothing needs it; null where not all of the scope is here. */
function unusedOf(
  equations: ProgramEquations,
  scope: number
): Uint8Array | null {
  const count = equations.count(scope);
  if (equations.held(scope) < count) {
    return null;
  }
  const unused = new Uint8Array(count);
  const parts = equations.parts(scope);
  const last = parts[parts.length - 1];
  const needed = new Uint8Array(count > 0 ? last.outputEnd(count - 1) : 0);
  for (const output of equations.snapshot.scopes[scope].outputs) {
    if (output >= 0) {
      needed[output] = 1;
    }
  }
  for (const part of [...parts].reverse()) {
    const acting = new Set(part.scope.effects.map(([equation]) => equation));
    for (let equation = part.end - 1; equation >= part.first; equation--) {
      let isNeeded = acting.has(equation);
      const end = part.outputEnd(equation);
      for (let v = part.outputStart(equation); v < end && !isNeeded; v++) {
        isNeeded = needed[v] === 1;
      }
      if (!isNeeded) {
        unused[equation] = 1;
        continue;
      }
      for (const operand of part.operands(equation)) {
        if (operand >= 0) {
          needed[operand] = 1;
        }
      }
    }
  }
  return unused;
}

/** What a line of StableHLO or HLO does; the line that is a result of its function is never noise. */
const TEXTS: readonly (readonly [RegExp, Noise])[] = [
  [/ = (?:stablehlo\.convert |[a-z]+\d*\[[^\]]*\]\S* convert\()/, 'convert'],
  [
    / = (?:stablehlo\.(?:dynamic_)?broadcast_in_dim |[a-z]+\d*\[[^\]]*\]\S* broadcast\()/,
    'broadcast'
  ]
];

/** Of each line of a text: the bits of what it is. */
export function noiseOfLines(lines: readonly string[]): Uint8Array {
  return Uint8Array.from(lines, line => {
    const found = line.startsWith('ROOT ')
      ? undefined
      : TEXTS.find(([pattern]) => pattern.test(line));
    return HEAD | (found ? BIT[found[1]] : 0);
  });
}

/** What is hidden, counted. */
export interface IHiddenCount {
  lines: number;
  /** Equations, or lines of a text. */
  of: Readonly<Record<Noise, number>>;
}

/** Count the lines of some kinds that are not among those shown all the same. */
export function countHidden(
  bits: Uint8Array,
  hidden: ReadonlySet<Noise>,
  shown: ReadonlySet<number>
): IHiddenCount {
  const mask = bitsOf(hidden);
  const kinds = [...NOISES].reverse().filter(noise => hidden.has(noise));
  const of: Record<Noise, number> = {
    convert: 0,
    broadcast: 0,
    wrapper: 0,
    unused: 0
  };
  let lines = 0;
  for (let i = 0; i < bits.length; i++) {
    if ((bits[i] & mask) === 0 || shown.has(i)) {
      continue;
    }
    lines++;
    if (bits[i] & HEAD) {
      const kind = kinds.find(noise => (bits[i] & BIT[noise]) !== 0);
      if (kind) {
        of[kind]++;
      }
    }
  }
  return { lines, of };
}

/** `9 converts, 5 broadcasts` */
export function hiddenWords(
  { of }: IHiddenCount,
  trans: TranslationBundle
): string {
  const words: Record<Noise, (count: number) => string> = {
    convert: count => trans._n('%1 convert', '%1 converts', count),
    broadcast: count => trans._n('%1 broadcast', '%1 broadcasts', count),
    wrapper: count => trans._n('%1 jit wrapper', '%1 jit wrappers', count),
    unused: count =>
      trans._n('%1 unused equation', '%1 unused equations', count)
  };
  return listOf(
    NOISES.filter(noise => of[noise] > 0).map(noise => words[noise](of[noise])),
    trans
  );
}

/** `2 lines are hidden: 1 convert, 1 unused equation.` */
export function hiddenSentence(
  count: IHiddenCount,
  hidden: ReadonlySet<Noise>,
  trans: TranslationBundle
): string {
  if (count.lines > 0) {
    return trans._n(
      '%2 line is hidden: %3.',
      '%2 lines are hidden: %3.',
      count.lines,
      count.lines.toLocaleString('en'),
      hiddenWords(count, trans)
    );
  }
  const names = NOISES.filter(noise => hidden.has(noise)).map(noise =>
    noiseName(noise, trans)
  );
  return trans.__(
    'No line is hidden. No line matches the filters: %1.',
    listOf(names, trans)
  );
}

/** The name of a filter, for its button. */
export function noiseName(noise: Noise, trans: TranslationBundle): string {
  switch (noise) {
    case 'convert':
      return trans.__('Converts');
    case 'broadcast':
      return trans.__('Broadcasts');
    case 'wrapper':
      return trans.__('Jit wrappers');
    case 'unused':
      return trans.__('Unused');
  }
}
