import { nullTranslator } from '@jupyterlab/translation';

import { program } from '../../../protocol/__tests__/documents';
import { Program, Stages } from '../../../protocol/snapshot';
import { plain, stretches } from '../../../parts/bold-numbers';
import {
  dispatchWords,
  eagerCallsWords,
  firstCallWords,
  middleHalf,
  warmCallsWords
} from '../words';
import { warmTime } from './times';

const trans = nullTranslator.load('jupyter_jaxpr');

const read = (text: string): string =>
  plain(stretches(text)).replace(/\u00a0/g, ' ');

/** Makes a program with the times of the stages of its first call; `changes` replaces some of the times. */
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

describe('the first call in words', () => {
  it('is unknown where it was not seen', () => {
    const unseen = program({ stages: null });
    expect(read(firstCallWords(unseen, trans))).toBe(
      'The time of the first call is unknown.'
    );
  });

  it('says of what was not called that it was not', () => {
    const traced = program({ stages: null, origin: 'traced' });
    expect(read(firstCallWords(traced, trans))).toBe(
      'This program was only traced: the program was not called.'
    );
  });

  it('says of a compile that it was read from the cache on disk', () => {
    expect(read(firstCallWords(first({ from_disk: true }), trans))).toBe(
      'The first call took 40 ms. JAX read the executable from the persistent cache in 62 % of that time.'
    );
  });

  it('has its numbers bold', () => {
    expect(
      stretches(firstCallWords(first(), trans))
        .filter(part => part.bold)
        .map(part => read(part.text))
    ).toEqual(['40 ms', '62 %']);
  });

  it.each([
    [
      {},
      'The first call took 40 ms. The longest stage is “compile”, with 62 % of that time.'
    ],
    [
      { compile: null, rest: 0.0257 },
      'The first call took 40 ms. JAX reports no stage for 65 % of that time.'
    ],
    [
      { trace: null, lower: null, compile: null, first_run: null, rest: null },
      'The first call took 40 ms.'
    ]
  ])('says where most of it went', (stages, words) => {
    expect(read(firstCallWords(first(stages), trans))).toBe(words);
  });
});

describe('the same call, again', () => {
  it('says whether a call returned before its work was done', () => {
    expect(read(dispatchWords(warmTime(), trans))).toBe(
      'A warm call returns after 22 µs, before its work is done.'
    );
    expect(read(dispatchWords(warmTime({ dispatch: 0.35e-3 }), trans))).toBe(
      'A warm call returns when its work is done.'
    );
  });

  it('says a unit once', () => {
    expect(read(middleHalf(warmTime(), trans))).toBe('0.36 to 0.43 ms');
    expect(read(middleHalf(warmTime({ lower: 90e-6 }), trans))).toBe(
      '90 µs to 0.43 ms'
    );
  });

  it('says how many calls were timed', () => {
    expect(read(warmCallsWords(warmTime({ runs: 1 }), trans))).toBe(
      '1 warm call was timed.'
    );
    expect(read(warmCallsWords(warmTime(), trans))).toBe(
      '200 warm calls were timed. The fastest call took 0.35 ms.'
    );
    const batches = warmTime({ runs: 12_800, batch: 512 });
    expect(read(eagerCallsWords(batches, trans))).toBe(
      '12,800 eager calls were timed in batches of 512. In the fastest batch, a call took 0.35 ms.'
    );
  });
});
