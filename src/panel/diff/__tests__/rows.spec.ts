import { nullTranslator } from '@jupyterlab/translation';

import { diffRow, programDiff } from '../../../protocol/__tests__/diffs';
import { DiffRow } from '../../../protocol/snapshot';
import { Item, itemsOf, nextDifference } from '../rows';
import { diffText } from '../words';

const trans = nullTranslator.load('jupyter_jaxpr');
const NONE: ReadonlySet<number> = new Set();

/** One letter a row: = same, + added, c a conversion that was added. */
function rows(signs: string): DiffRow[] {
  return [...signs].map(sign =>
    sign === '='
      ? diffRow()
      : diffRow({
          sign: 'added',
          before: null,
          primitive: sign === 'c' ? 'convert_element_type' : 'sin'
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
    expect(short(itemsOf(diff, NONE, false))).toBe('(4)===+===(3)');
  });

  it('leaves a stretch of one or two as it is', () => {
    const diff = programDiff({ rows: rows('+===' + '==' + '===+') });
    expect(short(itemsOf(diff, NONE, false))).toBe('+========+');
  });

  it('is all of a stretch that was opened', () => {
    const diff = programDiff({ rows: rows('=======+======') });
    expect(short(itemsOf(diff, new Set([0]), false))).toBe('=======+===(3)');
  });

  it('says what the kernel left out, which cannot be opened', () => {
    const [first, ...rest] = rows('===+===');
    const diff = programDiff({
      rows: [{ ...first, skipped: 9_000 }, ...rest],
      skipped: 7
    });
    expect(short(itemsOf(diff, NONE, false))).toBe('(9000!)===+===(7!)');
  });

  it('has no conversions where they are not wanted, and nothing around them', () => {
    const diff = programDiff({ rows: rows('=====c=====') });
    expect(short(itemsOf(diff, NONE, false))).toBe('==' + '===+===' + '==');
    expect(short(itemsOf(diff, NONE, true))).toBe('(10)');
  });
});

describe('the next difference', () => {
  const items = itemsOf(programDiff({ rows: rows('=++====+=') }), NONE, false);

  it('is the next run of rows that differ, around the ends too', () => {
    expect(nextDifference(items, -1, 1)).toBe(1);
    expect(nextDifference(items, 1, 1)).toBe(7);
    expect(nextDifference(items, 7, 1)).toBe(1);
    expect(nextDifference(items, 7, -1)).toBe(1);
    expect(nextDifference(items, 1, -1)).toBe(7);
  });

  it('is none where nothing differs', () => {
    expect(nextDifference(itemsOf(programDiff(), NONE, false), 0, 1)).toBe(-1);
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
      changes: [{ kind: 'operand', name: '2', before: '2.0', after: '3.0' }]
    });
    const diff = programDiff({
      changed: 1,
      removed: 1,
      remarks: ['2 equations went into the program of scan (length 4).'],
      rows: [
        diffRow(),
        changed,
        diffRow({ sign: 'removed', after: null }),
        ...rows('======')
      ]
    });
    const lines = diffText(diff, itemsOf(diff, NONE, false), trans).split('\n');
    expect(lines[0]).toMatch(/^--- f · cell \[2\] · \d\d:\d\d$/);
    expect(lines[1]).toMatch(/^\+\+\+ f · cell \[3\] · \d\d:\d\d$/);
    expect(lines.slice(2)).toEqual([
      '1 removed, 1 changed',
      '2 equations went into the program of scan (length 4).',
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
});
