/** Lists the programs of the user's code, without those that libraries jitted for their own use. */
import { Snapshot } from '../protocol/snapshot';

/** The numbers of the programs, in their order. */
export function usersPrograms({ programs }: Snapshot): number[] {
  return [...programs.keys()].filter(at => programs[at].library !== true);
}
