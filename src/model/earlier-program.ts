/** Finds, in the earlier runs of a notebook, the program of the same function called with the same types. */
import { Program } from '../protocol/snapshot';
import type { IProgramRef, IRun } from '../tokens';

/** The signature that a program was made for: the types of the arguments and the values of the static arguments. */
export function signatureOf(program: Program): string {
  return JSON.stringify(
    program.arguments.map(each => [each.type, each.static])
  );
}

/**
 * The types that an executable takes, without static arguments, which are part of the executable, and without weak
 * types, which an executable does not distinguish.
 */
export function inputsOf(program: Program): string {
  const given = program.arguments.filter(each => !each.static);
  return JSON.stringify(given.map(({ type }) => type.replace(/ weak\b/g, '')));
}

/** True if two programs are of the same function, as far as names show. */
export function isSameFunction(one: Program, other: Program): boolean {
  return (
    one.name === other.name &&
    (one.origin === 'derived') === (other.origin === 'derived')
  );
}

/**
 * The program of an earlier run that became a program of this run after an edit.
 *
 * The latest run with a program of the same signature gives the program. Without such a run, the previous run gives the
 * program that matches no other program: the signature itself changed. The previous run is one of the same cell, if
 * there is one.
 * @param earlier - Earlier runs, the latest first.
 */
export function earlierProgram(
  run: IRun,
  program: number,
  earlier: readonly IRun[]
): IProgramRef | null {
  for (const before of earlier) {
    const found = pairs(before, run).same.get(program);
    if (found !== undefined) {
      return { snapshot: before.snapshot.id, program: found };
    }
  }
  const cell = run.snapshot.cell?.id ?? null;
  const own = earlier.filter(
    ({ snapshot }) => cell !== null && snapshot.cell?.id === cell
  );
  for (const before of [...own.slice(0, 1), ...earlier]) {
    const found = pairs(before, run).changed.get(program);
    if (found !== undefined) {
      return { snapshot: before.snapshot.id, program: found };
    }
  }
  return null;
}

/** Pair the programs of two runs: first by signature, the rest by order. */
function pairs(
  before: IRun,
  after: IRun
): { same: Map<number, number>; changed: Map<number, number> } {
  const left = new Set(before.snapshot.programs.keys());
  const take = (
    program: Program,
    matches: (other: Program) => boolean
  ): number | undefined => {
    for (const place of left) {
      const other = before.snapshot.programs[place];
      if (isSameFunction(program, other) && matches(other)) {
        left.delete(place);
        return place;
      }
    }
    return undefined;
  };
  const same = new Map<number, number>();
  const changed = new Map<number, number>();
  after.snapshot.programs.forEach((program, at) => {
    const signature = signatureOf(program);
    const found = take(program, other => signatureOf(other) === signature);
    if (found !== undefined) {
      same.set(at, found);
    }
  });
  after.snapshot.programs.forEach((program, at) => {
    const found = same.has(at) ? undefined : take(program, () => true);
    if (found !== undefined) {
      changed.set(at, found);
    }
  });
  return { same, changed };
}
