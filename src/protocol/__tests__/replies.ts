/** Reads what the kernel says to a request as the browser reads a reply. */
import { Confirm, Refused, Working } from '../snapshot';

/** An answer; where a test is about broken ones, it may be anything. */
export function answered<Result>(
  result: Result,
  id = 1
): { type: 'answered'; id: number; result: Result } {
  return { type: 'answered', id, result };
}

export function refused(reason: string, id = 1): Refused {
  return { type: 'refused', id, reason };
}

/** A question to the user, before anything runs. */
export function confirm(question: string, id = 1): Confirm {
  return { type: 'confirm', id, question };
}

/** A report of the kernel's progress; more replies follow. */
export function working(
  progress: Omit<Working, 'type' | 'id'>,
  id = 1
): Working {
  return { type: 'working', id, ...progress };
}
