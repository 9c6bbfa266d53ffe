/** Words the arrays under one name: `p: 24 arrays, 1.2 M`. */
import { TranslationBundle } from '@jupyterlab/translation';

import { shortCount } from '../quantities';

/** The arrays that one name of the user's code stands for. */
export interface ITree {
  /** The name; empty if there is none. */
  name: string;
  arrays: number;
  /** The number of elements of the arrays; null if the shape of an array is unknown. */
  numbers: number | null;
}

export function treeWords(tree: ITree, trans: TranslationBundle): string {
  const { name, arrays } = tree;
  // In a plural text, %1 is the bare number.
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

/** The number of elements of an array with these axes; null for a symbolic axis. */
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
