/** Shortens the decimals of literals: Python prints a float32 with the digits of a float64. */

/** A float32 has at most this many significant digits. */
const MOST_DIGITS = 9;
/** A shorter decimal is shown only if it saves at least this many characters. */
const LEAST_GAIN = 4;

/**
 * The shortest decimal that rounds to the same float32: `0.9` for `0.8999999761581421`; null if the decimal saves too
 * few characters, or if the literal is no float32.
 */
export function shorterDecimal(text: string, dtype: string): string | null {
  if (dtype !== 'float32' || text.length <= LEAST_GAIN) {
    return null;
  }
  const value = Number(text);
  if (!Number.isFinite(value) || Math.fround(value) !== value) {
    return null;
  }
  for (let digits = 1; digits <= MOST_DIGITS; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) {
      const label = String(shorter);
      return label.length + LEAST_GAIN <= text.length ? label : null;
    }
  }
  return null;
}
