/**
 * Finds the gloss of a primitive, its operands, and the public function that documents it.
 *
 * tests/test_glosses.py holds the table against the primitives of both JAX lines.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { glossTable } from './gloss-table';

/** The words for the value that a primitive computes; its public function of `jax`, or null; its operands, in order. */
export type Gloss = readonly [
  words: string,
  documented: string | null,
  operands: string
];

const DOCUMENTATION = 'https://docs.jax.dev/en/latest/_autosummary/jax.';

/** The entry of a primitive; null for a primitive that the table does not have. */
export function glossOf(
  primitive: string,
  trans: TranslationBundle
): Gloss | null {
  let glosses = made.get(trans);
  if (!glosses) {
    glosses = new Map(Object.entries(glossTable(trans)));
    made.set(trans, glosses);
  }
  return glosses.get(primitive) ?? null;
}

/** The words for the value that a primitive computes; null for a primitive that the table does not have. */
export function gloss(
  primitive: string,
  trans: TranslationBundle
): string | null {
  return glossOf(primitive, trans)?.[0] ?? null;
}

/** The page that documents a primitive; null if no public function of `jax` is the primitive's. */
export function documentationOf(
  primitive: string,
  trans: TranslationBundle
): { name: string; address: string } | null {
  const documented = glossOf(primitive, trans)?.[1] ?? null;
  return documented === null
    ? null
    : {
        name: `jax.${documented}`,
        address: `${DOCUMENTATION}${documented}.html`
      };
}

const made = new WeakMap<TranslationBundle, ReadonlyMap<string, Gloss>>();
