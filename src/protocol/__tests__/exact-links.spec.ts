import { NO_DOCUMENT } from '../document-sizes';
import { readReply } from '../messages';
import { answered } from './replies';

describe('the exact links of a program', () => {
  const level = {
    name: 'hlo',
    lines: 40,
    instructions: 12,
    linked: 11,
    single: 10,
    inferred: 1,
    same: true,
    words:
      'XLA made the same instructions for the tagged copy and for the program.'
  };
  const links = {
    program: 0,
    lower_seconds: 0.01,
    compile_seconds: 0.1,
    equations: 9,
    reached: 8,
    levels: [{ ...level, name: 'stablehlo', same: null }, level]
  };
  const sizes = { ...NO_DOCUMENT, programs: 1 };
  const read = (exact_links: unknown): unknown =>
    readReply(answered(exact_links), 'exact_links', sizes);

  it('are read', () => {
    expect(read(links)).toEqual(answered(links));
  });

  it.each([
    ['of no program', { ...links, program: 1 }, 'program'],
    ['of a time', { ...links, compile_seconds: 'soon' }, 'compile_seconds'],
    ['of a level', { ...links, levels: [{ ...level, name: 'llo' }] }, 'name'],
    [
      'of words',
      { ...links, levels: [{ ...level, words: null }] },
      'levels.words'
    ],
    [
      'of a doubt',
      { ...links, levels: [{ ...level, same: 'yes' }] },
      'levels.same'
    ]
  ])('are not read where they are not %s', (_, broken, field) => {
    expect(read(broken)).toMatchObject({
      unreadable: 'broken',
      field: expect.stringContaining(field)
    });
  });
});

describe('a page of a twin', () => {
  /** The sizes of a document with one program and two scopes, which have three equations and one equation. */
  const sizes = { ...NO_DOCUMENT, programs: 1, scopes: [3, 1] };
  const read = (line_equations: unknown): unknown =>
    readReply(
      answered({
        level: 'hlo',
        characters: 7,
        lines: 4,
        sha256: 'ab',
        first_line: 0,
        text: 'a\nb\nc\nd',
        line_stacks: [-1, -1, -1, -1],
        strings: [],
        files: [],
        frames: [],
        stacks: [],
        inferred_lines: [],
        other_stacks: [],
        line_equations
      }),
      'text',
      sizes
    );

  it('says the equations of its lines', () => {
    const rows = [
      [0, 0, 2],
      [3, 1, 0, 0, 1]
    ];
    expect(read(rows)).toMatchObject({ result: { line_equations: rows } });
    expect(read(null)).toMatchObject({ result: { line_equations: null } });
  });

  it.each([
    ['a scope that is not there', [[0, 2, 0]], 'line_equations.scope'],
    ['an equation that is not there', [[0, 1, 1]], 'line_equations.equation'],
    ['a line that is not there', [[4, 0, 0]], 'line_equations.line'],
    [
      'lines out of order',
      [
        [1, 0, 0],
        [1, 0, 1]
      ],
      'line_equations.line'
    ],
    ['a line without equations', [[1]], 'line_equations'],
    ['half an equation', [[1, 0, 0, 1]], 'line_equations']
  ])('is not read with %s', (_, rows, field) => {
    expect(read(rows)).toMatchObject({
      unreadable: 'broken',
      field: `text.${field}`
    });
  });
});
