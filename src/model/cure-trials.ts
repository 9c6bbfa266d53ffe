/**
 * Asks the kernel to try the cures of a run's misses and the rewrites of its loops.
 *
 * The cures that passed are then in the document. The kernel tries cures only for a limited time; the user's next
 * request tries the remaining cures.
 */
import { EvaluableText } from '../protocol/evaluable';
import { Note, Snapshot } from '../protocol/snapshot';
import { IJaxprModel } from '../tokens';
import { askingOf } from './request-state';

/** For each model: the id of a run -> the promise of its trials; a failed request is removed. */
const trialsByModel = new WeakMap<IJaxprModel, Map<string, Promise<void>>>();

/**
 * Requests the trials of a run's cures; does nothing if no kernel can answer. @param again Request them even if this
 * page has requested them before. @returns The reason why there is no answer; null if there is one.
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

/** True if a run has misses whose cures could be edits of the cell. */
export function hasMissesToCure(snapshot: Snapshot): boolean {
  const misses = snapshot.ledger?.functions.flatMap(({ misses }) => misses);
  return (misses ?? []).some(
    miss => miss.this_run && miss.reasons.some(({ cure }) => cure !== null)
  );
}

/** The kinds of notes whose cure may become an edit of the cell after a successful trial. */
const EDITED = [
  'dropped_update',
  'key_used_twice',
  'masked_derivative',
  'printed_while_tracing',
  'promoted_carry',
  'root_of_squares',
  'truncated_type'
];
/**
 * The kinds of notes on an error. The trials of an error are short, because the user waits for the traceback. A cure
 * that was not tried may be missing in the note.
 */
const ERRORS = ['raised', 'trace_raised'];

/** True if the kernel has sent this run and has not yet tried the cures of its notes. */
export function hasNotesToCure(snapshot: Snapshot): boolean {
  return (
    snapshot.notes.some(isUntried) &&
    EvaluableText.sent(snapshot, () => '') !== null
  );
}

function isUntried({ kind, cures }: Note): boolean {
  return (
    ERRORS.includes(kind) ||
    (EDITED.includes(kind) &&
      (cures ?? []).some(({ level }) => (level ?? 'advice') === 'advice'))
  );
}
