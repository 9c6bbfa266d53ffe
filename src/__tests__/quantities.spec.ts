import TABLE from '../../tests/quantities.json';
import {
  clock,
  duration,
  elapsed,
  factor,
  grouped,
  operations,
  size
} from '../quantities';

const plain = (text: string): string => text.replace(/\u00a0/g, ' ');

// tests/test_quantities.py reads the same table (tests/quantities.json) and tests the kernel's functions with it.
describe('the kernel and the panel write the same', () => {
  it.each([
    ['duration', duration],
    ['size', size],
    ['operations', operations]
  ] as const)('%s', (name, write) => {
    const rows = TABLE[name] as [number, string][];
    expect(rows.map(([value]) => [value, plain(write(value))])).toEqual(rows);
  });
});

describe('a time', () => {
  it.each([
    [0, '0 µs'],
    [23e-6, '23 µs'],
    [94e-6, '94 µs'],
    [95e-6, '0.10 ms'],
    [0.15e-3, '0.15 ms'],
    [0.7e-3, '0.70 ms'],
    [0.995e-3, '1.0 ms'],
    [5.4e-3, '5.4 ms'],
    [9.95e-3, '10 ms'],
    [14.2e-3, '14 ms'],
    [142e-3, '142 ms'],
    [0.9994, '999 ms'],
    [0.9996, '1.0 s'],
    [1.34, '1.3 s'],
    [41.2, '41 s'],
    [1234, '1,234 s']
  ])('of %d s reads %s', (seconds, words) => {
    expect(plain(duration(seconds))).toBe(words);
  });

  it('keeps its number and its unit together', () => {
    expect(duration(0.142)).toBe('142\u00a0ms');
  });
});

describe('a time that goes on', () => {
  it.each([
    [0.4, '0 s'],
    [41.9, '41 s'],
    [725, '12 min 5 s'],
    [7380, '2 h 3 min']
  ])('of %d s reads %s', (seconds, words) => {
    expect(plain(elapsed(seconds))).toBe(words);
  });
});

describe('a count', () => {
  it.each([
    [9, '9'],
    [999, '999'],
    [11_202, '11,202'],
    [1_000_000, '1,000,000']
  ])('of %d reads %s', (value, words) => {
    expect(grouped(value)).toBe(words);
  });
});

describe('a size', () => {
  it.each([
    [143, '143 B', '143 op'],
    [5_100, '5.1 kB', '5.1 kop'],
    [999_600, '1.0 MB', '1.0 Mop'],
    [420e6, '420 MB', '420 Mop']
  ])('of %d reads %s', (value, bytes, flops) => {
    expect(plain(size(value))).toBe(bytes);
    expect(plain(operations(value))).toBe(flops);
  });
});

describe('a factor', () => {
  it.each([
    [0.853, '0.85'],
    [7.84, '7.8'],
    [18.6, '19'],
    [1400, '1,400']
  ])('of %d reads %s', (value, words) => {
    expect(factor(value)).toBe(words);
  });
});

describe('a moment', () => {
  const now = new Date(2026, 7, 17, 15, 0);

  it('of today is its time of day', () => {
    expect(clock(new Date(2026, 7, 17, 2, 34), now)).toBe('02:34');
  });

  it('of another day has its date too', () => {
    expect(clock(new Date(2026, 7, 16, 23, 5), now)).toBe('2026-08-16 23:05');
  });
});
