/**
 * A model comes in; how far the comparisons of its runs are goes out. A result is in the run's document.
 */
import type { VariantComparison } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { LongWork } from './long-work';

const known = new WeakMap<IJaxprModel, LongWork<VariantComparison>>();

/** The comparisons of a model's runs: one for each run; the same object for all views of it. */
export function comparingOf(model: IJaxprModel): LongWork<VariantComparison> {
  const found = known.get(model) ?? new LongWork<VariantComparison>(model);
  known.set(model, found);
  return found;
}
