import { diffRow, programDiff } from './diffs';
import { answered } from './replies';
import { NO_DOCUMENT } from '../document-sizes';
import { isUnreadable } from '../document';
import { readReply } from '../messages';

/** The mismatch that the check finds in a reply whose diff has these changes; null if the reply is accepted. */
function why(changes: object): { field: string; expected: string } | null {
  const diff = { ...programDiff(), ...changes };
  const read = readReply(answered(diff), 'diff', NO_DOCUMENT);
  return isUnreadable(read) && read.unreadable === 'broken'
    ? { field: read.field, expected: read.expected }
    : null;
}

const side = (marks: number[]): object => ({
  text: 'sin',
  scope: 0,
  equation: 0,
  line: 0,
  marks
});

describe('a diff', () => {
  it('is read where it is whole', () => {
    expect(why({})).toBeNull();
    expect(why({ rows: [], remarks: ['one'] })).toBeNull();
    expect(
      why({ rows: [diffRow({ sign: 'removed', after: null })] })
    ).toBeNull();
  });

  it.each<[string, object, string, string]>([
    ['level', { level: 'llvm' }, 'diff.level', 'jaxpr, stablehlo, hlo'],
    ['counts', { added: -1 }, 'diff.added', 'an integer from 0'],
    ['side', { before: null }, 'diff.before', 'an object'],
    [
      'sign',
      { rows: [{ ...diffRow(), sign: '?' }] },
      'diff.rows.sign',
      'same, added, removed, changed, moved'
    ],
    [
      'a row of nothing',
      { rows: [diffRow({ before: null, after: null })] },
      'diff.rows',
      'a row with one side or both'
    ],
    [
      'partner',
      { rows: [diffRow({ partner: 1 })] },
      'diff.rows.partner',
      'an integer'
    ],
    [
      'marks beyond the text',
      { rows: [{ ...diffRow(), after: side([0, 4]) }] },
      'diff.rows.after.marks',
      'an integer'
    ],
    [
      'marks that fall',
      { rows: [{ ...diffRow(), after: side([2, 1]) }] },
      'diff.rows.after.marks',
      'rising pairs'
    ],
    [
      'noise of no kind',
      { rows: [{ ...diffRow(), after: { ...side([]), noise: ['copy'] } }] },
      'diff.rows.after.noise',
      'convert, broadcast, wrapper, unused'
    ]
  ])('is refused for its %s', (_, changes, field, expected) => {
    const said = why(changes);
    expect(said?.field).toBe(field);
    expect(said?.expected).toContain(expected);
  });
});
