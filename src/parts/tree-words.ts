/** Words the arrays under one name: `p: 24 arrays, 1.2 M`. */
import { TranslationBundle } from '@jupyterlab/translation';

import { shortCount } from '../quantities';

/** Arrays that one name of the user's stands for. */
export interface ITree {
  /** Empty where there is no name. */
  name: string;
  arrays: number;
  /** How many numbers the arrays hold; null where the shape of an array is not known. */
  numbers: number | null;
}

export function treeWords(tree: ITree, trans: TranslationBundle): string {
  const { name, arrays } = tree;
  // In a plural text %1 is the bare number.
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

/** How many numbers an array of these axes holds; null for an axis without a number. */
export function numbersIn(shape: readonly (number | string)[]): number | null {
  return shape.reduce<number | null>(
    (product, axis) =>
      product === null || typeof axis !== 'number' ? null : product * axis,
    1
  );
}

/** The name that a path such as `p['w']` or `state.params` begins with. */
export function rootOf(path: string): string {
  return /^[^.[]{0,200}/.exec(path)?.[0] ?? '';
}
