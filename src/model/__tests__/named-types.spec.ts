/** Tests the types beside the code: the type that each name of a line had while JAX traced the program in view. */
import { nullTranslator } from '@jupyterlab/translation';

import TABLE from '../../../tests/shortened_types.json';
import { golden } from '../../program-text/__tests__/documents';
import { isUnreadable, readSnapshot } from '../../protocol/document';
import { NamedValue, Snapshot } from '../../protocol/snapshot';
import { typesOfLines } from '../named-types';

const trans = nullTranslator.load('jupyter_jaxpr');

/** Makes a document whose cell has named values (names with their types), each on its line and in its scope. */
function named(
  ...values: [
    name: string,
    kind: NamedValue['kind'],
    line: number,
    column: number,
    scope: number,
    ...types: string[]
  ][]
): Snapshot {
  const document = golden('selu-0.12');
  const strings = [...document.strings];
  const frames = [...document.frames];
  const file = document.files.findIndex(each => each.kind === 'cell');
  const string = (text: string): number => strings.push(text) - 1;
  const named_values = values.map(
    ([name, kind, line, column, scope, ...types]) => ({
      frame:
        frames.push([file, string('f'), line, column, line, column + 1]) - 1,
      name: string(name),
      kind,
      scope,
      types: types.map(string)
    })
  );
  return { ...document, strings, frames, named_values };
}

function lines(document: Snapshot, program = 0): Record<number, string> {
  const [ofCell] = typesOfLines(document, program, trans).values();
  return Object.fromEntries(
    (ofCell ?? []).map(({ line, text }) => [line, text])
  );
}

const SCOPE = golden('selu-0.12').programs[0].scope;

/** The long types and their short forms; tests/test_values_of_names.py tests the kernel with the same file. */
const SHORTENED = TABLE as [string, string][];

describe('the types of the names of a line', () => {
  it('stand in the order of the code', () => {
    const document = named(
      ['b', 'assigned', 3, 7, SCOPE, 'f32[4]'],
      ['a', 'assigned', 3, 4, SCOPE, 'f32[]{weak}'],
      ['', 'returned', 4, 4, SCOPE, '(f32[], f32[4])']
    );
    expect(isUnreadable(readSnapshot(document))).toBe(false);
    expect(lines(document)).toEqual({
      3: 'a: f32[]{weak}  b: f32[4]',
      4: '→ (f32[], f32[4])'
    });
  });

  it('are the first and the last where Python ran the line several times', () => {
    expect(
      lines(
        named(
          ['x', 'assigned', 3, 4, SCOPE, 'f32[]', 'f32[2]'],
          ['y', 'assigned', 4, 4, SCOPE, 'f32[1]', 'f32[2]', 'f32[3]']
        )
      )
    ).toEqual({ 3: 'x: f32[], f32[2]', 4: 'y: f32[1] … f32[3]' });
  });

  it('are those of the program in view, and shortened', () => {
    const long = `{${'w: f32[3], '.repeat(9)}}`;
    const document = named(
      ['x', 'assigned', 3, 4, SCOPE, long],
      ['y', 'assigned', 4, 4, SCOPE + 1, 'f32[1]']
    );
    const alone = {
      ...document,
      scopes: [
        ...document.scopes.map(scope => ({ ...scope, children: [] })),
        ...document.scopes.slice(0, 1)
      ]
    };
    expect(lines(alone)).toEqual({ 3: 'x: {…} with 9 arrays' });
    const [[{ title }]] = typesOfLines(alone, 0, trans).values();
    expect(title).toBe(
      `While JAX traced, x had the type ${long} at this place.`
    );
    expect(lines(alone, -1)).toEqual({});
  });

  it.each(SHORTENED)('are shortened as in a saved page: %s', (type, shown) => {
    const document = named(['x', 'assigned', 3, 4, SCOPE, type]);
    expect(lines(document)).toEqual({ 3: `x: ${shown}` });
  });

  it('say the part of the value in a loop, and that an operand was promoted', () => {
    const document = named(
      ['c', 'assigned', 3, 4, SCOPE, 'f32[]'],
      ['ys', 'assigned', 3, 7, SCOPE, 'f32[10,3]'],
      ['row', 'parameter', 4, 4, SCOPE, 'f32[3]']
    );
    const [carry, outputs, row] = document.named_values ?? [];
    const marked: Snapshot = {
      ...document,
      strings: [...document.strings, 'bf16'],
      named_values: [
        { ...carry, role: 'carry' },
        { ...outputs, role: 'ys', steps: 10 },
        { ...row, role: 'xs', steps: 1, promoted: document.strings.length }
      ]
    };
    expect(isUnreadable(readSnapshot(marked))).toBe(false);
    expect(lines(marked)).toEqual({
      3: 'c: f32[] · carry  ys: f32[10,3] · ys, 10 steps',
      4: 'row: f32[3] · xs, 1 step · promoted from bf16'
    });
    const [of] = typesOfLines(marked, 0, trans).values();
    expect(of.map(({ title }) => title)).toEqual([
      'While JAX traced, c had the type f32[] at this place. The value comes from the carry of a loop.\n' +
        'While JAX traced, ys had the type f32[10,3] at this place. The value comes from the outputs of all steps of a loop of 10 steps.',
      'While JAX traced, row had the type f32[3] at this place. The value comes from the inputs of one step of a loop of 1 step. ' +
        'To compute the value, JAX promoted an operand from the dtype bf16.'
    ]);
    // Adds a second value of the name, which lies outside of any loop.
    const both: Snapshot = {
      ...marked,
      named_values: [...(marked.named_values ?? []), carry]
    };
    expect(lines(both)[3]).toBe('c: f32[]  ys: f32[10,3] · ys, 10 steps');
  });

  it('know the place after each name', () => {
    const document = named(
      ['x', 'assigned', 3, 4, SCOPE, 'f32[]'],
      ['y', 'assigned', 3, 7, SCOPE, 'f32[2]'],
      ['', 'returned', 4, 4, SCOPE, 'f32[2]']
    );
    const [[first, last]] = typesOfLines(document, 0, trans).values();
    expect(first.names.map(({ column, text }) => [column, text])).toEqual([
      [5, ': f32[]'],
      [8, ': f32[2]']
    ]);
    expect(last.names.map(({ column, text }) => [column, text])).toEqual([
      [-1, '→ f32[2]']
    ]);
  });

  it.each([
    { frame: 4000 },
    { name: -1 },
    { kind: 'guessed' },
    { scope: 99 },
    { types: [1e9] },
    { variables: [4000] },
    { role: 'guessed' },
    { steps: -1 },
    { promoted: 1e9 }
  ])('are refused where the document does not hold together: %j', changes => {
    const document = named(['x', 'assigned', 3, 4, SCOPE, 'f32[]']);
    const [value] = document.named_values ?? [];
    const damaged = { ...document, named_values: [{ ...value, ...changes }] };
    expect(isUnreadable(readSnapshot(damaged))).toBe(true);
  });
});
