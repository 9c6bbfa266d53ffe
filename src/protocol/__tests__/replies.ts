/** Makes the kernel's replies to a request, in the form in which the browser receives them. */
import { Confirm, Refused, Working } from '../snapshot';

/** A reply with an answer; `result` may be any value, because some tests need answers that the check refuses. */
export function answered<Result>(
  result: Result,
  id = 1
): { type: 'answered'; id: number; result: Result } {
  return { type: 'answered', id, result };
}

export function refused(reason: string, id = 1): Refused {
  return { type: 'refused', id, reason };
}

/** A reply with a question that the user has to confirm before the kernel runs anything. */
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
