import * as fc from 'fast-check';

import { NO_DOCUMENT } from '../document-sizes';
import { isUnreadable, readSnapshot } from '../document';
import { readReply } from '../messages';
import { Recording } from '../snapshot';
import { leaf, recording, snapshot } from './documents';
import { answered } from './replies';

/** The mismatch that the check finds in a reply whose recording has these changes; null if the reply is accepted. */
function why(changes: object): { field: string; expected: string } | null {
  const reply = answered({ ...recording(), ...changes });
  const read = readReply(reply, 'steps', NO_DOCUMENT);
  return isUnreadable(read) && read.unreadable === 'broken'
    ? { field: read.field, expected: read.expected }
    : null;
}

const visit = (
  first_point: number,
  points: number,
  trips = points
): object => ({
  first_point,
  points,
  trips,
  outer: [],
  finished: true
});

describe('a recording', () => {
  it('is read where it is whole', () => {
    expect(why({})).toBeNull();
  });

  it('may be of no step at all: what goes in comes out', () => {
    const carry = leaf({ texts: ['0'], numbers: [0] });
    const nothing = { step: [], branch_taken: [], visits: [visit(0, 0)] };
    expect(why({ ...nothing, leaves: [carry] })).toBeNull();
  });

  it('has a carry one value longer for each visit', () => {
    const visits = [visit(0, 2), visit(2, 3)];
    const longer = leaf({
      texts: ['0', '1', '3', '0', '3', '7', '12'],
      numbers: null
    });
    expect(why({ visits, visits_total: 2, leaves: [longer] })).toBeNull();
    expect(why({ visits, visits_total: 2, leaves: [leaf()] })).toEqual({
      field: 'recording.leaves.texts',
      expected: '7 entries'
    });
  });

  it.each<[string, object, string, string]>([
    [
      'a column too short',
      { leaves: [leaf({ numbers: [1] })] },
      'recording.leaves.numbers',
      '6 entries'
    ],
    [
      'a number that JSON cannot hold',
      { leaves: [leaf({ numbers: [0, 1, 3, 6, 10, Number.NaN] })] },
      'recording.leaves.numbers',
      'a number'
    ],
    [
      'counts of NaN for some steps only',
      { leaves: [leaf({ nans: [1] })] },
      'recording.leaves.nans',
      '6 entries'
    ],
    [
      'a role that is not known',
      { leaves: [{ ...leaf(), role: 'ghost' }] },
      'recording.leaves.role',
      'carry, x, y, index, predicate, condition, compared, operand, result'
    ],
    [
      'visits with a gap',
      { visits: [visit(0, 2), visit(3, 2)], visits_total: 2 },
      'recording.visits.first_point',
      'an integer from 2 to 2'
    ],
    [
      'visits that leave points over',
      { visits: [visit(0, 4)] },
      'recording.visits',
      'visits of 5 points in all'
    ],
    [
      'a visit beyond the points',
      { visits: [visit(0, 6)] },
      'recording.visits.points',
      'an integer from 0 to 5'
    ],
    [
      'more points than trips',
      { visits: [visit(0, 5, 4)] },
      'recording.visits.trips',
      'an integer from 5 to 9007199254740990'
    ],
    [
      'more visits than there were',
      { visits_total: 0 },
      'recording.visits_total',
      'an integer from 1 to 9007199254740990'
    ],
    [
      'branches for some steps only',
      { branch_taken: ['True'] },
      'recording.branch_taken',
      '5 entries'
    ],
    [
      'more steps than a view can walk',
      { step: Array(20_001).fill(0) },
      'recording.step',
      'a list of at most 20000 entries'
    ],
    [
      'a time before it began',
      { seconds: -1 },
      'recording.seconds',
      'a number from 0'
    ],
    ['no verdict', { verdict: null }, 'recording.verdict', 'a text']
  ])('is not read with %s', (_, changes, field, expected) => {
    expect(why(changes)).toEqual({ field, expected });
  });

  it('of a document is about a construct of it', () => {
    const read = readSnapshot(
      snapshot({ control_flow: [], recordings: [recording()] })
    );
    expect(read).toMatchObject({
      field: 'recordings.control',
      expected: 'an integer from 0 to -1'
    });
  });

  it('never makes the reader throw', () => {
    const keys = Object.keys(recording()) as (keyof Recording)[];
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.anything(), (key, value) => {
        why({ [key]: value });
      })
    );
  });
});
