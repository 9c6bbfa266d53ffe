import * as fc from 'fast-check';

import { hlo } from '../shortened-hlo-lines';
import { ILineLanguage } from '../line';
import { stablehlo } from '../shortened-stablehlo-lines';

/** Prints a line with its marks: types in « », operations in * *, keywords in _ _, chips in ‹ ›. */
function shown(language: ILineLanguage, line: string): string {
  const { tokens, chips } = language.read(line);
  const edits: { from: number; to: number; text: string }[] = [];
  const hidden = chips.flatMap(({ from, to, label, also }) => [
    { from, to, text: label === '' ? '' : `‹${label}›` },
    ...(also ?? []).map(([start, end]) => ({ from: start, to: end, text: '' }))
  ]);
  edits.push(...hidden);
  const marks = { type: '«»', operation: '**', keyword: '__', comment: '##' };
  for (const { from, to, kind } of tokens) {
    if (!hidden.some(edit => edit.from < to && from < edit.to)) {
      const [open, close] = marks[kind];
      edits.push({ from, to, text: open + line.slice(from, to) + close });
    }
  }
  let result = line;
  for (const { from, to, text } of edits.sort((a, b) => b.from - a.from)) {
    result = result.slice(0, from) + text + result.slice(to);
  }
  return result;
}

describe('StableHLO', () => {
  it.each([
    [
      '%2 = stablehlo.add %0, %1 : tensor<16xf32>',
      '%2 = *stablehlo.add* %0, %1 : «tensor<16xf32>»'
    ],
    [
      '%0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8xf32>, tensor<8x16xf32>) -> tensor<16xf32>',
      '%0 = *stablehlo.dot_general* %arg4, %arg0‹…› : «tensor<16xf32>»'
    ],
    [
      '%0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>',
      '%0 = *stablehlo.broadcast_in_dim* %cst, dims = [] : ‹…› «tensor<16xf32>»'
    ],
    [
      '%cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>',
      '%cst = *stablehlo.constant* dense<0.000000e+00> : «tensor<f32>»'
    ],
    [
      'module @jit_rnn attributes {mhlo.num_partitions = 1 : i32} {',
      '_module_ @jit_rnn ‹…› {'
    ],
    [
      'func.func public @main(%arg0: tensor<16xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}) {',
      '_func.func public_ @main(%arg0: «tensor<16xf32>») -> («tensor<4xf32>» ‹…›) {'
    ],
    [
      'return %13, %2#6 : tensor<4xf32>',
      '_return_ %13, %2#6 : «tensor<4xf32>»'
    ],
    ['} do {', '_} do_ {'],
    [
      '%4 = stablehlo.tanh %3 : tensor<16xf32> loc(#loc12)',
      '%4 = *stablehlo.tanh* %3 : «tensor<16xf32>»‹loc›'
    ]
  ])('%s', (line, expected) => {
    expect(shown(stablehlo, line)).toBe(expected);
  });
});

describe('HLO', () => {
  it.each([
    [
      'ROOT %add.7 = s32[] add(%param_0.18, %param_1.16), metadata={op_name="jit(rnn)/while/body/add" stack_frame_id=10}',
      '_ROOT_ %add.7 = «s32[]» *add*(%param_0.18, %param_1.16)‹…›'
    ],
    [
      '%wrapped_add = s32[] fusion(%copy.4, %constant.10), kind=kLoop, calls=%wrapped_add_computation',
      '%wrapped_add = «s32[]» *fusion*(%copy.4, %constant.10)‹…›'
    ],
    ['%p = f32[16,16]{1,0} parameter(1)', '%p = «f32[16,16]» *parameter*(1)'],
    [
      '%dot.1 = f32[1,16]{1,0} dot(%a, %b), lhs_contracting_dims={0}, rhs_contracting_dims={0}',
      '%dot.1 = «f32[1,16]» *dot*(%a, %b)‹…›'
    ],
    [
      'HloModule jit_rnn, is_scheduled=true, entry_computation_layout={(f32[16]{0})->f32[4]{0}}',
      '_HloModule_ jit_rnn‹…›'
    ],
    [
      'ENTRY %main.8 (xs.1: f32[100,8]) -> (f32[4], f32[100,16]) {',
      '_ENTRY_ %main.8‹…› {'
    ],
    [
      '%tuple = (s32[], f32[16]{0}, f32[100,16]{1,0}, /*index=3*/f32[100,8]{1,0}, f32[8,16]{1,0}) tuple(%a, %b)',
      '%tuple = ‹(5)› *tuple*(%a, %b)'
    ],
    ['add.1 = f32[2]{0} add(x, y)', 'add.1 = «f32[2]» *add*(x, y)']
  ])('%s', (line, expected) => {
    expect(shown(hlo, line)).toBe(expected);
  });
});

describe('any line', () => {
  const pieces = fc.constantFrom(
    '%0',
    ' = ',
    'stablehlo.add',
    '(',
    ')',
    '{',
    '}',
    '<',
    '>',
    '->',
    ' : ',
    ', ',
    '"',
    '\\',
    'tensor<2xf32>',
    'f32[2]{0}',
    'metadata={op_name="x"}',
    'ENTRY ',
    'module @m attributes {',
    'é𝒳'
  );
  it.each([stablehlo, hlo])('is read without harm as $name', language => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 24 }), parts => {
        const line = parts.join('');
        const { tokens, chips } = language.read(line);
        let end = 0;
        for (const { from, to } of tokens) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          end = to;
        }
        expect(end).toBeLessThanOrEqual(line.length);
        end = 0;
        for (const { from, to, also } of chips) {
          expect(from).toBeGreaterThanOrEqual(end);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(line.length);
          end = to;
          for (const [start, stop] of also ?? []) {
            expect(start).toBeLessThan(stop);
            expect(stop <= from || start >= to).toBe(true);
          }
        }
      }),
      { numRuns: 500 }
    );
  });
});
