/** Lists the programs of the user's code, without the programs that libraries jitted for their own use. */
import { Snapshot } from '../protocol/snapshot';

/** The number of programs of a run that are searched for a place in the code, because each program takes time. */
export const PROGRAMS_SEARCHED = 30;

/** The indices of the user's programs, ascending. */
export function usersPrograms({ programs }: Snapshot): number[] {
  return [...programs.keys()].filter(at => programs[at].library !== true);
}
