/**
 * A model comes in; what XLA's passes did to its programs goes out, and how far the asking is.
 */
import { ProgramPasses } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { LongWork } from './long-work';

const known = new WeakMap<IJaxprModel, LongWork<ProgramPasses>>();

/** The passes of a model's programs: one part for each program of a run; the same object for all views of it. */
export function passesOf(model: IJaxprModel): LongWork<ProgramPasses> {
  const found = known.get(model) ?? new LongWork<ProgramPasses>(model);
  known.set(model, found);
  return found;
}
