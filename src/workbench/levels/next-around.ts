/** Finds the next of some places, from the last around to the first. */

/** The index of the first position after `here` (1), or of the last before `here` (-1), around at the ends. */
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
