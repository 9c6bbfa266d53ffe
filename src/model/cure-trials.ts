/**
 * Asks the kernel to try the cures of a run's misses and the rewrites of its loops.
 *
 * The document then has the cures that passed. If the kernel ran out of time for a cure, the next request of the user
 * tries the cure again.
 */
import { EvaluableText } from '../protocol/evaluable';
import { Note, Snapshot } from '../protocol/snapshot';
import { IJaxprModel } from '../tokens';
import { askingOf } from './request-state';

/** The runs for which the page has requested trials, by model. */
const trialsByModel = new WeakMap<IJaxprModel, Map<string, Promise<void>>>();

/**
 * Request the trials of a run's cures; does nothing if no kernel can answer.
 * @param again Request the trials also if the page has requested them before.
 * @returns A sentence that says why there is no answer; null if there is an answer.
 */
export async function tryCures(
  model: IJaxprModel,
  snapshot: Snapshot,
  again: boolean
): Promise<string | null> {
  if (model.requests === null) {
    return null;
  }
  const asking = askingOf(model, 'cures');
  const runs = trialsByModel.get(model) ?? new Map<string, Promise<void>>();
  trialsByModel.set(model, runs);
  const isWorking = asking.stateOf(snapshot, 0).kind === 'working';
  const before = again && !isWorking ? undefined : runs.get(snapshot.id);
  const answer = before ?? asking.start(snapshot, 0, { snapshot: snapshot.id });
  runs.set(snapshot.id, answer);
  await answer;
  const state = asking.stateOf(snapshot, 0);
  if (state.kind === 'failed') {
    runs.delete(snapshot.id);
    return state.reason;
  }
  return null;
}

/** True if a run has misses whose cures may be edits of the cell. */
export function hasMissesToCure(snapshot: Snapshot): boolean {
  const misses = snapshot.ledger?.functions.flatMap(({ misses }) => misses);
  return (misses ?? []).some(
    miss => miss.this_run && miss.reasons.some(({ cure }) => cure !== null)
  );
}

/** The kinds of notes whose cure may be an edit of the cell, after a passed trial. */
const EDITED = [
  'dropped_update',
  'key_used_twice',
  'masked_derivative',
  'printed_while_tracing',
  'promoted_carry',
  // The trials of an error end early, because the cell raises.
  'raised',
  'trace_raised',
  'truncated_type'
];

/** True if the kernel has sent this run and the cures of the run's notes are not tried yet. */
export function hasNotesToCure(snapshot: Snapshot): boolean {
  return (
    snapshot.notes.some(isUntried) &&
    EvaluableText.sent(snapshot, () => '') !== null
  );
}

function isUntried({ kind, cures }: Note): boolean {
  return (
    EDITED.includes(kind) &&
    (cures ?? []).some(({ level }) => (level ?? 'advice') === 'advice')
  );
}
