/** Finds, in the earlier runs of a notebook, the program of the same function called with the same types. */
import { Program } from '../protocol/snapshot';
import type { IProgramRef, IRun } from '../tokens';

/** The properties of a program by which the panel finds the same program in a later run of the cell. */
export type CalledProgram = Pick<Program, 'name' | 'origin' | 'arguments'>;

/** The types of the arguments and the values of the static arguments for which a program was made. */
export function signatureOf(program: CalledProgram): string {
  return JSON.stringify(
    program.arguments.map(argument => [argument.type, argument.static])
  );
}

/**
 * The types of an executable's inputs: without static arguments, which are constants of the executable, and without
 * weak types, which it does not distinguish.
 */
export function inputsOf(program: Program): string {
  const tracedArguments = program.arguments.filter(
    argument => !argument.static
  );
  return JSON.stringify(
    tracedArguments.map(({ type }) => type.replace(/ weak\b/g, ''))
  );
}

/** True if two programs are programs of the same function, judged by their names. */
export function isSameFunction(
  before: CalledProgram,
  after: CalledProgram
): boolean {
  return (
    before.name === after.name &&
    (before.origin === 'derived') === (after.origin === 'derived')
  );
}

/** The program of an earlier run that became this program by an edit, among all runs; null if there is none. */
export function earlierVersion(
  runs: readonly IRun[],
  after: IProgramRef
): IProgramRef | null {
  const run = runs.find(({ snapshot }) => snapshot.id === after.snapshot);
  if (run?.snapshot.programs[after.program] === undefined) {
    return null;
  }
  const earlier = runs.filter(
    ({ snapshot }) => snapshot.created < run.snapshot.created
  );
  return earlierProgram(run, after.program, earlier);
}

/**
 * The program of an earlier run that became a program of this run after an edit.
 *
 * The latest run with a program of the same signature gives the program. Without such a run, the previous run gives the
 * program that matches no other program: the signature itself changed. The previous run is one of the same cell, if
 * there is one.
 * @param earlier - Earlier runs, the latest first.
 */
function earlierProgram(
  run: IRun,
  program: number,
  earlier: readonly IRun[]
): IProgramRef | null {
  for (const before of earlier) {
    const index = pairs(programsOf(before), programsOf(run)).same.get(program);
    if (index !== undefined) {
      return { snapshot: before.snapshot.id, program: index };
    }
  }
  const cell = run.snapshot.cell?.id ?? null;
  const own = earlier.filter(
    ({ snapshot }) => cell !== null && snapshot.cell?.id === cell
  );
  for (const before of [...own.slice(0, 1), ...earlier]) {
    const index = pairs(programsOf(before), programsOf(run)).changed.get(
      program
    );
    if (index !== undefined) {
      return { snapshot: before.snapshot.id, program: index };
    }
  }
  return null;
}

function programsOf(run: IRun): readonly Program[] {
  return run.snapshot.programs;
}

/**
 * Pairs the programs of two runs: first by signature, then by order.
 *
 * Both maps are: index of a later program -> index of the earlier program. `same` has the pairs of equal signature.
 */
export function pairs(
  before: readonly CalledProgram[],
  after: readonly CalledProgram[]
): { same: Map<number, number>; changed: Map<number, number> } {
  const left = new Set(before.keys());
  const take = (
    program: CalledProgram,
    matches: (candidate: number) => boolean
  ): number | undefined => {
    for (const place of left) {
      if (isSameFunction(program, before[place]) && matches(place)) {
        left.delete(place);
        return place;
      }
    }
    return undefined;
  };
  const signatures = before.map(signatureOf);
  const same = new Map<number, number>();
  const changed = new Map<number, number>();
  after.forEach((program, at) => {
    const signature = signatureOf(program);
    const place = take(
      program,
      candidate => signatures[candidate] === signature
    );
    if (place !== undefined) {
      same.set(at, place);
    }
  });
  after.forEach((program, at) => {
    const place = same.has(at) ? undefined : take(program, () => true);
    if (place !== undefined) {
      changed.set(at, place);
    }
  });
  return { same, changed };
}

/**
 * The program to show first of a run that takes the place of another run of the same cell.
 *
 * This is the program in focus (the program that the document shows first), with two exceptions. If the user had chosen
 * another program than the focus of the earlier run, the chosen program stays in view. If the earlier run was a trace
 * of Live, the traced program stays in view. If the focus of the new run was not in focus before (because of `--focus`,
 * or because another call is the last call of the cell), the focus comes into view.
 *
 * @param shown - The program of the earlier run that is in view.
 */
export function firstShown(
  before: IRun | null,
  shown: number,
  after: IRun
): number {
  const { focus, cell } = after.snapshot;
  const cellId = before?.snapshot.cell?.id ?? null;
  if (before === null || cellId === null || cellId !== cell?.id) {
    return focus;
  }
  const { same, changed } = pairs(programsOf(before), programsOf(after));
  const earlier = new Map([...same, ...changed]);
  if (!before.isWritten && earlier.get(focus) !== before.snapshot.focus) {
    return focus;
  }
  for (const [later, program] of earlier) {
    if (program === shown) {
      return later;
    }
  }
  return focus;
}
