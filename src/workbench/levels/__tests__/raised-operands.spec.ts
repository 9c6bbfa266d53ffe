/**
 * Tests the tags on the operands of the call that ended a trace: the tags are in the rows that compute the operands, or
 * that have the operands as inputs.
 */
import { nullTranslator } from '@jupyterlab/translation';

import { linksOf } from '../../../model/links';
import { golden } from '../../../program-text/__tests__/documents';
import { isUnreadable, readSnapshot } from '../../../protocol/document';
import { RaisedCall } from '../../../protocol/snapshot';
import { JaxprListing } from '../jaxpr-listing';

const trans = nullTranslator.load('jupyter_jaxpr');

const raisedIn = (...raised_calls: RaisedCall[]) => ({
  ...golden('selu-0.12'),
  raised_calls
});

function marked(operands: number[]): string[] {
  const links = linksOf(raisedIn({ program: 0, operands }), 0);
  const listing = new JaxprListing(links, trans);
  return listing.rows.rows.flatMap((_, index) => {
    const text = listing.document().line(index + 1).text;
    return (listing.line(index).tags ?? [])
      .filter(({ kind }) => kind === 'raised')
      .map(({ at, text: word }) => `${text.slice(0, at).trim()} ${word}`);
  });
}

describe('the failing operands of a program', () => {
  it('are marked behind their types', () => {
    expect(marked([0, 1])).toEqual([
      '{ lambda ; a:f32[5] failing operand',
      'b:f32[5] failing operand'
    ]);
    expect(marked([])).toEqual([]);
  });

  it.each([
    [{ program: 7, operands: [] }],
    [{ program: 0, operands: [4000] }],
    [{ program: 0, operands: [-1] }]
  ])('are refused where there is no such variable: %j', call => {
    const read = readSnapshot(raisedIn(call));
    expect(isUnreadable(read)).toBe(true);
  });
});
