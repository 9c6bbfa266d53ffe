/** Finds the lines of a listing that a reader of the mathematics does not need, by kind. */
import { TranslationBundle } from '@jupyterlab/translation';

import { listOf } from '../../parts/list-of';
import type { ProgramEquations } from '../../program-text/equations';
import type { IRow } from '../../program-text/row';
import type { ProgramRows } from '../../program-text/rows';

/**
 * - convert: changes of dtype
 * - broadcast
 * - wrapper: calls of a jitted function that holds one equation
 * - unused: equations whose results nothing uses, and that have no effect
 */
export type Noise = 'convert' | 'broadcast' | 'wrapper' | 'unused';

/** The kinds in the order of the menu; a line of two kinds counts as the later kind. */
export const NOISES: readonly Noise[] = [
  'convert',
  'broadcast',
  'wrapper',
  'unused'
];

/** The bit that marks a line of this kind. */
export const BIT: Readonly<Record<Noise, number>> = {
  convert: 1,
  broadcast: 2,
  wrapper: 4,
  unused: 8
};

/** The bit of the first line of an equation; further lines of the equation do not have it. */
export const HEAD = 128;

/** The bits of several kinds, combined. */
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

/** The noise among the rows of a program. */
export interface IRowNoise {
  /** For each row, the bits of the kinds of noise that the row is. */
  bits: Uint8Array;
  /**
   * For the row of the only equation of a call: the names of its values inside the call and the names of the same
   * values outside, such as `r = p`; shown while the call is hidden.
   */
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
 * For a call of a function whose only equation could stand in place of the call: each name inside the call with the
 * name of the same value outside, such as `r = p`; empty if all names are equal. Null for any other row.
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

/** For each equation of a scope, 1 if no equation or result needs it; null if parts of the scope have not arrived. */
function unusedOf(
  equations: ProgramEquations,
  scope: number
): Uint8Array | null {
  const count = equations.count(scope);
  if (equations.arrivedCount(scope) < count) {
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

/**
 * The patterns of operations in StableHLO and HLO that are noise; a line with the result of its function is never
 * noise.
 */
const TEXTS: readonly (readonly [RegExp, Noise])[] = [
  [/ = (?:stablehlo\.convert |[a-z]+\d*\[[^\]]*\]\S* convert\()/, 'convert'],
  [
    / = (?:stablehlo\.(?:dynamic_)?broadcast_in_dim |[a-z]+\d*\[[^\]]*\]\S* broadcast\()/,
    'broadcast'
  ]
];

/** The noise bits of each line of a text. */
export function noiseOfLines(lines: readonly string[]): Uint8Array {
  return Uint8Array.from(lines, line => {
    const rule = line.startsWith('ROOT ')
      ? undefined
      : TEXTS.find(([pattern]) => pattern.test(line));
    return HEAD | (rule ? BIT[rule[1]] : 0);
  });
}

/** The number of hidden lines, in total and by kind. */
export interface IHiddenCount {
  lines: number;
  /** The number of equations or lines of a text for each kind. */
  of: Readonly<Record<Noise, number>>;
}

/** Counts the lines of the hidden kinds, except the lines that are shown as exceptions. */
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

/** Prints the counts: `9 converts, 5 broadcasts`. */
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

/** Prints the sentence: `2 lines are hidden: 1 convert, 1 unused equation.` */
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
      return trans.__('Unused equations');
  }
}
