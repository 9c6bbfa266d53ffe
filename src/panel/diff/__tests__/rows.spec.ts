import { nullTranslator } from '@jupyterlab/translation';

import { diffRow, programDiff } from '../../../protocol/__tests__/diffs';
import { DiffRow, DiffSide, ProgramDiff } from '../../../protocol/snapshot';
import { NOISES, Noise } from '../../../workbench/reading/noise-rules';
import { hiddenRows, hiddenRowsWords } from '../hidden-rows';
import { Item, itemsOf, nextDifference, placeOf } from '../rows';
import { diffText } from '../words';

const trans = nullTranslator.load('jupyter_jaxpr');
const NONE: ReadonlySet<number> = new Set();
const SHOWN = { words: '', wrappers: false };

/** Makes one side of a row with these kinds of noise. */
function side(...noise: Noise[]): DiffSide {
  return { ...(diffRow().after as DiffSide), noise };
}

/** Lists the items that the list of a diff shows while these kinds of noise are hidden. */
function listed(
  diff: ProgramDiff,
  opened: ReadonlySet<number> = NONE,
  ...noises: Noise[]
): Item[] {
  return itemsOf(diff, opened, hiddenRows(diff, new Set(noises)));
}

/** Makes a diff from a letter for each row: = same, + added, c an added conversion. */
function rows(signs: string): DiffRow[] {
  return [...signs].map(sign =>
    sign === '='
      ? diffRow()
      : diffRow({
          sign: 'added',
          before: null,
          after: sign === 'c' ? side('convert') : side()
        })
  );
}

const short = (items: readonly Item[]): string =>
  items
    .map(item =>
      item.kind === 'fold'
        ? `(${item.count}${item.opens ? '' : '!'})`
        : item.row.sign === 'same'
          ? '='
          : '+'
    )
    .join('');

describe('what is listed of a diff', () => {
  it('is what differs, with three equal rows around it', () => {
    const diff = programDiff({ rows: rows('=======+======') });
    expect(short(listed(diff))).toBe('(4)===+===(3)');
  });

  it('leaves a stretch of one or two as it is', () => {
    const diff = programDiff({ rows: rows('+===' + '==' + '===+') });
    expect(short(listed(diff))).toBe('+========+');
  });

  it('is all of a stretch that was opened', () => {
    const diff = programDiff({ rows: rows('=======+======') });
    expect(short(listed(diff, new Set([0, 1, 2, 3])))).toBe('=======+===(3)');
  });

  it('says what the kernel left out, which cannot be opened', () => {
    const [first, ...rest] = rows('===+===');
    const diff = programDiff({
      rows: [{ ...first, skipped: 9_000 }, ...rest],
      skipped: 7
    });
    expect(short(listed(diff))).toBe('(9000!)===+===(7!)');
  });

  it('has no conversions where they are not wanted, and nothing around them', () => {
    const diff = programDiff({ rows: rows('=====c=====') });
    expect(short(listed(diff))).toBe('==' + '===+===' + '==');
    expect(short(listed(diff, NONE, 'convert'))).toBe('(10)');
  });
});

describe('what is hidden of a diff', () => {
  const both = (before: DiffSide | null, after: DiffSide | null): DiffRow =>
    diffRow({
      sign: before === null ? 'added' : after === null ? 'removed' : 'changed',
      before,
      after
    });

  /** Prints, for each row of a diff, `+` if the row is shown and `.` if the row is hidden as noise. */
  function shown(rows: DiffRow[], ...noises: Noise[]): string {
    const hidden = hiddenRows(programDiff({ rows }), new Set(noises));
    return [...hidden].map(bits => (bits === 0 ? '+' : '.')).join('');
  }

  it('is a row whose sides are both of kinds that are switched off', () => {
    const rows = [
      both(side('convert'), side('convert')),
      both(side('convert'), side('broadcast')),
      both(side('convert'), side()),
      both(side(), side('convert')),
      both(null, side('convert')),
      both(side('broadcast'), null),
      both(side('wrapper', 'unused'), side('wrapper'))
    ];
    expect(shown(rows)).toBe('+++++++');
    expect(shown(rows, 'convert')).toBe('.+++.++');
    expect(shown(rows, 'convert', 'broadcast')).toBe('..++..+');
    expect(shown(rows, 'unused')).toBe('+++++++');
    expect(shown(rows, 'wrapper')).toBe('++++++.');
    expect(shown(rows, ...NOISES)).toBe('..++...');
  });

  it('is both places of what moved, or none', () => {
    const places = (from: DiffSide, to: DiffSide): DiffRow[] => [
      diffRow({ sign: 'moved', before: from, after: null, partner: 1 }),
      diffRow({ sign: 'moved', before: null, after: to, partner: 0 })
    ];
    expect(shown(places(side('unused'), side()), 'unused')).toBe('++');
    expect(shown(places(side('unused'), side('unused')), 'unused')).toBe('..');
  });

  /** Returns the sentence about hidden rows while these kinds of noise are hidden. */
  function said(diff: ProgramDiff, ...noises: Noise[]): string {
    const set = new Set(noises);
    return hiddenRowsWords(diff, hiddenRows(diff, set), set, trans);
  }

  it('is counted by kind, and what of it differs is said', () => {
    const diff = programDiff({
      rows: [
        diffRow({ before: side('convert'), after: side('convert') }),
        both(null, side('convert')),
        both(side('broadcast'), null),
        both(side('convert'), side('broadcast')),
        diffRow({
          sign: 'moved',
          before: side('unused'),
          after: null,
          partner: 5
        }),
        diffRow({
          sign: 'moved',
          before: null,
          after: side('unused'),
          partner: 4
        }),
        both(side('wrapper'), side('wrapper')),
        diffRow({
          sign: 'changed',
          what: 'heading',
          before: side('wrapper'),
          after: side('wrapper')
        })
      ]
    });
    expect(said(diff, 'convert')).toBe(
      '2 lines are hidden: 2 converts. 1 difference is hidden. The count above includes this difference.'
    );
    expect(said(diff, 'broadcast')).toBe(
      '1 line is hidden: 1 broadcast. 1 difference is hidden. The count above includes this difference.'
    );
    expect(said(diff, 'unused')).toBe(
      '2 lines are hidden: 1 unused equation. 1 difference is hidden. The count above includes this difference.'
    );
    expect(said(diff, 'wrapper')).toBe(
      '2 lines are hidden: 1 jit wrapper. 2 differences are hidden. The count above includes these differences.'
    );
    expect(said(diff, ...NOISES)).toBe(
      '8 lines are hidden: 2 converts, 2 broadcasts, 1 jit wrapper, 1 unused equation. 6 differences are hidden. The count above includes these differences.'
    );
  });

  it('may be equal on both sides, or nothing at all', () => {
    const row = diffRow({ before: side('unused'), after: side('unused') });
    const diff = programDiff({ rows: [row] });
    expect(said(diff, 'unused', 'convert')).toBe(
      '1 line is hidden: 1 unused equation. The hidden lines are equal in both programs.'
    );
    expect(said(diff, 'wrapper', 'convert')).toBe(
      'No line is hidden. No line matches the filters: Converts, Jit wrappers.'
    );
    expect(said({ ...diff, skipped: 4 }, 'convert')).toBe(
      'No line is hidden. No line matches the filters: Converts. The numbers of hidden lines and differences do not include lines that the kernel left out of the diff.'
    );
  });

  it('leaves a mark where it was, and a place for the keyboard', () => {
    const diff = programDiff({ rows: rows('=c+cc') });
    const all = listed(diff);
    const some = listed(diff, NONE, 'convert');
    expect(some.map(({ index, gap }) => [index, gap])).toEqual([
      [0, false],
      [2, true]
    ]);
    expect(all.map(item => placeOf(some, item))).toEqual([0, 0, 1, 1, 1]);
    expect(placeOf(all, some[1])).toBe(2);
  });

  it('hides nothing of what the kernel left out', () => {
    const [first, second, ...rest] = rows('cc+');
    const diff = programDiff({
      rows: [{ ...first, skipped: 2 }, { ...second, skipped: 3 }, ...rest]
    });
    expect(short(listed(diff, NONE, 'convert'))).toBe('(5!)+');
  });
});

describe('the next difference', () => {
  const items = listed(programDiff({ rows: rows('=++====+=') }));

  it('is the next run of rows that differ, around the ends too', () => {
    expect(nextDifference(items, -1, 1)).toBe(1);
    expect(nextDifference(items, 1, 1)).toBe(7);
    expect(nextDifference(items, 7, 1)).toBe(1);
    expect(nextDifference(items, 7, -1)).toBe(1);
    expect(nextDifference(items, 1, -1)).toBe(7);
  });

  it('is none where nothing differs', () => {
    expect(nextDifference(listed(programDiff()), 0, 1)).toBe(-1);
  });
});

describe('a diff as a text', () => {
  it('has the signs of a unified diff and what differs in words', () => {
    const changed = diffRow({
      sign: 'changed',
      depth: 1,
      before: {
        text: 'c:f32[8] = mul b 2.0:f32[]',
        scope: 1,
        equation: 0,
        line: 4,
        marks: [17, 26]
      },
      after: {
        text: 'd:f32[8] = mul b 3.0:f32[]',
        scope: 1,
        equation: 0,
        line: 4,
        marks: [17, 26]
      },
      changes: [
        {
          kind: 'operand',
          name: '2',
          before: '2.0',
          after: '3.0',
          text: 'operand 2: 2.0 → 3.0'
        }
      ]
    });
    const diff = programDiff({
      changed: 1,
      removed: 1,
      summary: '1 equation was removed. 1 equation was changed.',
      remarks: ['2 equations moved into scan (length 4).'],
      rows: [
        diffRow(),
        changed,
        diffRow({ sign: 'removed', after: null }),
        ...rows('======')
      ]
    });
    const lines = diffText(diff, listed(diff), SHOWN, trans).split('\n');
    expect(lines[0]).toMatch(/^--- f · cell \[2\] · \d\d:\d\d$/);
    expect(lines[1]).toMatch(/^\+\+\+ f · cell \[3\] · \d\d:\d\d$/);
    expect(lines.slice(2)).toEqual([
      '1 equation was removed. 1 equation was changed.',
      '2 equations moved into scan (length 4).',
      '',
      '  b:f32[8] = sin a',
      '-   c:f32[8] = mul b 2.0:f32[]',
      '+   d:f32[8] = mul b 3.0:f32[]',
      '      operand 2: 2.0 → 3.0',
      '- b:f32[8] = sin a',
      '  b:f32[8] = sin a',
      '  b:f32[8] = sin a',
      '  b:f32[8] = sin a',
      '  … 3 equal lines'
    ]);
  });

  it('says what was hidden, and the names outside of a call that is', () => {
    const inner = { ...side(), outside: 'a = p, b = q' };
    const diff = programDiff({
      added: 1,
      summary: '1 equation was added.',
      rows: [
        diffRow({ sign: 'added', before: null, after: side('wrapper') }),
        diffRow({ depth: 1, sign: 'added', before: null, after: inner })
      ]
    });
    const hidden = {
      words: '1 line is hidden: 1 jit wrapper.',
      wrappers: true
    };
    const lines = diffText(
      diff,
      listed(diff, NONE, 'wrapper'),
      hidden,
      trans
    ).split('\n');
    expect(lines.slice(2)).toEqual([
      '1 equation was added.',
      '1 line is hidden: 1 jit wrapper.',
      '',
      '+   b:f32[8] = sin a  (a = p, b = q)'
    ]);
  });
});
