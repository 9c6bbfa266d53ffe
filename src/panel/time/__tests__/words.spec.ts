import { nullTranslator } from '@jupyterlab/translation';

import { program } from '../../../protocol/__tests__/documents';
import { Program, Stages } from '../../../protocol/snapshot';
import { plain, stretches } from '../../../parts/stretches';
import {
  dispatchWords,
  lead,
  middleHalf,
  ratioWords,
  runsWords
} from '../words';
import { timing, warmTime } from './times';

const trans = nullTranslator.load('jupyter_jaxpr');

const read = (text: string): string =>
  plain(stretches(text)).replace(/\u00a0/g, ' ');

/** A program whose first call took so long. */
const first = (changes: Partial<Stages> = {}): Program =>
  program({
    stages: {
      trace: 0.0028,
      lower: 0.007,
      compile: 0.0247,
      from_disk: false,
      first_run: 0.0041,
      rest: 0.001,
      total: 0.0396,
      ...changes
    }
  });

describe('the one sentence', () => {
  it('is about a warm call, the first one, and when that is paid for', () => {
    const text = lead(first(), timing(), trans);
    expect(read(text)).toBe(
      'A warm call takes 0.36 ms. The first call took 40 ms. The first call pays for itself after 7 calls.'
    );
    expect(
      stretches(text)
        .filter(part => part.bold)
        .map(part => read(part.text))
    ).toEqual(['0.36 ms', '40 ms', '7']);
  });

  it.each([
    [1, 'The first call took 40 ms. The first call pays for itself at once.'],
    [
      null,
      'The first call took 40 ms. The first call does not pay for itself: without jit a call is not slower.'
    ]
  ])('says what else there is to say of %s calls', (pays_after, words) => {
    expect(read(lead(first(), timing({ pays_after }), trans))).toBe(
      `A warm call takes 0.36 ms. ${words}`
    );
  });

  it('compares with nothing that was not measured', () => {
    const warmOnly = timing({ eager: null, ratio: null, pays_after: null });
    expect(read(lead(first(), warmOnly, trans))).toBe(
      'A warm call takes 0.36 ms. The first call took 40 ms.'
    );
  });

  it('says what is unknown', () => {
    const unseen = program({ stages: null });
    expect(read(lead(unseen, timing(), trans))).toBe(
      'A warm call takes 0.36 ms. The time of the first call is unknown.'
    );
    expect(read(lead(unseen, null, trans))).toBe(
      'What the first call took is unknown.'
    );
  });

  it('says of what was not called that it was not', () => {
    const traced = program({ stages: null, origin: 'traced' });
    expect(read(lead(traced, null, trans))).toBe(
      'This program was only traced: it was not called.'
    );
  });

  it('says of a compile that it was read from the cache on disk', () => {
    const disk = first({ from_disk: true });
    expect(read(lead(disk, timing(), trans))).toBe(
      'A warm call takes 0.36 ms. The first call took 40 ms. Its compile was read from the persistent cache. The first call pays for itself after 7 calls.'
    );
    expect(read(lead(disk, null, trans))).toBe(
      'The first call took 40 ms, 62 % of it to read the executable from the persistent cache.'
    );
  });

  it.each([
    [{}, 'The first call took 40 ms, 62 % of it in compile.'],
    [
      { compile: null, rest: 0.0257 },
      'The first call took 40 ms. JAX reports no stage for 65 % of it.'
    ],
    [
      { trace: null, lower: null, compile: null, first_run: null, rest: null },
      'The first call took 40 ms.'
    ]
  ])('says where the first call went before it ran again', (stages, words) => {
    expect(read(lead(first(stages), null, trans))).toBe(words);
  });
});

describe('the same call, again', () => {
  it.each([
    [[12.1, 19.2], '12 to 19 times faster than eager.'],
    [[7.81, 7.84], '7.8 times faster than eager.'],
    [[0.8, 1.3], 'No clear difference: 0.80 to 1.3 times as fast as eager.'],
    [[0.25, 0.5], '2.0 to 4.0 times slower than eager.']
  ] as [[number, number], string][])('with a ratio of %s', (ratio, words) => {
    expect(read(ratioWords(timing({ ratio }), trans) ?? '')).toBe(words);
  });

  it('has no ratio where one side was not measured', () => {
    expect(ratioWords(timing({ ratio: null }), trans)).toBeNull();
  });

  it('says whether a call returned before its work was done', () => {
    expect(read(dispatchWords(warmTime(), trans))).toBe(
      'A warm call returns after 22 µs, before its work is done.'
    );
    expect(read(dispatchWords(warmTime({ dispatch: 0.35e-3 }), trans))).toBe(
      'A warm call returns after 0.35 ms, its work done.'
    );
  });

  it('says a unit once', () => {
    expect(read(middleHalf(warmTime(), trans))).toBe('0.36 to 0.43 ms');
    expect(read(middleHalf(warmTime({ lower: 90e-6 }), trans))).toBe(
      '90 µs to 0.43 ms'
    );
  });

  it('says how often it ran', () => {
    expect(runsWords(warmTime({ runs: 1 }), trans)).toBe('1 run');
    expect(runsWords(warmTime({ runs: 12_800, batch: 512 }), trans)).toBe(
      '12,800 runs in batches of 512'
    );
  });
});
