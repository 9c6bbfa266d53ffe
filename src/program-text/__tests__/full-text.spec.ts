import * as fc from 'fast-check';

import { LIMITS } from '../../protocol/limits';
import { Snapshot } from '../../protocol/snapshot';
import { ProgramEquations } from '../equations';
import { fullText } from '../full-text';
import { encodeName, nameProgram } from '../printed-variable-names';
import {
  GOLDEN,
  anyDocument,
  golden,
  goldenPage,
  goldenText
} from './documents';

describe('the whole text of a program', () => {
  it.each(GOLDEN)('of %s is the one that the Python side prints', name => {
    const document = golden(name);
    const texts = document.programs.map(program =>
      fullText(new ProgramEquations(document, program))
    );
    expect(texts.length).toBe(document.programs.length);
    expect(`${texts.join('\n---\n')}\n`).toBe(goldenText(`${name}.jaxpr.txt`));
  });

  it('says how many equations are not here', () => {
    const document = golden('cut-0.12');
    const text = fullText(
      new ProgramEquations(document, document.programs[document.focus])
    );
    expect(text.split('\n').filter(line => line.includes('…'))).toEqual([
      '  … 12 more equations',
      'in (…,) } in',
      '  … 36 more equations',
      'in (…,) }'
    ]);
  });

  it('has the equations of a page where they belong, under their names', () => {
    const document = golden('cut-0.12');
    const equations = new ProgramEquations(
      document,
      document.programs[document.focus]
    );
    equations.addPage(equations.root, goldenPage('cut-0.12'));
    const lines = fullText(equations).split('\n');
    const at = lines.findIndex(line => line.includes('z:f32[3] = sin y'));
    expect(lines.slice(at - 1, at + 2)).toEqual([
      '  y:f32[3] = mul x 0.5:f32[]',
      '  z:f32[3] = sin y',
      '  ba:f32[3] = mul z 0.5:f32[]'
    ]);
    expect(lines).toContain('  … 26 more equations');
    expect(lines[lines.length - 1]).toBe('in (cm,) }');
  });

  it('is made of any valid document, with a line for every equation that is reached', () => {
    fc.assert(
      fc.property(anyDocument, document => {
        const equations = new ProgramEquations(document, document.programs[0]);
        const text = fullText(equations);
        expect(text).not.toContain('undefined');
        expect(text.startsWith('{ lambda ') || text.startsWith('let ')).toBe(
          true
        );
        expect(text.endsWith(') }')).toBe(true);
      }),
      { numRuns: 300 }
    );
  });
});

describe('names', () => {
  it('count as JAX does: after z comes ba', () => {
    expect([0, 1, 25, 26, 27, 675, 676].map(encodeName)).toEqual([
      'a',
      'b',
      'z',
      'ba',
      'bb',
      'zz',
      'baa'
    ]);
  });

  it('are those of print(jaxpr) inside and outside a loop', () => {
    const document = golden('rnn-0.12');
    const equations = new ProgramEquations(document, document.programs[0]);
    const { variables, lets } = nameProgram(equations);
    expect(variables[equations.root]?.slice(0, 9)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
      'h',
      's'
    ]);
    expect(lets.size).toBe(0);
  });

  it('name every variable that is printed, whatever the document', () => {
    fc.assert(
      fc.property(anyDocument, document => {
        const equations = new ProgramEquations(document, document.programs[0]);
        expect(fullText(equations)).not.toContain('…');
      }),
      { numRuns: 300 }
    );
  });

  /**
   * Makes a document with `depth` scopes of one equation each; the equation of each scope but the last calls the next
   * scope `times` times.
   */
  function calling(depth: number, times: number, text = ''): Snapshot {
    const document = golden('rnn-0.12');
    const [step] = document.scopes.slice(-1);
    return {
      ...document,
      strings: ['jaxpr', text],
      parameter_lists: [[[0, text === '' ? -1 : 1]]],
      scopes: Array.from({ length: depth }, (_, i) => ({
        ...step,
        constants: 0,
        inputs: 0,
        outputs: [],
        count: 1,
        total: depth - i,
        variable_avals: [],
        primitive: [0],
        operands: [[]],
        output_counts: [0],
        parameters: [0],
        stack: [-1],
        name_stack: [0],
        children: Array.from({ length: i + 1 < depth ? times : 0 }, (_, at) => [
          0,
          0,
          times === 1 ? -1 : at,
          i + 1
        ])
      })) as Snapshot['scopes'],
      programs: [{ ...document.programs[0], scope: 0 }]
    };
  }

  it('do not overflow the stack however deeply programs nest', () => {
    const depth = 20000;
    const deep = calling(depth, 1);
    const equations = new ProgramEquations(deep, deep.programs[0]);
    expect(nameProgram(equations).variables.length).toBe(depth);
  });

  it('stand in a text that is as deep as the reader allows', () => {
    const deep = calling(LIMITS.DEPTH, 1);
    const text = fullText(new ProgramEquations(deep, deep.programs[0]));
    expect(text.match(/lambda/g)).toHaveLength(LIMITS.DEPTH);
    expect(text).not.toContain('…');
  });

  it.each([
    ['of which equations are missing', '', false],
    ['inside texts', '(\uFFFC, \uFFFC)', true],
    ['inside texts, of which equations are missing', '(\uFFFC, \uFFFC)', false]
  ])('end where programs share each other: %s', (_, text, complete) => {
    const shared = calling(40, 2, text);
    Object.assign(shared.programs[0], { complete, lets: complete ? null : [] });
    const printed = fullText(new ProgramEquations(shared, shared.programs[0]));
    const lines = printed.split('\n');
    expect(lines.length).toBeGreaterThan(LIMITS.LINES / 2);
    expect(lines.length).toBeLessThan(LIMITS.LINES + 2000);
    expect(lines.slice(-500).join('\n')).toContain('…');
    expect(lines[lines.length - 1]).toBe('in () }');
  });
});
