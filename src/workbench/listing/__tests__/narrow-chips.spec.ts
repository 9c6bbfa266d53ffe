import { narrowChips } from '../narrow-chips';
import { hidesText } from '../binder-chips';
import type { IListedLine } from '../listing';

/** Makes the line of a loop with `count` results and as many operands. */
function loop(
  count: number,
  tags: IListedLine['tags'] = []
): {
  text: string;
  line: IListedLine;
} {
  let text = '';
  const list = (member: (i: number) => string): IListedLine['lists'] => {
    const starts: number[] = [];
    for (let i = 0; i < count; i++) {
      text += i > 0 ? ' ' : '';
      starts.push(text.length);
      text += member(i);
    }
    return [{ starts, to: text.length }];
  };
  const results = list(i => `r${i}:f32[8]`) ?? [];
  text += ' = scan ';
  const operands = list(i => `x${i}`) ?? [];
  const lists = [...results, ...operands];
  return {
    text,
    line: {
      kind: 'equation',
      number: '1',
      depth: 0,
      badge: null,
      parts: [],
      chips: lists
        .filter(({ starts }) => starts.length > 13)
        .map(({ starts, to }) => ({
          from: starts[12],
          to,
          label: `+${count - 12}`
        })),
      lists,
      button: null,
      reference: null,
      tags
    }
  };
}

/** The text as the line shows it, with the chips in brackets. */
function shown(
  { text, line }: ReturnType<typeof loop>,
  columns: number | null
): string {
  let end = 0;
  let words = '';
  for (const { from, to, label } of narrowChips(
    line,
    text.length,
    columns === null
      ? null
      : { first: columns + 3, further: columns, isNarrow: true }
  )) {
    words += `${text.slice(end, from)}[${label}]`;
    end = to;
  }
  return words + text.slice(end);
}

describe('the lists of an equation', () => {
  it('are whole where they fit', () => {
    const five = loop(5);
    expect(shown(five, 60)).toBe(five.text);
    expect(shown(five, null)).toBe(five.text);
  });

  it('show fewer members in a narrow line', () => {
    expect(shown(loop(5), 34)).toBe(
      'r0:f32[8] r1:f32[8] r2:f32[8] [+2] = scan x0 x1 x2 [+2]'
    );
    expect(shown(loop(24), 60)).toBe(
      'r0:f32[8] r1:f32[8] r2:f32[8] r3:f32[8] r4:f32[8] r5:f32[8] r6:f32[8] [+17] = scan x0 x1 x2 x3 x4 x5 x6 [+17]'
    );
  });

  it('keep two members, however narrow the line is', () => {
    expect(shown(loop(24), 9)).toBe(
      'r0:f32[8] r1:f32[8] [+22] = scan x0 x1 [+22]'
    );
  });

  it('have twelve members where there is room for them', () => {
    expect(shown(loop(24), 200)).toContain('r11:f32[8] [+12] = scan');
  });

  it('leave room for the names of the results', () => {
    const results = loop(24).line.lists?.[0].starts ?? [];
    const tags = results.map(at => ({
      at: at + 9,
      text: "ws['w']",
      title: '',
      kind: 'name' as const
    }));
    expect(shown(loop(24, tags), 60)).toBe(
      'r0:f32[8] r1:f32[8] r2:f32[8] r3:f32[8] [+20] = scan x0 x1 x2 x3 [+20]'
    );
  });
});

/** The line `bf:f32[8] = reduce_sum[axes=(0, 1) out_sharding=None] be 0.8999999761581421:f32[]`. */
function reduction(): ReturnType<typeof loop> {
  const [before, parameters, decimal] = [
    'bf:f32[8] = reduce_sum',
    '[axes=(0, 1) out_sharding=None]',
    '0.8999999761581421'
  ];
  const text = `${before}${parameters} be ${decimal}:f32[]`;
  const { line } = loop(0);
  const place = (part: string): { from: number; to: number } => ({
    from: text.indexOf(part),
    to: text.indexOf(part) + part.length
  });
  return {
    text,
    line: {
      ...line,
      lists: [],
      chips: [{ ...place(parameters), label: 'axes=(0, 1) …', short: '…' }],
      decimals: [{ ...place(decimal), label: '0.9' }]
    }
  };
}

describe('an equation in a narrow line', () => {
  it('is shown with its decimals and its parameters where they fit', () => {
    expect(shown(reduction(), 80)).toBe(
      'bf:f32[8] = reduce_sum[axes=(0, 1) …] be 0.8999999761581421:f32[]'
    );
  });

  it('first has shorter decimals, then no parameters, to stay on its line', () => {
    expect(shown(reduction(), 50)).toBe(
      'bf:f32[8] = reduce_sum[axes=(0, 1) …] be [0.9]:f32[]'
    );
    expect(shown(reduction(), 40)).toBe(
      'bf:f32[8] = reduce_sum[…] be [0.9]:f32[]'
    );
  });

  it('keeps the parameters where it takes two lines anyway', () => {
    expect(shown(reduction(), 30)).toBe(
      'bf:f32[8] = reduce_sum[axes=(0, 1) …] be [0.9]:f32[]'
    );
  });

  it('may hide a decimal, which the search has to know', () => {
    const { line, text } = reduction();
    expect(hidesText(line, text.indexOf('99999'))).toBe(true);
    expect(hidesText(line, text.indexOf('bf'))).toBe(false);
  });
});
