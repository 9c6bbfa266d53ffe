import { Ledger } from '../snapshot';
import { isUnreadable, readSnapshot } from '../document';
import {
  ledgerEntry,
  ledgerFunction,
  ledgerMiss,
  snapshot,
  snapshotWithLedger
} from './documents';

/** The mismatch that the check finds in a document whose ledger has these changes; null if the document is accepted. */
function why(changes: object): { field: string; expected: string } | null {
  const read = readSnapshot(snapshotWithLedger(changes as Partial<Ledger>));
  return isUnreadable(read) && read.unreadable === 'broken'
    ? { field: read.field, expected: read.expected }
    : null;
}

describe('the ledger of a document', () => {
  it('is read where it is whole, null or absent', () => {
    expect(why({})).toBeNull();
    expect(isUnreadable(readSnapshot(snapshot({ ledger: null })))).toBe(false);
    expect(isUnreadable(readSnapshot(snapshot()))).toBe(false);
  });

  it('points to frames that the document has', () => {
    expect(why({ functions: [ledgerFunction({ definition: 2 })] })).toEqual({
      field: 'ledger.functions.definition',
      expected: 'an integer from -1 to 1'
    });
    const misses = [ledgerMiss({ frame: -2 })];
    expect(why({ functions: [ledgerFunction({ misses })] })).toEqual({
      field: 'ledger.functions.misses.frame',
      expected: 'an integer from -1 to 1'
    });
  });

  it('points to entries that the function has', () => {
    const one = ledgerFunction({
      entries: [ledgerEntry()],
      misses: [ledgerMiss({ entry: 1 })]
    });
    expect(why({ functions: [one] })).toEqual({
      field: 'ledger.functions.misses.entry',
      expected: 'an integer from -1 to 0'
    });
  });

  it.each([
    ['seconds', -1, 'a number from 0'],
    ['seconds', Number.NaN, 'a number'],
    ['cell_seconds', '1 s', 'a number'],
    ['compiles', 1.5, 'an integer from 0 to 9007199254740990'],
    ['library_functions', ['f', 1], 'a text'],
    [
      'library_functions',
      Array(1001).fill('f'),
      'a list of at most 1000 entries'
    ],
    ['calls_note', 3, 'a text'],
    ['lead', 3, 'a text']
  ])('has a sound %s: not %p', (field, value, expected) => {
    expect(why({ [field]: value })).toEqual({
      field: `ledger.${field}`,
      expected
    });
  });

  it('has outcomes and lines that are known', () => {
    const misses = [{ ...ledgerMiss(), outcome: 'guessed' }];
    expect(why({ functions: [{ ...ledgerFunction(), misses }] })).toEqual({
      field: 'ledger.functions.misses.outcome',
      expected:
        'dispatch_only, lowered, compiled, compiled_from_disk, inlined, raised'
    });
    const line = { line: 0, calls: 1, calls_exact: true, hits: 1, compiles: 0 };
    expect(why({ lines: [line] })?.field).toBe('ledger.lines.line');
  });

  it('lists no more misses than a view can walk', () => {
    const misses = Array.from({ length: 1001 }, () => ledgerMiss());
    expect(why({ functions: [ledgerFunction({ misses })] })).toEqual({
      field: 'ledger.functions.misses',
      expected: 'a list of at most 1000 entries'
    });
  });
});
