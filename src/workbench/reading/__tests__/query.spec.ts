import { nullTranslator } from '@jupyterlab/translation';
import { Text } from '@codemirror/state';
import * as fc from 'fast-check';

import type { LevelName } from '../../../tokens';
import { findMatches } from '../matches';
import { ILineFacts, Query, readQuery, typeSource } from '../query';

const trans = nullTranslator.load('jupyter_jaxpr');

/** Lines of a loop in a cell, with their scopes and the lines of the cell. */
const FACTS: ILineFacts = {
  sourceLine: index => index + 5,
  scopes: index => (index === 0 ? [] : ['rnn', index === 1 ? 'step' : 'layer2'])
};

function read(text: string, regexp = false): Query {
  return readQuery({ text, caseSensitive: false, regexp }, trans);
}

/** The texts that a query finds in lines. */
function found(
  lines: readonly string[],
  text: string,
  level: LevelName = 'jaxpr',
  regexp = false
): string[] {
  const document = Text.of([...lines]);
  const { from, to } = findMatches(document, FACTS, read(text, regexp), level);
  return from.map((start, i) => document.sliceString(start, to[i]));
}

const JAXPR = [
  '{ lambda ; a:f32[8,128] b:bf16[4,8,128]. let',
  'c:f32[8] = reduce_sum[axes=(1,) out_sharding=None] a',
  'd:f32[] = add_any 1.0:f32[] c',
  'e:bool[8,128] f:key<fry>[] = add a 2.0:f32[]'
];

describe('a query', () => {
  it('finds text, as it stands, in any case', () => {
    expect(found(JAXPR, 'ADD')).toEqual(['add', 'add']);
    expect(found(JAXPR, 'let ')).toEqual([]);
    expect(found(JAXPR, '1.0:f32[] c')).toEqual(['1.0:f32[] c']);
    expect(found(JAXPR, '(1,)')).toEqual(['(1,)']);
  });

  it('finds types with wildcards', () => {
    expect(found(JAXPR, 'f32[*,128]')).toEqual(['f32[8,128]']);
    expect(found(JAXPR, 'bf16[...]')).toEqual(['bf16[4,8,128]']);
    expect(found(JAXPR, 'f32[]')).toEqual(['f32[]', 'f32[]', 'f32[]']);
    expect(found(JAXPR, '*[...,128]')).toEqual([
      'f32[8,128]',
      'bf16[4,8,128]',
      'bool[8,128]'
    ]);
    expect(found(JAXPR, '*[4,...,128]')).toEqual(['bf16[4,8,128]']);
  });

  it('finds no type that goes on into another type', () => {
    expect(found(['f32[2,f32[f32[3] f32[4'], 'f32[...]')).toEqual(['f32[3]']);
    const damaged = ['tensor<2xtensor<3xf32>'];
    expect(found(damaged, '*[...]', 'stablehlo')).toEqual(['tensor<3xf32>']);
  });

  it('finds the same types as StableHLO and HLO write them', () => {
    const stablehlo = [
      '%0 = stablehlo.add %a, %b : tensor<8x128xf32>',
      '%1 = stablehlo.compare LT : (tensor<f32>) -> tensor<8xi1>',
      '%2 = x : tensor<4xcomplex<f32>> tensor<2xui32>'
    ];
    expect(found(stablehlo, 'f32[*,128]', 'stablehlo')).toEqual([
      'tensor<8x128xf32>'
    ]);
    expect(found(stablehlo, 'f32[]', 'stablehlo')).toEqual(['tensor<f32>']);
    expect(found(stablehlo, 'bool[*]', 'stablehlo')).toEqual(['tensor<8xi1>']);
    expect(found(stablehlo, 'c64[4]', 'stablehlo')).toEqual([
      'tensor<4xcomplex<f32>>'
    ]);
    expect(found(stablehlo, '*[2]', 'stablehlo')).toEqual(['tensor<2xui32>']);
    const hlo = ['%a = s32[8,128]{1,0} convert(pred[8,128]{1,0} %b)'];
    expect(found(hlo, 'i32[*,128]', 'hlo')).toEqual(['s32[8,128]']);
    expect(found(hlo, 's32[...]', 'hlo')).toEqual(['s32[8,128]']);
    expect(found(hlo, 'bool[8,*]', 'hlo')).toEqual(['pred[8,128]']);
  });

  it('finds primitives by their whole name, in each level by its own', () => {
    expect(found(JAXPR, 'primitive:add')).toEqual(['add']);
    expect(found(JAXPR, 'primitive:add*')).toEqual(['add_any', 'add']);
    const dot = 'primitive:dot_general';
    expect(
      found(['%3 = stablehlo.dot_general %1, %2'], dot, 'stablehlo')
    ).toEqual(['stablehlo.dot_general']);
    expect(
      found(
        ['%d = f32[4]{0} dot(%a, %b), metadata={op_name="dot_general"}'],
        dot,
        'hlo'
      )
    ).toEqual(['dot']);
  });

  // The lines as JAX 0.12 lowers them, and the lines of the same operations in XLA's optimised HLO.
  it.each([
    [
      'cond',
      '%5:2 = "stablehlo.case"(%4) ({',
      '%c = (f32[8]{0}) conditional(%i, %a, %b), branch_computations={%t, %f}',
      ['stablehlo.case', 'conditional']
    ],
    [
      'lt',
      '%0 = stablehlo.compare  LT, %a, %b,  FLOAT : tensor<8xi1>',
      '%l = pred[8]{0} compare(%a, %b), direction=LT',
      ['stablehlo.compare', 'compare']
    ],
    [
      'log1p',
      '%0 = stablehlo.log_plus_one %a : tensor<8xf32>',
      '%l = f32[8]{0} log-plus-one(%a)',
      ['stablehlo.log_plus_one', 'log-plus-one']
    ],
    [
      'round',
      '%0 = stablehlo.round_nearest_even %a : tensor<8xf32>',
      '%r = f32[8]{0} round-nearest-even(%a)',
      ['stablehlo.round_nearest_even', 'round-nearest-even']
    ],
    [
      'scatter-add',
      '%2 = "stablehlo.scatter"(%a, %i, %b) <{',
      '%s = f32[8]{0} scatter(%a, %i, %b), to_apply=%region',
      ['stablehlo.scatter', 'scatter']
    ],
    [
      'psum',
      '%0 = "stablehlo.all_reduce"(%a) <{',
      '%r = f32[4]{0} all-reduce(%a), replica_groups={{0,1}}',
      ['stablehlo.all_reduce', 'all-reduce']
    ]
  ])('finds %s where XLA calls it otherwise', (name, stablehlo, hlo, both) => {
    expect([
      ...found([stablehlo], `primitive:${name}`, 'stablehlo'),
      ...found([hlo], `primitive:${name}`, 'hlo')
    ]).toEqual(both);
  });

  it('finds lines of the cell and scopes, alone or with other words', () => {
    expect(found(JAXPR, 'line:7')).toEqual([JAXPR[2]]);
    expect(found(JAXPR, 'line:6-8')).toEqual(JAXPR.slice(1));
    expect(found(JAXPR, 'scope:STEP')).toEqual([JAXPR[1]]);
    expect(found(JAXPR, 'scope:layer*')).toEqual(JAXPR.slice(2));
    expect(found(JAXPR, 'scope:rnn f32[8] line:6')).toEqual(['f32[8]']);
    expect(found(JAXPR, 'scope:layer2 add')).toEqual(['add', 'add']);
  });

  it('finds regular expressions', () => {
    expect(found(JAXPR, 'add(?!_)', 'jaxpr', true)).toEqual(['add']);
    expect(found(JAXPR, '^[a-z]:f32\\[\\]', 'jaxpr', true)).toEqual([
      'd:f32[]'
    ]);
    expect(found(JAXPR, 'z*', 'jaxpr', true)).toEqual([]);
  });

  it('says in a sentence what is wrong with it', () => {
    const reason = (text: string, regexp = false): string => {
      const query = read(text, regexp);
      return query.kind === 'invalid' ? query.reason : query.kind;
    };
    expect(reason('line:')).toBe(
      'Type a line of the cell after the colon, such as line:7 or line:3-7.'
    );
    expect(reason('line:9-3')).toBe(reason('line:'));
    expect(reason('add scope:')).toBe(
      'Type the name of a scope after the colon, such as scope:step or scope:layer*.'
    );
    expect(reason('primitive:')).toBe(
      'Type the name of a primitive after the colon, such as primitive:dot_general.'
    );
    expect(reason('f32[8,]')).toBe(
      'f32[8,] is not a type. Write each dimension as a number, as * for any size, or as ... for any number of dimensions, such as f32[*,128].'
    );
    expect(reason('a)', true)).toBe(
      "The search text is not a valid regular expression: Unmatched ')'. Correct the expression, or switch .* off to search for text."
    );
    expect(reason('  ')).toBe('nothing');
  });

  it('finds what it is, of any type', () => {
    const dimension = fc.nat(300).map(String);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(dimension, fc.constantFrom('same', '*', 'cut'))),
        fc.array(dimension),
        (dimensions, others) => {
          const shape = dimensions.map(([size]) => size);
          const pattern = dimensions.flatMap(([size, how]) =>
            how === 'same' ? [size] : how === '*' ? ['*'] : ['...']
          );
          const cuts = pattern.filter(one => one === '...').length;
          for (const [level, write] of WRITTEN) {
            const expression = new RegExp(
              `^${typeSource({ kind: 'type', dtype: 'f32', dimensions: pattern }, level)}$`
            );
            expect(expression.test(write(shape))).toBe(true);
            // The type may have another rank only if the query leaves dimensions open with `...`.
            if (cuts === 0 && others.length !== shape.length) {
              expect(expression.test(write(others))).toBe(false);
            }
            expect(
              expression.test(write([...shape, '7']).replace('f32', 'f16'))
            ).toBe(false);
          }
        }
      )
    );
  });

  it('never fails, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string(), fc.boolean(), (text, regexp) => {
        const query = read(text, regexp);
        if (query.kind === 'terms') {
          for (const level of ['jaxpr', 'stablehlo', 'hlo'] as const) {
            const { from, to } = findMatches(
              Text.of(JAXPR),
              FACTS,
              query,
              level
            );
            from.forEach((start, i) => expect(to[i]).toBeGreaterThan(start));
          }
        }
      })
    );
  });
});

const WRITTEN: [LevelName, (shape: readonly string[]) => string][] = [
  ['jaxpr', shape => `f32[${shape.join(',')}]`],
  ['hlo', shape => `f32[${shape.join(',')}]`],
  ['stablehlo', shape => `tensor<${[...shape, 'f32'].join('x')}>`]
];
