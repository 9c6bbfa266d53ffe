/** Suggests the program with which the program in view is compared. */
import type { Program } from '../protocol/snapshot';
import type { IProgramRef, IRun } from '../tokens';
import { earlierVersion, isSameFunction, signatureOf } from './earlier-program';

/**
 * Suggests with which program the program in view is compared: its earlier version, else another program of the same
 * function, else one with the same signature; null if there is none, because the diff of unrelated programs is useless.
 * Within a run, earlier programs are preferred.
 * @param candidates - The programs of the user's code in all runs, newest run first.
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

function programOf(
  runs: readonly IRun[],
  ref: IProgramRef
): Program | undefined {
  return runs.find(({ snapshot }) => snapshot.id === ref.snapshot)?.snapshot
    .programs[ref.program];
}
