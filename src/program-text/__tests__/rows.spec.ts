import * as fc from 'fast-check';

import type { Snapshot } from '../../protocol/snapshot';
import { ProgramEquations } from '../equations';
import { RowPrinter } from '../row-printer';
import type { IRow } from '../row';
import { ProgramRows } from '../rows';
import { SourceSpans, calledAs, operatorAs } from '../source-spans';
import { GOLDEN, anyDocument, golden, goldenPage } from './documents';

function rowsOf(document: Snapshot, index = document.focus): ProgramRows {
  return new ProgramRows(
    new ProgramEquations(document, document.programs[index]),
    new SourceSpans(document)
  );
}

/** A program as the panel shows it: chips in ‹ ›, closed calls on one line. */
function shown(rows: ProgramRows): string[] {
  const printer = new RowPrinter(rows);
  const lines: string[] = [];
  for (let i = 0; i < rows.rows.length; i++) {
    const row = rows.rows[i];
    const call = row.folds?.find(({ kind }) => kind === 'call');
    const number = row.kind === 'equation' && row.number > 0 ? row.number : '';
    if (call) {
      const { inputs, outputs } = printer.call(call);
      const types = outputs.map(({ name, type }) => `${name}:${type}`);
      lines.push(
        `${number} ${'  '.repeat(row.depth)}‹${call.name} · ${call.from} to ${call.to}› ${inputs.join(' ')} → ${types.join(' ')}`
      );
      i = call.last.index;
      continue;
    }
    const { text, chips } = printer.print(row);
    let line = text;
    for (const { from, to, label } of [...chips].reverse()) {
      line = `${line.slice(0, from)}‹${label}›${line.slice(to)}`;
    }
    const elsewhere = row.elsewhere?.[0];
    lines.push(
      `${number} ${'  '.repeat(row.depth)}${line}${elsewhere ? ` as in ${elsewhere.row.number}` : ''}`
    );
  }
  return lines;
}

describe('the rows of a program', () => {
  it('are one an equation, with the loop where it is used and the library call folded', () => {
    expect(shown(rowsOf(golden('rnn-0.12')))).toEqual([
      ' { lambda ; a:f32[16] b:f32[16,16] c:f32[16,4] d:f32[8,16] e:f32[100,8]. let',
      '1   f:f32[16] = broadcast_in_dim 0.0:f32[]',
      '2   g:f32[16] h:f32[100,16] = scan‹length=100 …› d b a f e',
      '     { lambda ; i:f32[8,16] j:f32[16,16] k:f32[16] l:f32[16] m:f32[8]. let',
      '3       n:f32[16] = dot_general‹…› m i',
      '4       o:f32[16] = dot_general‹…› l j',
      '5       p:f32[16] = add n o',
      '6       q:f32[16] = add p k',
      '7       r:f32[16] = tanh q',
      '     in (r, r) }',
      '8   s:f32[4] = dot_general‹…› g c',
      '9   ‹jax.nn.softmax · 9 to 17› s → bb:f32[4]',
      ' in (bb, h) }'
    ]);
  });

  it('show a program that is used twice once, and say where', () => {
    expect(shown(rowsOf(golden('shared-0.12')))).toEqual([
      ' { lambda ; q:f32[4]. let',
      '1   r:f32[4] = jit‹name=g› q',
      '     { lambda ; a:f32[4]. let',
      '2       b:f32[4] = sin a',
      '3       c:f32[4] = mul b 2.0:f32[]',
      '     in (c,) }',
      '4   s:f32[4] = add q 1.0:f32[]',
      '5   t:f32[4] = jit‹name=g› s as in 1',
      '6   u:f32[4] = add r t',
      '7   v:f32[4] = jit‹name=long› q',
      '     { lambda ; d:f32[4]. let',
      ...[...'efhijklmno'].map(
        (name, i, all) =>
          `${i + 8}       ${name}:f32[4] = cos ${i === 0 ? 'd' : all[i - 1]}`
      ),
      '18       p:f32[4] = cos o',
      '     in (p,) }',
      '19   w:f32[4] = add u v',
      ' in (w,) }'
    ]);
  });

  it('say which branch is which', () => {
    const opened = rowsOf(golden('cond-0.12')).rows.filter(
      ({ kind }) => kind === 'open'
    );
    expect(opened.map(({ label }) => label)).toEqual([
      '',
      'branches[0]=',
      'branches[1]='
    ]);
  });

  it.each(GOLDEN)(
    'of %s number every equation once, up to their count',
    name => {
      const document = golden(name);
      document.programs.forEach(({ complete, equations }, index) => {
        if (complete) {
          const numbers = rowsOf(document, index)
            .rows.map(({ number }) => number)
            .filter(number => number > 0);
          expect(numbers).toEqual(
            Array.from({ length: equations }, (_, i) => i + 1)
          );
        }
      });
    }
  );

  it('put a page in the place of the row that stands for it', () => {
    const rows = rowsOf(golden('cut-0.12'));
    const more = rows.rows.find(({ kind }) => kind === 'more') as IRow;
    const before = rows.rows.length;
    expect([more.scope, more.equation, more.number]).toEqual([0, 10, 11]);

    const {
      at,
      removed,
      rows: inserted
    } = rows.insert(more, goldenPage('cut-0.12'));
    const printer = new RowPrinter(rows);
    expect(at).toBe(more.index);
    expect(removed).toBe(2);
    expect(inserted.map(row => printer.text(row))).toEqual([
      'z:f32[3] = sin y',
      'ba:f32[3] = mul z 0.5:f32[]',
      'bb:f32[3] = sin ba',
      'bc:f32[3] = mul bb 0.5:f32[]',
      'bd:f32[3] = sin bc',
      'be:f32[3] = mul bd 0.5:f32[]',
      'bf:f32[3] = sin be',
      'bg:f32[3] = mul bf 0.5:f32[]',
      'bh:f32[3] = sin bg',
      'bi:f32[3] = mul bh 0.5:f32[]',
      '… 43 more equations',
      'in (cm,) }'
    ]);
    expect(rows.rows.length).toBe(before + 10);
    expect(rows.rows.map(({ index }) => index)).toEqual(
      rows.rows.map((_, i) => i)
    );
    expect(rows.rowOf(0, 19)?.number).toBe(20);
  });

  it('take a page with the programs inside of its equations', () => {
    const rows = rowsOf(golden('cut-0.12'));
    const more = rows.rows.find(({ kind }) => kind === 'more') as IRow;
    expect(rows.missing(more)).toBe(53);
    const { parts } = rows.insert(more, goldenPage('cut-0.12.rest'));
    const { program } = rows.equations;
    expect(parts.length).toBeGreaterThan(3);
    expect(rows.rows.filter(({ kind }) => kind === 'more')).toEqual([]);
    expect(
      rows.rows
        .filter(({ kind, number }) => kind === 'equation' && number > 0)
        .map(({ number }) => number)
    ).toEqual(Array.from({ length: program.equations }, (_, i) => i + 1));
    const lines = shown(rows);
    expect(lines.filter(line => line.includes('tanh')).length).toBe(12);
    expect(lines.filter(line => line.includes('(…,)'))).toEqual([]);
  });

  it('are made of any valid document, and their parts are where they say', () => {
    fc.assert(
      fc.property(anyDocument, document => {
        const rows = rowsOf(document);
        const printer = new RowPrinter(rows);
        const numbers: number[] = [];
        for (const row of rows.rows) {
          const { text, parts, chips } = printer.print(row);
          expect(printer.text(row)).toBe(text);
          expect(text).not.toContain('undefined');
          let end = 0;
          for (const { from, to } of parts) {
            expect(from).toBeGreaterThanOrEqual(end);
            expect(to).toBeGreaterThan(from);
            end = to;
          }
          expect(end).toBeLessThanOrEqual(text.length);
          for (const { from, to } of chips) {
            expect(from).toBeLessThan(to);
            expect(to).toBeLessThanOrEqual(text.length);
          }
          for (const { first, last } of row.folds ?? []) {
            expect(first).toBe(row);
            expect(last.index).toBeGreaterThanOrEqual(row.index);
          }
          if (row.number > 0) {
            numbers.push(row.number);
          }
        }
        expect(numbers).toEqual(numbers.map((_, i) => i + 1));
        const opened = rows.rows.filter(({ kind }) => kind === 'open');
        expect(new Set(opened.map(({ scope }) => scope)).size).toBe(
          opened.length
        );
      }),
      { numRuns: 300 }
    );
  });
});

describe('what the user called', () => {
  it.each([
    ['jax.nn.softmax(h @ p["wo"])', 'jax.nn.softmax'],
    ['f(")")(x)', 'f(")")'],
    ['x.at[i].set(3.)', 'x.at[i].set'],
    ['x[i]', 'x[i]'],
    ['(a + b)', '(a + b)'],
    ['0.1 * (a + b)', '0.1 * (a + b)'],
    ['a + jnp.sin(x)', 'a + jnp.sin(x)'],
    ['-f(x)', '-f(x)'],
    ['f(a if b else c)', 'f'],
    ['x ** 2 + some_rather_long_name * another_one', null],
    ['some.rather.long.module.path.of.a.function.call(x)', null]
  ])('%s is named %s', (expression, name) => {
    expect(calledAs(expression)).toBe(name);
  });

  it('is an operator and its operands, on one line and not long', () => {
    expect(operatorAs('a * \n  b')).toBe('a * b');
    expect(operatorAs('x ** 2 + some_rather_long_name * another_one')).toBe(
      'x ** 2 + some_rather_long_name * anothe…'
    );
  });
});
