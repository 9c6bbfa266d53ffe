import { nullTranslator } from '@jupyterlab/translation';
import * as fc from 'fast-check';

import { linksOf } from '../../../model/links';
import {
  GOLDEN,
  anyDocument,
  golden
} from '../../../program-text/__tests__/documents';
import { JaxprListing } from '../../levels/jaxpr-listing';
import { NOISES, countHidden, hiddenWords, noiseOfLines } from '../noise-rules';
import { asksForDtype, isWider } from '../../words/row-tags';

const trans = nullTranslator.load('jupyter_jaxpr');

function listingOf(name: string): JaxprListing {
  const snapshot = golden(name);
  return new JaxprListing(linksOf(snapshot, snapshot.focus), trans);
}

/** The tags beside each line that has tags. */
function tags(listing: JaxprListing): string[] {
  const { lines } = listing.document();
  return Array.from({ length: lines }, (_, index) => listing.line(index))
    .filter(line => (line.tags ?? []).length > 0)
    .map(
      ({ number, kind, tags }) =>
        `${number || kind}: ${(tags ?? []).map(tag => tag.text).join(', ')}`
    );
}

/** The sentences about each variable that a line names. */
function variables(listing: JaxprListing, index: number): string[] {
  return listing
    .variablesIn(index)
    .map(place => listing.variableRange(place).words);
}

describe('a line of a jaxpr', () => {
  it('has the names of the Python function beside the letters', () => {
    expect(tags(listingOf('rnn-0.12'))).toEqual([
      "open: p['b'], p['wh'], p['wo'], p['wx'], xs",
      "open: p['wx'], p['wh'], p['b'], h, xs"
    ]);
  });

  it('says where its effects are', () => {
    expect(tags(listingOf('effects-0.12'))).toContainEqual(
      expect.stringContaining('effect: ')
    );
  });

  it.each([
    ['Debug', 'Pass ordered=True to keep the order.'],
    ['IO', 'Pass ordered=True to keep the order.'],
    ['OrderedIO', 'so JAX keeps the equation and its order.'],
    ['Write<Ref{float32[8]}>', 'so JAX keeps the equation and its order.'],
    [
      'Read<Ref{float32[8]}>',
      'so JAX keeps the equation after the earlier writes to the reference'
    ],
    [
      'of another library',
      'so JAX keeps the equation even if nothing uses its result.'
    ]
  ])('promises of the effect %s what JAX does', (effect, promise) => {
    const snapshot = golden('effects-0.12');
    const strings = snapshot.strings.map(each =>
      each === 'Debug' ? effect : each
    );
    const listing = new JaxprListing(
      linksOf({ ...snapshot, strings }, snapshot.focus),
      trans
    );
    const { lines } = listing.document();
    const said = Array.from({ length: lines }, (_, i) => listing.line(i))
      .flatMap(line => line.tags ?? [])
      .filter(({ text }) => text === `effect: ${effect}`);
    expect(said).toHaveLength(1);
    expect(said[0].title).toContain(promise);
  });

  it.each([
    ['x.astype(t)', true],
    ['jnp.sum(x, dtype=t)', true],
    ['jnp.einsum("ij,jk", a, b, preferred_element_type=t)', true],
    ['jnp.int8(x) + y', true],
    ['jnp.full((3,), n, float)', true],
    ['x + i', false],
    ['jnp.mean(points) * interest', false],
    ['print_floats(x)', false]
  ])('takes %s for a wish for a dtype: %s', (text, asked) => {
    expect(asksForDtype(text)).toBe(asked);
  });

  it('says of a variable where it is defined, used, and how long it lives', () => {
    const listing = listingOf('rnn-0.12');
    expect(variables(listing, 6)).toEqual([
      'Equation 5 defines p. p is used once. p is live over equations 5 to 6.',
      'Equation 3 defines n. n is used once. n is live over equations 3 to 5.',
      'Equation 4 defines o. o is used once. o is live over equations 4 to 5.'
    ]);
    expect(variables(listing, 8)[0]).toBe(
      'Equation 7 defines r. No equation uses r. r is a result and is live to the end of the jaxpr.'
    );
    expect(variables(listing, 3)[3]).toBe(
      'l is an input. l is used once. l is live up to equation 4.'
    );
  });

  it('knows of each variable where it is bound and read, in any document', () => {
    fc.assert(
      fc.property(anyDocument, document => {
        const listing = new JaxprListing(linksOf(document, 0), trans);
        const { lines } = listing.document();
        for (let index = 0; index < lines; index++) {
          for (const place of listing.variablesIn(index)) {
            const { first, last, uses } = listing.variableRange(place);
            const named = (line: number): boolean =>
              listing.variablesIn(line).some(({ key }) => key === place.key);
            expect(named(first)).toBe(true);
            expect(first).toBeLessThanOrEqual(last);
            expect(uses.every(named)).toBe(true);
            expect(index === first || uses.includes(index)).toBe(true);
          }
        }
      }),
      { numRuns: 60 }
    );
  });
});

describe('noise', () => {
  it('is counted by kind, and each line once', () => {
    const listing = listingOf('rnn-0.12');
    const count = countHidden(listing.noise(), new Set(NOISES), new Set());
    expect(`${count.lines} ${hiddenWords(count, trans)}`).toBe(
      '3 3 broadcasts'
    );
    const shown = new Set([1]);
    expect(countHidden(listing.noise(), new Set(NOISES), shown).lines).toBe(2);
  });

  it('never holds the lines of a result or of what has an effect', () => {
    for (const name of GOLDEN.filter(name => golden(name).focus >= 0)) {
      const listing = listingOf(name);
      const noise = listing.noise();
      const hidden = [...noise.keys()].filter(index => noise[index] & 8);
      const text = hidden.map(index => listing.document().line(index + 1).text);
      expect(text.filter(line => /debug|callback|print/.test(line))).toEqual(
        []
      );
      listing.rows.rows.forEach(({ kind, index, depth }) => {
        if (kind === 'close' && depth === 0) {
          expect(noise[index] & 15).toBe(0);
        }
      });
    }
  });

  it('is found in texts too, but for a result', () => {
    expect(
      [
        ...noiseOfLines([
          '%0 = stablehlo.convert %a : (tensor<i32>) -> tensor<f32>',
          '%1 = stablehlo.broadcast_in_dim %0, dims = [] : tensor<8xf32>',
          '%c.1 = f32[8]{0} convert(%b)',
          'ROOT %c.2 = f32[8]{0} broadcast(%b), dimensions={}',
          '%add = f32[8]{0} add(%broadcast.1, %convert.2)'
        ])
      ].map(bits => bits & 15)
    ).toEqual([1, 2, 1, 0, 0]);
  });
});

describe('a change of dtype', () => {
  it('is a promotion where it goes up', () => {
    const wider = (pair: string): boolean =>
      isWider(...(pair.split(' ') as [string, string]));
    expect(
      [
        'int32 float32',
        'bfloat16 float32',
        'float16 float32',
        'bool int32',
        'int8 int32',
        'float32 complex64'
      ].filter(pair => !wider(pair))
    ).toEqual([]);
    expect(
      [
        'float32 bfloat16',
        'float32 int32',
        'float32 float32',
        'bfloat16 float16',
        'complex64 float32',
        'key<fry> float32'
      ].filter(wider)
    ).toEqual([]);
  });
});
