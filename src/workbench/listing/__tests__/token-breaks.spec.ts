import { tokenBreaks } from '../token-breaks';

/** A line, with a bar at each place where the line may break, in addition to its spaces. */
function broken(line: string, columns: number): string {
  const places = new Set(tokenBreaks(line, columns).map(([from]) => from));
  return [...line]
    .map((letter, at) => (places.has(at) ? `|${letter}` : letter))
    .join('');
}

describe('a text that is wider than its line', () => {
  it('breaks before its tokens, and stays whole where it fits', () => {
    const line = '%0:2 = stablehlo.while(%iterArg_9 = %c, %iterArg = %cst)';
    expect(broken(line, 20)).toBe(
      '%0:2 = stablehlo.|while(|%iterArg_9 = %c, %iterArg = %cst)'.replace(
        'stablehlo',
        '|stablehlo'
      )
    );
    expect(broken(line, 30)).toBe(line);
  });

  it('keeps a number whole', () => {
    expect(broken('dense<0.000000e+00>:tensor<16xf32>', 20)).toBe(
      'dense<|0.000000e+00>:|tensor<|16xf32>'
    );
  });

  it('breaks between the words of a name that is wider than its line itself', () => {
    expect(broken('stablehlo.dynamic_update_slice', 12)).toBe(
      'stablehlo.|dynamic_|update_|slice'
    );
  });
});
