/**
 * Asks the kernel to try the cures of a run's misses and the rewrites of its loops; the document then has those
 * that passed. A cure that the kernel could not decide in time is tried again when the user asks again.
 */
import { EvaluableText } from '../protocol/evaluable';
import { Note, Snapshot } from '../protocol/snapshot';
import { IJaxprModel } from '../tokens';
import { askingOf } from './question-state';

/** The runs that were asked for, by model. */
const asked = new WeakMap<IJaxprModel, Map<string, Promise<void>>>();

/**
 * Ask for the cures of a run; does nothing where no kernel can answer.
 *
 * @param again Ask also where the run was asked for before.
 * @returns Why there is no answer, a sentence; null where there is one.
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
  const runs = asked.get(model) ?? new Map<string, Promise<void>>();
  asked.set(model, runs);
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

/** Whether a run has misses whose cures may be edits. */
export function hasMissesToCure(snapshot: Snapshot): boolean {
  const misses = snapshot.ledger?.functions.flatMap(({ misses }) => misses);
  return (misses ?? []).some(
    miss => miss.this_run && miss.reasons.some(({ cure }) => cure !== null)
  );
}

/** Notes whose cure may be an edit of the cell, once its trial passed. */
const EDITED = [
  'dropped_update',
  'key_used_twice',
  'masked_derivative',
  'printed_while_tracing',
  'promoted_carry',
  // The trials of an error end early while the cell raises.
  'raised',
  'trace_raised',
  'truncated_type'
];

/** Whether a run that this kernel sent has notes whose cures were not tried yet. */
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
