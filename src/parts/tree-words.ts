/** Describes the arrays behind one name: `p: 24 arrays, 1.2 M`. */
import { TranslationBundle } from '@jupyterlab/translation';

import { shortCount } from '../quantities';

/** The arrays for which one name of the user's code stands. */
export interface ITree {
  /** The name, such as `p`; empty if the words do not begin with a name. */
  name: string;
  arrays: number;
  /** The number of elements of all arrays; null if a shape is unknown. */
  numbers: number | null;
}

export function treeWords(tree: ITree, trans: TranslationBundle): string {
  const { name, arrays } = tree;
  // In a plural text, %1 is the plain number.
  const words =
    tree.numbers === null
      ? trans._n('%1 array', '%1 arrays', arrays)
      : trans._n(
          '%1 array, %2',
          '%1 arrays, %2',
          arrays,
          shortCount(tree.numbers)
        );
  return name === '' ? words : trans.__('%1: %2', name, words);
}

/** Returns the number of elements of an array with this shape; null if an axis is symbolic. */
export function numbersIn(shape: readonly (number | string)[]): number | null {
  return shape.reduce<number | null>(
    (product, axis) =>
      product === null || typeof axis !== 'number' ? null : product * axis,
    1
  );
}

/** The name at the start of a path such as `p['w']` or `state.params`. */
export function rootOf(path: string): string {
  return /^[^.[]{0,200}/.exec(path)?.[0] ?? '';
}
