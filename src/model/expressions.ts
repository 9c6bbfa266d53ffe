/** Finds the type, the equations and the operations of the expression or name at a position in the code. */
import type { ProgramEquations } from '../program-text/equations';
import type { ISourceSpan } from '../program-text/source-spans';
import type { ScopeCost, Snapshot } from '../protocol/snapshot';
import type { IEquationRef } from '../tokens';
import { Counted, amountOf, measured } from './cost-shares';
import { IExpression, linksOf } from './links';
import { INamedType, namesOfFiles } from './named-types';
import { PROGRAMS_SEARCHED, usersPrograms } from './users-programs';

/** A position in a text that ran; lines count from 1. */
export interface ISourcePlace {
  path: string;
  line: number;
  column: number;
}

/** The operations of some equations in one call of their program. */
export interface IOperations {
  amounts: Record<Counted, number>;
  /**
   * The share of the program's operations (a transcendental counts as several); null if the program has no operations.
   */
  share: number | null;
  /**
   * Whether the number is exact, an upper bound because of branches, or the number for one step of a loop whose number
   * of steps is unknown.
   */
  kind: 'exact' | 'at most' | 'per iteration';
}

/** What a run knows about a position in the code. */
export interface IExpressionFacts {
  snapshot: Snapshot;
  program: number;
  /** The span of the expression or of the name. */
  span: ISourceSpan;
  /** The text of the span in the user's code. */
  text: string;
  /** The name to which the value is assigned, for its type; null if there is none. */
  name: INamedType | null;
  /**
   * The equations that come from the expression, outer ones before inner ones; empty if the position is only a name.
   */
  equations: readonly IEquationRef[];
  /** Those equations that are not inside of another equation of the list. */
  outermost: readonly IEquationRef[];
  /** True if the expression is a call and its equations were written in the called function. */
  isCall: boolean;
  /** The number of different chains of calls by which the traced function reached the expression. */
  ways: number;
  /** The types of those results that no other equation of the expression uses. */
  results: readonly string[];
  /** The counted operations; null if the program was not counted. */
  operations: IOperations | null;
  /**
   * The number of the user's programs that contain the expression; in a run with many programs, only the first ones are
   * searched.
   */
  programs: number;
}

/**
 * Returns the facts about a position, from the given program if it has equations that come from the position, else from
 * the first other program with such equations.
 */
export function expressionFacts(
  snapshot: Snapshot,
  first: readonly number[],
  place: ISourcePlace
): IExpressionFacts | null {
  const programs = [
    ...new Set([
      ...first.filter(program => program >= 0),
      ...usersPrograms(snapshot).slice(0, PROGRAMS_SEARCHED)
    ])
  ];
  let facts: IExpressionFacts | null = null;
  let count = 0;
  for (const program of programs) {
    const factsOfProgram = factsOf(snapshot, program, place);
    count += factsOfProgram === null ? 0 : 1;
    facts ??= factsOfProgram;
  }
  return facts && { ...facts, programs: count };
}

function factsOf(
  snapshot: Snapshot,
  program: number,
  { path, line, column }: ISourcePlace
): IExpressionFacts | null {
  const links = linksOf(snapshot, program);
  const names = namesOfFiles(snapshot, program).get(path);
  const here = names
    ?.get(line)
    ?.find(({ column: from, end }) => from <= column && column <= end);
  const expression = links.expressionAt(path, line, column);
  const file = snapshot.files.find(listedFile => listedFile.path === path);
  if (here !== undefined && file !== undefined) {
    const { column: from, end } = here;
    const span = {
      file,
      function: '',
      line,
      column: from,
      endLine: line,
      endColumn: end
    };
    return { ...NOTHING, snapshot, program, span, text: here.name, name: here };
  }
  const text = expression && links.spans.text(expression.span);
  if (expression === null || text === null) {
    return null;
  }
  const { equations } = links;
  const refs = refsOf(equations, expression.equations);
  const inside = scopesInside(equations, refs);
  const outermost = refs.filter(({ scope }) => !inside.has(scope));
  const lines = links.spans.source(expression.span.file)?.split('\n') ?? [];
  return {
    snapshot,
    program,
    span: expression.span,
    text,
    name: nameOf(expression, lines, names),
    equations: refs,
    outermost,
    isCall: expression.isCall,
    ways: expression.ways,
    results: resultsOf(equations, outermost),
    operations: operationsOf(snapshot, program, outermost, inside),
    programs: 1
  };
}

const NOTHING = {
  equations: [],
  outermost: [],
  isCall: false,
  ways: 1,
  results: [],
  operations: null,
  programs: 1
};

/** References to the equations with these ids, in the order of the program. */
function refsOf(
  equations: ProgramEquations,
  ids: ReadonlySet<number>
): IEquationRef[] {
  const sorted = [...ids].sort((a, b) => a - b);
  const refs: IEquationRef[] = [];
  let next = 0;
  // The ids of a scope's equations are consecutive, and smaller than those of inner scopes.
  for (const scope of equations.scopes) {
    const start = equations.id(scope, 0);
    const end = start + equations.count(scope);
    for (; next < sorted.length && sorted[next] < end; next++) {
      refs.push({ scope, equation: sorted[next] - start });
    }
  }
  return refs;
}

/** The scopes of the bodies inside these equations, at any depth. */
function scopesInside(
  equations: ProgramEquations,
  refs: readonly IEquationRef[]
): ReadonlySet<number> {
  const inside = new Set<number>();
  const pending = refs.flatMap(
    ({ scope, equation }) =>
      equations.part(scope, equation)?.children(equation) ?? []
  );
  for (let child = pending.pop(); child; child = pending.pop()) {
    const [, , , inner] = child;
    if (!inside.has(inner)) {
      inside.add(inner);
      for (const { scope } of equations.parts(inner)) {
        pending.push(...scope.children);
      }
    }
  }
  return inside;
}

/** The types of the results that no other equation of the list uses, each type once. */
function resultsOf(
  equations: ProgramEquations,
  refs: readonly IEquationRef[]
): string[] {
  const read = new Set<string>();
  for (const { scope, equation } of refs) {
    for (const operand of equations.part(scope, equation)?.operands(equation) ??
      []) {
      read.add(`${scope}:${operand}`);
    }
  }
  const types = new Set<string>();
  for (const { scope, equation } of refs) {
    const part = equations.part(scope, equation);
    if (part === null) {
      return []; // the kernel has not sent these equations of the scope yet, so the results are unknown
    }
    const end = part.outputEnd(equation);
    for (let at = part.outputStart(equation); at < end; at++) {
      const aval = part.aval(at);
      if (aval !== null && !read.has(`${scope}:${at}`)) {
        types.add(aval.text);
      }
    }
  }
  return [...types];
}

/** The name to which just this expression is assigned; for a `return` statement, the entry for the returned value. */
function nameOf(
  { span }: IExpression,
  lines: readonly string[],
  names: ReadonlyMap<number, readonly INamedType[]> | undefined
): INamedType | null {
  const before = (lines[span.line - 1] ?? '').slice(0, span.column);
  const after = (lines[span.endLine - 1] ?? '').slice(span.endColumn);
  if (!/^\s*(;|#|$)/.test(after)) {
    return null;
  }
  const holder = names?.get(span.line)?.find(({ kind, column, end }) => {
    const between = before.slice(kind === 'returned' ? column : end);
    return kind === 'assigned'
      ? end > 0 && end <= before.length && /^\s*(:[^=]+)?=\s*$/.test(between)
      : kind === 'returned' &&
          column < before.length &&
          /^return\s+$/.test(between);
  });
  return holder ?? null;
}

function operationsOf(
  snapshot: Snapshot,
  program: number,
  refs: readonly IEquationRef[],
  inside: ReadonlySet<number>
): IOperations | null {
  const cost = snapshot.costs?.find(
    programCost => programCost.program === program
  );
  if (cost === undefined || refs.length === 0) {
    return null;
  }
  const scopes = new Map(cost.scopes.map(columns => [columns.scope, columns]));
  const sum = { flops: 0, transcendentals: 0, bytes: 0 };
  const seen = new Set<ScopeCost>();
  for (const { scope, equation } of refs) {
    const columns = scopes.get(scope);
    const flops = columns?.flops[equation] ?? -1;
    const transcendentals = columns?.transcendentals[equation] ?? -1;
    if (columns === undefined || flops < 0 || transcendentals < 0) {
      return null; // the operations are unknown: no rule counts the equation's primitive
    }
    seen.add(columns);
    sum.flops += flops * columns.runs;
    sum.transcendentals += transcendentals * columns.runs;
    sum.bytes += Math.max(0, columns.bytes[equation] ?? 0) * columns.runs;
  }
  for (const scope of inside) {
    const columns = scopes.get(scope);
    if (columns === undefined || columns.flops.some(flops => flops < 0)) {
      return null;
    }
    seen.add(columns);
  }
  const all = [...seen];
  const kind = all.some(columns => columns.per_trip)
    ? 'per iteration'
    : all.some(({ runs, runs_min }) => runs !== runs_min)
      ? 'at most'
      : 'exact';
  const total = amountOf(cost, 'work');
  const work = measured(sum, 'work');
  const share = total > 0 ? Math.min(1, work / total) : null;
  return { amounts: sum, share, kind };
}
