/**
 * Makes the questions on calls of this run (hit or miss?), and holds the user's guesses.
 *
 * As in the counts, a hit is a call that neither compiled nor lowered.
 */
import { LedgerFunction } from '../../protocol/snapshot';
import { isOfThisRun } from './functions';

export type Guess = 'hit' | 'miss';

/** A question on the outcome of one call or of several similar calls; the outcome is hidden until the user guesses. */
export interface IQuestion {
  /** The key of the question; no other question of the function has this key. */
  readonly key: string;
  readonly signature: string;
  /** The number of calls that the question asks about. */
  readonly calls: number;
  readonly answer: Guess;
  /** The index of the miss that is shown after the user's guess; -1 if the calls were hits. */
  readonly miss: number;
  /** True if there was an earlier question with the same signature. */
  readonly again: boolean;
}

/** Makes the questions about the calls of a function, in the order of the calls as far as that order is known. */
export function questionsOf(ledgerFunction: LedgerFunction): IQuestion[] {
  if (!isOfThisRun(ledgerFunction)) {
    return [];
  }
  const questions: IQuestion[] = [];
  const entriesInQuestions = new Set<number>();
  // The number of this run's hits that no question covers yet.
  let left = ledgerFunction.run.hits ?? 0;
  ledgerFunction.misses.forEach((miss, index) => {
    const { entry, outcome, signature, this_run } = miss;
    if (!this_run || outcome === 'inlined') {
      return;
    }
    const reused = outcome === 'dispatch_only';
    left -= Number(reused);
    questions.push({
      key: `miss ${index}`,
      signature,
      calls: 1,
      answer: reused ? 'hit' : 'miss',
      miss: index,
      again: entry >= 0 && entriesInQuestions.has(entry)
    });
    if (entry < 0 || entriesInQuestions.has(entry)) {
      return;
    }
    entriesInQuestions.add(entry);
    const made = ledgerFunction.entries[entry];
    // Only hits of a cache entry that this run made: the hits of an older entry may belong to an earlier run.
    if (made.this_run && made.hits !== null && made.hits > 0) {
      left -= made.hits;
      questions.push({
        key: `hits ${entry}`,
        signature: made.signature,
        calls: made.hits,
        answer: 'hit',
        miss: -1,
        again: true
      });
    }
  });
  if (left > 0) {
    const [only, ...otherEntries] = ledgerFunction.entries;
    questions.push({
      key: 'hits',
      signature: otherEntries.length === 0 ? (only?.signature ?? '') : '',
      calls: left,
      answer: 'hit',
      miss: -1,
      again: false
    });
  }
  return questions;
}

/** The user's guesses in a run, by function and question. */
export type Guesses = ReadonlyMap<string, Guess>;

export function guessKey(index: number, question: IQuestion): string {
  return `${index} ${question.key}`;
}

/** The number of guesses, of right guesses, and of questions. */
export function scoreOf(
  functions: readonly LedgerFunction[],
  guesses: Guesses
): { guessed: number; right: number; of: number } {
  const score = { guessed: 0, right: 0, of: 0 };
  functions.forEach((ledgerFunction, index) => {
    for (const question of questionsOf(ledgerFunction)) {
      const guess = guesses.get(guessKey(index, question));
      score.of++;
      score.guessed += Number(guess !== undefined);
      score.right += Number(guess === question.answer);
    }
  });
  return score;
}
