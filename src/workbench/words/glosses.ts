/**
 * The name of a primitive comes in; what it does goes out, in a few words of our own, with its operands and the
 * public function whose documentation tells more.
 *
 * The three tables are held against the primitives of both JAX lines by tests/test_glosses.py.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { arrayGlosses } from './glosses-arrays';
import { elementwiseGlosses } from './glosses-elementwise';
import { programGlosses } from './glosses-programs';

/** What it does; the public function of `jax`, null where there is none; its operands, in order. */
export type Gloss = readonly [
  words: string,
  documented: string | null,
  operands: string
];

export type Glosses = Readonly<Record<string, Gloss>>;

const DOCUMENTATION = 'https://docs.jax.dev/en/latest/_autosummary/jax.';

/** What is known of a primitive; null for one that is not JAX's own. */
export function glossOf(
  primitive: string,
  trans: TranslationBundle
): Gloss | null {
  let glosses = made.get(trans);
  if (!glosses) {
    glosses = new Map(
      [elementwiseGlosses, arrayGlosses, programGlosses].flatMap(table =>
        Object.entries(table(trans))
      )
    );
    made.set(trans, glosses);
  }
  return glosses.get(primitive) ?? null;
}

/** What a primitive does; null for one that is not JAX's own. */
export function gloss(
  primitive: string,
  trans: TranslationBundle
): string | null {
  return glossOf(primitive, trans)?.[0] ?? null;
}

/** Where a primitive is documented; null where nothing public is. */
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
