import * as fc from 'fast-check';

import { NO_DOCUMENT } from '../document-sizes';
import { isUnreadable, readSnapshot } from '../document';
import { readReply } from '../messages';
import { snapshot, variant, variantComparison } from './documents';
import { answered } from './replies';

const SIZES = { ...NO_DOCUMENT, programs: 1 };

/** The mismatch that the check finds in a reply whose comparison has these changes; null if the reply is accepted. */
function why(changes: object): { field: string; expected: string } | null {
  const comparison = { ...variantComparison(), ...changes };
  const read = readReply(answered(comparison), 'compare', SIZES);
  return isUnreadable(read) && read.unreadable === 'broken'
    ? { field: read.field, expected: read.expected }
    : null;
}

describe('a comparison of variants', () => {
  it('is read where it is whole, and where a variant raised', () => {
    const raised = variant({
      program: -1,
      equations: null,
      trace: null,
      lower: null,
      compile: null,
      warm: null,
      result: null,
      agrees: 'unknown',
      error: 'TypeError: no'
    });
    expect(why({})).toBeNull();
    expect(why({ variants: [raised] })).toBeNull();
  });

  it.each<[string, object, string, string]>([
    ['call', { call: 1 }, 'call', 'a text'],
    [
      'agreement',
      { variants: [{ ...variant(), agrees: 'perhaps' }] },
      'variants.agrees',
      'same_bits, close, differs, other_types, unknown'
    ],
    [
      'time',
      { variants: [variant({ compile: -1 })] },
      'variants.compile',
      'a number from 0'
    ],
    [
      'warm time',
      { variants: [{ ...variant(), warm: { median: 1 } }] },
      'variants.warm.minimum',
      'a number'
    ],
    ['verdict', { verdict: [1] }, 'verdict', 'a text'],
    ['sentence', { arguments: 1 }, 'arguments', 'a text'],
    [
      'remark',
      { variants: [{ ...variant(), remarks: [1] }] },
      'variants.remarks',
      'a text'
    ]
  ])('is not read with a broken %s', (_, changes, field, expected) => {
    expect(why(changes)).toEqual({ field: `compare.${field}`, expected });
  });

  it('of a document is about programs of it', () => {
    const comparison = variantComparison({
      variants: [variant({ program: 1 })]
    });
    expect(readSnapshot(snapshot({ comparison }))).toMatchObject({
      field: 'comparison.variants.program',
      expected: 'an integer from -1 to 0'
    });
  });

  it('never makes the reader throw', () => {
    const keys = Object.keys(variantComparison());
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.anything(), (key, value) => {
        why({ [key]: value });
      })
    );
  });
});
