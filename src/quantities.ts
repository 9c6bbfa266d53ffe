/**
 * Formats times and counts as the panel shows them.
 *
 * The same words as jupyter_jaxpr/quantities.py: two figures below 100 and whole units above, and a
 * space before the unit that does not break.
 */

const NO_BREAK = '\u00a0';

// Below this many seconds, a time is printed in microseconds; 0.095 ms is the shortest time that reads well in
// milliseconds.
const MILLISECONDS_FROM = 0.095e-3;
// From here on, a time would round to 1000 ms, and is printed as 1.0 s.
const SECONDS_FROM = 0.9995;

/** A time in seconds: `23 µs`, `0.15 ms`, `142 ms`, `1.3 s`, `41 s`. */
export function duration(seconds: number): string {
  if (seconds < MILLISECONDS_FROM) {
    return `${twoFigures(seconds * 1e6)}${NO_BREAK}µs`;
  }
  if (seconds < SECONDS_FROM) {
    return `${twoFigures(seconds * 1e3)}${NO_BREAK}ms`;
  }
  return `${twoFigures(seconds)}${NO_BREAK}s`;
}

/** The duration of something that still runs, in whole seconds: `41 s`, `12 min 5 s`, `2 h 3 min`. */
export function elapsed(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) {
    return `${whole}${NO_BREAK}s`;
  }
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) {
    return `${minutes}${NO_BREAK}min ${whole % 60}${NO_BREAK}s`;
  }
  return `${Math.floor(minutes / 60)}${NO_BREAK}h ${minutes % 60}${NO_BREAK}min`;
}

/** An integer with separated thousands: `11,202`. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

function twoFigures(value: number): string {
  if (value < 0.095) {
    return String(Number(value.toPrecision(2)));
  }
  if (value < 0.995) {
    return value.toFixed(2);
  }
  if (value < 9.95) {
    return value.toFixed(1);
  }
  return grouped(value);
}

/** A number of operations on numbers of any type: `143 op`, `51.2 kop`. */
export function operations(value: number): string {
  return scaled(value, 'op');
}

/** A size in bytes, decimal: `143 B`, `5.1 kB`, `420 MB`. */
export function size(bytes: number): string {
  return scaled(bytes, 'B');
}

/** A rounded count without a unit: `468`, `1.6 k`, `1.2 M`. */
export function shortCount(value: number): string {
  return scaled(value, '').trimEnd();
}

/** A factor, with two figures below 100: `0.85`, `7.8`, `19`, `140`. */
export function factor(value: number): string {
  return twoFigures(value);
}

function scaled(value: number, unit: string): string {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let place = 0;
  // A value that would round to 1000 takes the next prefix.
  while (value >= 999.5 && place < prefixes.length - 1) {
    value /= 1000;
    place++;
  }
  const figures =
    place === 0 || value >= 99.95 ? grouped(value) : value.toFixed(1);
  return `${figures}${NO_BREAK}${prefixes[place]}${unit}`;
}

/** The two ends of a range of quantities; if both have the same unit, it is printed once: `5.2` and `6.9 ms`. */
export function ends(low: string, high: string): [string, string] {
  const [number, unit] = low.split(NO_BREAK);
  const isOnce = number === '0' || high.endsWith(`${NO_BREAK}${unit}`);
  return [isOnce ? number : low, high];
}

/** The time of day of a moment, `02:34`; for another day than today, with the date. */
export function clock(moment: Date, now: Date = new Date()): string {
  const time = `${twoDigits(moment.getHours())}:${twoDigits(moment.getMinutes())}`;
  if (moment.toDateString() === now.toDateString()) {
    return time;
  }
  const date = [
    moment.getFullYear(),
    twoDigits(moment.getMonth() + 1),
    twoDigits(moment.getDate())
  ].join('-');
  return `${date} ${time}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
