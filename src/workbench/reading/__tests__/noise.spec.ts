import { golden, goldenText } from '../../../program-text/__tests__/documents';
import { ProgramEquations } from '../../../program-text/equations';
import { ProgramRows } from '../../../program-text/rows';
import { SourceSpans } from '../../../program-text/source-spans';
import { BIT, HEAD, NOISES, noiseOfRows } from '../noise-rules';

/**
 * The result of the noise rules of TypeScript, in the form in which `tests/fixtures/make.py` writes the result of the
 * Python rules.
 */
function noiseText(name: string, program: number): string[] {
  const snapshot = golden(name);
  const equations = new ProgramEquations(snapshot, snapshot.programs[program]);
  const listing = new ProgramRows(equations, new SourceSpans(snapshot));
  const { bits, names } = noiseOfRows(listing);
  // The Python rules work on the rows of a diff. A diff has no programs that only combine two values, such as the
  // program for the + of a scatter-add, so the rows of these programs (their number is 0) are left out here.
  const rows = listing.rows.filter(
    ({ kind, number }) => kind !== 'equation' || number > 0
  );
  const isNoise = ({ index }: { index: number }): boolean =>
    (bits[index] & ~HEAD) !== 0;
  return [
    `${name} program ${program}, lines: ${rows.filter(isNoise).length}`,
    ...rows
      .filter(row => row.kind === 'equation')
      .filter(row => isNoise(row) || names.has(row.index))
      .map(({ index, scope, equation }) => {
        const kinds = NOISES.filter(noise => bits[index] & BIT[noise]).sort();
        const outside = names.has(index) ? [`(${names.get(index)})`] : [];
        return `  scope ${scope} equation ${equation}: ${[...kinds, ...outside].join(' ')}`;
      })
  ];
}

describe('the noise of a program', () => {
  it('is what the kernel finds when it compares the program with itself', () => {
    const expected = goldenText('noise.txt');
    const programs = [...expected.matchAll(/^(\S+) program (\d+)/gm)];
    expect(programs.length).toBeGreaterThan(20);
    const found = programs.flatMap(([, name, program]) =>
      noiseText(name, Number(program))
    );
    expect(found.join('\n') + '\n').toBe(expected);
  });
});
