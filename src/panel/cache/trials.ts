/**
 * A run whose misses are looked at comes in; the kernel tries the cures of its misses once, and the document has them.
 */
import { askingOf } from '../../model/asking';
import { Snapshot } from '../../protocol/snapshot';
import { IJaxprModel } from '../../tokens';

/** The runs that were asked for, by model. */
const asked = new WeakMap<IJaxprModel, Set<string>>();

/** Ask for the cures of a run; does nothing where no kernel can answer, or where there is nothing to try. */
export function tryCures(model: IJaxprModel, snapshot: Snapshot): void {
  const runs = asked.get(model) ?? new Set();
  const misses = snapshot.ledger?.functions.flatMap(({ misses }) => misses);
  const isWorthIt = misses?.some(
    miss => miss.this_run && miss.reasons.some(({ cure }) => cure !== null)
  );
  if (model.requests === null || runs.has(snapshot.id) || !isWorthIt) {
    return;
  }
  asked.set(model, runs.add(snapshot.id));
  void askingOf(model, 'cures').start(snapshot, 0, { snapshot: snapshot.id });
}
