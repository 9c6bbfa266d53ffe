import { nullTranslator } from '@jupyterlab/translation';

import { HloStructure, calledBy } from '../hlo-structure';
import { referenceOf, tagsOf } from '../text-marks';

const trans = nullTranslator.load('jupyter_jaxpr');

const MODULE = [
  'HloModule jit_f, is_scheduled=true',
  '',
  '%fused (p: f32[8]) -> f32[8] {',
  '%p = f32[8]{0} parameter(0)',
  'ROOT %s = f32[8]{0} sine(%p)',
  '}',
  '',
  '%body (s: f32[8]) -> f32[8] {',
  'ROOT %t = f32[8]{0} fusion(%s), kind=kLoop, calls=%fused',
  '}',
  '',
  'ENTRY %main (x: f32[8]) -> f32[8] {',
  '%x = f32[8]{0} parameter(0)',
  'ROOT %w = f32[8]{0} while(%x), condition=%cond, body=%body, backend_config={"known_trip_count":{"n":"1000"}}',
  '}'
];

function marks(lines: readonly string[] = MODULE) {
  const structure = new HloStructure();
  // The text arrives in two pages.
  structure.add(0, lines.slice(0, 9));
  structure.add(9, lines.slice(9));
  return {
    structure,
    equations: () => ({ count: 1, isExact: true }),
    trans
  };
}

function words(line: string, operation: string, of = marks()): string[] {
  return tagsOf(line, operation, 0, of).map(({ text }) => text);
}

describe('the words beside a line of HLO', () => {
  it('say of what kind a fusion is, and how large', () => {
    expect(words(MODULE[8], 'fusion')).toEqual([
      'kLoop',
      '2 instructions, 1 equation'
    ]);
    const of = (count: number, isExact: boolean) => ({
      ...marks(),
      equations: () => ({ count, isExact })
    });
    expect(words(MODULE[8], 'fusion', of(0, true))).toEqual([
      'kLoop',
      '2 instructions'
    ]);
    // A line that comes from some of the equations of an unrolled loop, but not from all, has no tag with a number of
    // equations.
    const [, some] = tagsOf(MODULE[8], 'fusion', 0, of(3, false));
    expect([some.text, some.title]).toEqual([
      '2 instructions',
      'The called computation has 2 instructions. ' +
        'The instructions come from some of 3 equations at one source position. ' +
        'XLA does not distinguish these equations. Exact links distinguish the equations.'
    ]);
    expect(words('%t = f32[] fusion(%s), calls=%unknown', 'fusion')).toEqual(
      []
    );
  });

  it('say how often a loop runs, where XLA knows it', () => {
    expect(words(MODULE[13], 'while')).toEqual(['× 1,000']);
    expect(words('%w = f32[] while(%x), body=%body', 'while')).toEqual([]);
  });

  it.each([
    'all-reduce',
    'all-gather-start',
    'reduce-scatter',
    'all-to-all',
    'collective-permute-done',
    'stablehlo.all_reduce',
    '"stablehlo.all_gather"'
  ])('mark %s', operation => {
    expect(words('', operation)).toEqual(['collective']);
  });

  it('mark what is in a library, by its name', () => {
    expect(
      words(
        '%c = f32[] custom-call(%x), custom_call_target="__onednn$matmul"',
        'custom-call'
      )
    ).toEqual(['custom call: __onednn$matmul']);
    expect(
      words('stablehlo.custom_call @Sharding(%0)', 'stablehlo.custom_call')
    ).toEqual(['custom call: Sharding']);
    expect(words('custom-call(%x)', 'custom-call')).toEqual(['custom call']);
  });

  it.each([
    ['xla_ffi_python_cpu_callback', 'The program calls a Python function here'],
    ['xla_python_gpu_callback', 'The program calls a Python function here'],
    ['Sharding', 'The program calls nothing here.'],
    ['SPMDFullToShardShape', 'The program calls nothing here.'],
    ['xla.sdy.FuncResultSharding', 'The program calls nothing here.'],
    ['lapack_sgetrf_ffi', 'code of a library or of the backend'],
    ['TopK', 'code of a library or of the backend']
  ])('say of a call of %s what is behind it', (target, said) => {
    const line = `%c = f32[] custom-call(%x), custom_call_target="${target}"`;
    const [{ title }] = tagsOf(line, 'custom-call', 0, marks());
    expect(title).toContain(said);
  });

  it('say nothing of the rest', () => {
    expect(words(MODULE[4], 'sine')).toEqual([]);
  });
});

describe('where a line of HLO leads', () => {
  const to = (line: number): [string, number] | null => {
    const found = referenceOf(MODULE[line], marks());
    return found && [found.text, found.line];
  };

  it('goes from the module to its entry', () => {
    expect(to(0)).toEqual(['→ entry', 11]);
    expect(referenceOf('HloModule m', marks(['%f (a: f32[]) {']))).toBeNull();
  });

  it('goes from a call to what is called, and back', () => {
    expect(to(8)).toEqual(['→ fused', 2]);
    expect(to(2)).toEqual(['← caller', 8]);
    expect(to(13)).toEqual(['→ body', 7]);
    expect(to(7)).toEqual(['← caller', 13]);
  });

  it('goes nowhere from the entry, and from what calls nothing', () => {
    expect(to(11)).toBeNull();
    expect(to(4)).toBeNull();
    expect(to(1)).toBeNull();
  });
});

describe('what an instruction calls', () => {
  it('is read from its attributes, a body first, its metadata left out', () => {
    expect(calledBy(MODULE[13])).toEqual(['body', 'cond']);
    expect(
      calledBy(
        '%c = f32[] conditional(%i), branch_computations={%one, %two}, metadata={op_name="calls=%no"}'
      )
    ).toEqual(['one', 'two']);
    expect(calledBy('%r = f32[] reduce(%x), to_apply=%add.1')).toEqual([
      'add.1'
    ]);
  });
});
