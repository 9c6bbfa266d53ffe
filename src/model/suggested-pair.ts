/** Suggests the program with which the program in view is compared. */
import type { Program } from '../protocol/snapshot';
import type { IProgramRef, IRun } from '../tokens';
import { earlierProgram, isSameFunction, signatureOf } from './earlier-program';

/**
 * Suggest the other side of a pair: the earlier version of the program, else another program of the same function, else
 * another program of the same signature; null without one, since a diff of two unrelated programs says nothing. Of the
 * programs of the same run, an earlier one comes first.
 * @param candidates - The programs of the user's code in all runs, the newest run first.
 */
export function suggestedPartner(
  runs: readonly IRun[],
  after: IProgramRef,
  candidates: readonly IProgramRef[]
): IProgramRef | null {
  const shown = programOf(runs, after);
  if (shown === undefined) {
    return null;
  }
  const isBefore = ({ snapshot, program }: IProgramRef): boolean =>
    snapshot === after.snapshot && program < after.program;
  const otherPrograms = [
    ...candidates.filter(isBefore).reverse(), // the nearest first
    ...candidates.filter(
      candidate =>
        !isBefore(candidate) &&
        (candidate.snapshot !== after.snapshot ||
          candidate.program !== after.program)
    )
  ];
  const like = (matches: (program: Program) => boolean): IProgramRef | null =>
    otherPrograms.find(candidate => {
      const program = programOf(runs, candidate);
      return program !== undefined && matches(program);
    }) ?? null;
  return (
    earlierVersion(runs, after) ??
    like(program => isSameFunction(shown, program)) ??
    like(program => signatureOf(shown) === signatureOf(program))
  );
}

/** The program of an earlier run that became this program after an edit; null if there is none. */
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

function programOf(
  runs: readonly IRun[],
  ref: IProgramRef
): Program | undefined {
  return runs.find(({ snapshot }) => snapshot.id === ref.snapshot)?.snapshot
    .programs[ref.program];
}
