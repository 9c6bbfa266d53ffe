import { nullTranslator } from '@jupyterlab/translation';

import { program, snapshot } from '../../../protocol/__tests__/documents';
import { Argument, Program, Snapshot } from '../../../protocol/snapshot';
import { sweepMarkdown, sweepText } from '../copied-times';
import { IInk, plotSpec, shortNumber } from '../plot-spec';
import { choicesOf, growthOf, plotSentence, seriesOf } from '../series';
import { fittingSweep } from '../sweep-call';
import { point, selu, warmTime } from './times';

const trans = nullTranslator.load('jupyter_jaxpr');
const read = (text: string): string => text.replace(/\u00a0/g, ' ');

const argument = (
  name: string,
  type: string,
  changes: Partial<Argument> = {}
): Argument => ({
  name,
  type,
  summary: type,
  static: false,
  donated: false,
  ...changes
});

const called = (...args: Argument[]): Program =>
  program({ name: 'f', arguments: args });

const fitting = (
  of: Program,
  changes: Partial<Snapshot> = {}
): ReturnType<typeof fittingSweep> =>
  fittingSweep(snapshot({ programs: [of], ...changes }), 0);

describe('the form, before anything is typed', () => {
  it.each([
    [
      [argument('x', 'f32[1000000]')],
      'n=1000,10000,100000,1000000',
      'f(jnp.ones(n))'
    ],
    [
      [argument('a', 'f32[2048,2048]'), argument('b', 'f32[2048,16]')],
      'n=32,128,512,2048',
      'f(jnp.ones((n, n)), jnp.ones((n, 16)))'
    ],
    [
      [argument('i', 'i32[12]'), argument('k', '3', { static: true })],
      'n=3,12',
      'f(jnp.ones(n, int), k=3)'
    ]
  ])(
    'has a call like the last one, its largest size free',
    (args, values, call) => {
      expect(fitting(called(...args))).toEqual({
        sweep: values,
        call,
        functions: ''
      });
    }
  );

  it.each([
    ['a tree', [argument('p', '{b: f32[16], w: f32[8,16]}')]],
    ['no size', [argument('x', 'f32[]')]],
    ['a size of one', [argument('x', 'f32[1]')]],
    ['keys', [argument('k', 'key<fry>[8]')]],
    ['no argument', []]
  ])('is empty with %s', (_, args) => {
    expect(fitting(called(...args))).toBeNull();
  });

  it('is empty where the name cannot be called', () => {
    const lambda = program({
      name: '<lambda>',
      arguments: [argument('x', 'f32[64]')]
    });
    expect(fitting(lambda)).toBeNull();
  });

  it('has the sweep that the run was asked for', () => {
    const sweep = selu({ functions: ['selu', 'selu2'] });
    expect(fitting(called(), { sweep })).toEqual({
      sweep: 'n=100,1000000',
      call: 'selu(jnp.ones(n))',
      functions: 'selu, selu2'
    });
  });
});

describe('a sweep in words', () => {
  it('has the sentences of the kernel about the chosen series', () => {
    expect(growthOf(selu(), 'warm')).toEqual([
      'From n = 10,000 on, the warm time of selu scales as n^0.9 ± 0.1.'
    ]);
    expect(growthOf(selu(), 'time')).toHaveLength(2);
    expect(growthOf(selu(), 'bytes')).toEqual([]);
  });

  it('has none in an older document', () => {
    const fits = selu().fits.map(fit => ({ ...fit, sentence: '' }));
    expect(growthOf(selu({ fits }), 'time')).toEqual([]);
  });

  it('stands for the plot', () => {
    const series = seriesOf(selu(), 'time', trans);
    expect(read(plotSentence(selu(), 'time', series, trans))).toBe(
      'Plot of “Time” against n. The series “eager” starts with 71 µs at the value 100 and ends with 4.2 ms at the value 1000000. ' +
        'The series “first call” starts with 46 ms at the value 100 and ends with 33 ms at the value 1000000. The series “warm” starts with 9.0 µs at the value 100 and ends with 0.43 ms at the value 1000000.'
    );
  });

  it('offers what was measured', () => {
    expect(choicesOf(selu(), trans).map(({ choice }) => choice)).toEqual([
      'time',
      'compile',
      'equations',
      'bytes'
    ]);
    const two = selu({
      functions: ['selu', 'g'],
      points: [point({ bytes: null, compile: null })]
    });
    expect(choicesOf(two, trans).map(({ choice }) => choice)).toEqual([
      'time',
      'warm',
      'equations'
    ]);
  });
});

describe('a sweep, copied', () => {
  it('is columns', () => {
    expect(
      sweepText(selu({ stopped: 'Stopped after n=1000000.' }), trans)
    ).toBe(
      `Sweep of selu(jnp.ones(n)) over n

        n   eager  first call     warm  eager / warm   trace   lower  compile  equations   bytes  operations
      100   71 µs       46 ms   9.0 µs          7.9×  3.0 ms  7.0 ms    30 ms          7   800 B      500 op
1,000,000  4.2 ms       33 ms  0.43 ms          9.8×  3.0 ms  7.0 ms    30 ms          7  8.0 MB     5.0 Mop

From n = 10,000 on, the warm time of selu scales as n^0.9 ± 0.1.
The first-call time of selu hardly depends on n.
Stopped after n=1000000.
`
    );
  });

  it('is a Markdown table in which nothing of the user is markup', () => {
    const bare = {
      flops: null,
      bytes: null,
      equations: null,
      trace: null,
      ratio: null
    };
    const sweep = selu({
      name: 'n',
      points: [
        point({ ...bare, eager: null }),
        point({
          ...bare,
          value: 'a|b',
          number: null,
          warm: null,
          eager: warmTime({ median: 1 }),
          first: null,
          lower: null,
          compile: null,
          error: 'TypeError: <b>'
        })
      ],
      fits: [],
      notes: ['*f* was <not> timed.']
    });
    expect(sweepMarkdown(snapshot(), sweep, trans)).toContain(
      'Sweep of `selu(jnp.ones(n))` over `n`\n\n' +
        '| `n` | eager | first call | warm | lower | compile |\n' +
        '| ---: | ---: | ---: | ---: | ---: | ---: |\n' +
        '| `100` | unknown | 46 ms | 9.0 µs | 7.0 ms | 30 ms |\n' +
        '| `a\\|b` | 1.0 s |  |  |  |  |\n\n' +
        '- `a\\|b` `the call raised TypeError: <b>`\n\n' +
        '- \\*f\\* was \\<not> timed.\n\n'
    );
  });
});

const INK: IInk = {
  text: '#000',
  second: '#666',
  grid: '#ddd',
  ground: '#fff',
  eager: '#5f6d7a',
  first: '#b5440b',
  warm: '#111',
  font: 'sans-serif',
  fontSize: 11
};

/** The parts of a Vega-Lite specification that the tests check. */
interface ISpec {
  data: { values: { y: number; lower: number }[] };
  layer: {
    data?: { values: { label: string; y: number }[] };
    mark: { type: string };
    encoding: {
      x: { type: string; scale: { type: string; domain: number[] } };
      y: { scale: { type: string; domain: number[] } };
      shape?: { scale: { range: string[] } };
      strokeDash?: { scale: { range: number[][] } };
    };
  }[];
}

function spec(sweep = selu(), choice: 'time' | 'equations' = 'time'): ISpec {
  return JSON.parse(
    JSON.stringify(
      plotSpec(seriesOf(sweep, choice, trans), {
        name: sweep.name,
        choice,
        width: 600,
        ink: INK,
        words: { series: 'series', shown: 'measured' }
      })
    )
  );
}

describe('the plot', () => {
  it('has three series that differ in marker and dash, named at their end', () => {
    const [line, , marks, ends] = spec().layer;
    expect(line.encoding.strokeDash?.scale.range).toEqual([
      [4, 3],
      [1, 3],
      [1, 0]
    ]);
    expect(marks.encoding.shape?.scale.range).toEqual([
      'square',
      'diamond',
      'circle'
    ]);
    expect(ends.data?.values.map(({ label }) => label)).toEqual([
      'first call',
      'eager',
      'warm'
    ]);
  });

  it('is logarithmic on both axes, with all of it in view', () => {
    const { x, y } = spec().layer[0].encoding;
    expect([x.scale.type, y.scale.type]).toEqual(['log', 'log']);
    expect(x.scale.domain[0]).toBeLessThan(100);
    expect(x.scale.domain[1]).toBeGreaterThan(1e6);
    expect(y.scale.domain[0]).toBeLessThan(8.8e-6);
    expect(y.scale.domain[1]).toBeGreaterThan(0.046);
  });

  it('keeps the labels of lines that end together apart', () => {
    const same = selu({
      functions: ['a', 'b', 'c', 'd'],
      points: ['a', 'b', 'c', 'd'].map(name => point({ function: name }))
    });
    const ends = spec(same, 'equations').layer[3].data?.values ?? [];
    const [low, high] = spec(same, 'equations').layer[0].encoding.y.scale
      .domain;
    const pixels = ends.map(
      ({ y }) => (166 * Math.log(high / y)) / Math.log(high / low)
    );
    expect(pixels).toHaveLength(4);
    for (let at = 1; at < 4; at++) {
      expect(pixels[at] - pixels[at - 1]).toBeGreaterThanOrEqual(13.9);
    }
  });

  it('of values that are no numbers has them in their order', () => {
    const words = selu({
      points: [
        point({ value: 'small', number: null }),
        point({ value: 'large', number: null })
      ]
    });
    expect(spec(words).layer[0].encoding.x.type).toBe('ordinal');
  });

  it('of values that have no logarithm has an even axis, and leaves out what took no time', () => {
    const zero = selu({
      points: [point({ value: '0', number: 0, first: 0 }), point()]
    });
    const made = spec(zero);
    expect(made.layer[0].encoding.x.scale.type).toBe('linear');
    expect(made.data.values).toHaveLength(5);
  });

  it.each([
    [64, '64'],
    [1000, '1,000'],
    [2048, '2,048'],
    [10_000, '10 k'],
    [15_625, '15,625'],
    [1_000_000, '1 M'],
    [2_500_000, '2.5 M']
  ])('writes %d as %s', (value, words) => {
    expect(read(shortNumber(value))).toBe(words);
  });
});
