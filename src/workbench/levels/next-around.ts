/** Finds the next of some positions; after the last one, the first. */

/**
 * The index of the first position after `here` (for 1), or of the last position before `here` (for -1), wrapping around
 * at the ends.
 */
export function nextAround(
  positions: readonly number[],
  here: number,
  by: 1 | -1
): number {
  const at =
    by > 0
      ? positions.findIndex(position => position > here)
      : positions.length -
        1 -
        [...positions].reverse().findIndex(position => position < here);
  if (at < 0 || at >= positions.length) {
    return by > 0 ? 0 : positions.length - 1;
  }
  return at;
}
