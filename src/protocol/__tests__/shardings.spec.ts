import {
  array,
  collective,
  layout,
  shardings
} from '../../workbench/shardings/__tests__/spread';
import { isUnreadable, readSnapshot } from '../document';
import { ProgramShardings } from '../snapshot';
import { snapshot } from './documents';

/** The mismatch that the check finds in a document whose shardings have these changes; null if it is accepted. */
function why(changes: Partial<ProgramShardings>): object | null {
  const document = { ...snapshot(), shardings: [shardings(changes)] };
  const read = readSnapshot(document);
  return isUnreadable(read) && read.unreadable === 'broken'
    ? { field: read.field, expected: read.expected }
    : null;
}

describe('shardings', () => {
  it('are read where they are whole, and where parts are unknown', () => {
    expect(why({})).toBeNull();
    expect(why({ collectives: null, bytes: null, sent: null })).toBeNull();
    expect(
      why({
        layouts: [layout({ splits: [], holders: [] })],
        arrays: [array({ shard: null, bytes: null, shape: ['n', 8] })]
      })
    ).toBeNull();
  });

  it.each<[string, Partial<ProgramShardings>, string, string]>([
    ['program', { program: 4 }, 'program', 'an integer from 0 to 0'],
    [
      'layout',
      { arrays: [array({ layout: 2 })] },
      'arrays.layout',
      'an integer from 0 to 1'
    ],
    [
      'shard',
      { arrays: [array({ shard: [2] })] },
      'arrays.shard',
      'as many axes as its array'
    ],
    [
      'holders',
      { layouts: [layout({ holders: [[0]] }), layout()] },
      'layouts.holders',
      '4 entries, one a part'
    ],
    [
      'equation of an array',
      { arrays: [array({ scope: 0, equation: 9 })] },
      'arrays.equation',
      'an integer from 0 to 1'
    ],
    [
      'line',
      { collectives: [collective({ line: -1 })] },
      'collectives.line',
      'an integer from 0 to 9007199254740990'
    ],
    [
      'device of a group',
      { collectives: [collective({ groups: [[0, 99]] })] },
      'collectives.groups',
      'devices of this program'
    ],
    [
      'equation of a cause',
      {
        collectives: [
          collective({
            causes: [
              {
                bytes: 1,
                op_name: '',
                file: '',
                line: 1,
                equations: [[9, 0]]
              }
            ]
          })
        ]
      },
      'collectives.scope',
      'an integer from 0 to 1'
    ],
    ['bytes', { bytes: -1 }, 'bytes', 'a number from 0']
  ])('with a damaged %s are refused', (_, changes, field, expected) => {
    const name = why(changes);
    expect(name).toMatchObject({ expected });
    expect((name as { field: string }).field).toContain(field);
  });
});
