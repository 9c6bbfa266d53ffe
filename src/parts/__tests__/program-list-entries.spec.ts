import { program, snapshot } from '../../protocol/__tests__/documents';
import type { Program, Snapshot, TransformPart } from '../../protocol/snapshot';
import { choicesOf, foldKey, groupKey, placeOf } from '../program-list-entries';

/** Makes a run of programs with these names and groups. */
function run(
  id: string,
  programs: readonly [string, Program['group']?][],
  changes: Partial<Snapshot> = {}
): { snapshot: Snapshot; fromSaved: boolean } {
  return {
    snapshot: snapshot({
      id,
      programs: programs.map(([name, group]) => program({ name, group })),
      ...changes
    }),
    fromSaved: false
  };
}

/** Prints the entries: the group, the number and name of the program, the number of folded programs. */
function entries(
  runs: ReturnType<typeof run>[],
  unfolded: string[] = []
): string[] {
  return choicesOf(runs, new Set(unfolded)).map(
    ({ run: { snapshot }, program, group, folded }) =>
      `${snapshot.id} ${group ?? '-'} ${program} ${snapshot.programs[program].name}` +
      (folded > 0 ? `, ${folded} folded` : '')
  );
}

function many(
  count: number,
  name: string,
  group?: Program['group']
): [string, Program['group']?][] {
  return Array.from({ length: count }, () => [name, group]);
}

function derives(
  of: number,
  ...programs: number[]
): NonNullable<Snapshot['transforms']>[number] {
  const part = (each: number): TransformPart => ({
    program: each,
    part: 'whole',
    roles: [],
    kept: []
  });
  return {
    kind: 'grad',
    of,
    words: 'grad',
    error: null,
    parts: programs.map(part)
  };
}

it('has the programs of each run, in the order of the runs', () => {
  const runs = [run('new', [['step']]), run('old', [['rnn'], ['loss']])];
  expect(entries(runs)).toEqual([
    'new - 0 step',
    'old - 0 rnn',
    'old - 1 loss'
  ]);
});

it('has nothing where nothing ran', () => {
  expect(entries([])).toEqual([]);
  expect(entries([run('empty', [])])).toEqual([]);
});

it('takes a program of an earlier version for one of a jitted function', () => {
  expect(
    entries([
      run('run', [
        ['old', undefined],
        ['scan', 'eager']
      ])
    ])
  ).toEqual(['run jit 0 old', 'run eager 1 scan']);
});

it('groups the programs of a run: first of jit, then eager, then traced', () => {
  const programs: [string, Program['group']?][] = [
    ['f', 'traced'],
    ['f', 'eager'],
    ['g', 'jit'],
    ['scan', 'eager'],
    ['h', 'jit']
  ];
  expect(entries([run('run', programs)])).toEqual([
    'run jit 2 g',
    'run jit 4 h',
    'run eager 1 f',
    'run eager 3 scan',
    'run traced 0 f'
  ]);
});

it('has no groups in a run whose programs are of one group', () => {
  expect(entries([run('run', many(2, 'cell [3]', 'eager'))])).toEqual([
    'run - 0 cell [3]',
    'run - 1 cell [3]'
  ]);
});

describe('programs of one name', () => {
  it('are shown while there are five', () => {
    expect(entries([run('run', many(5, 'f'))])).toHaveLength(5);
  });

  it('are folded from six on, behind the first three', () => {
    expect(entries([run('run', [...many(6, 'f'), ['g']])])).toEqual([
      'run - 0 f',
      'run - 1 f',
      'run - 2 f',
      'run - 3 f, 3 folded',
      'run - 6 g'
    ]);
  });

  it('are folded in their own group and in their own run', () => {
    const runs = [
      run('new', [...many(5, 'f', 'jit'), ...many(6, 'f', 'eager')]),
      run('old', many(5, 'f'))
    ];
    expect(entries(runs)).toEqual([
      ...[0, 1, 2, 3, 4].map(index => `new jit ${index} f`),
      'new eager 5 f',
      'new eager 6 f',
      'new eager 7 f',
      'new eager 8 f, 3 folded',
      ...[0, 1, 2, 3, 4].map(index => `old - ${index} f`)
    ]);
  });

  it('are shown once unfolded, and those of the other names are not', () => {
    const both = run('run', [...many(6, 'f'), ...many(7, 'g')]);
    expect(entries([both], [foldKey(both, 3)])).toEqual([
      ...[0, 1, 2, 3, 4, 5].map(index => `run - ${index} f`),
      'run - 6 g',
      'run - 7 g',
      'run - 8 g',
      'run - 9 g, 4 folded'
    ]);
  });

  it('need not stand together, and are unfolded in their places', () => {
    const mixed = run(
      'run',
      Array.from({ length: 12 }, (_, index) => [index % 2 ? 'odd' : 'even'])
    );
    expect(entries([mixed])).toEqual([
      'run - 0 even',
      'run - 1 odd',
      'run - 2 even',
      'run - 3 odd',
      'run - 4 even',
      'run - 5 odd',
      'run - 6 even, 3 folded',
      'run - 7 odd, 3 folded'
    ]);
    expect(entries([mixed], [foldKey(mixed, 7)])).toEqual([
      'run - 0 even',
      'run - 1 odd',
      'run - 2 even',
      'run - 3 odd',
      'run - 4 even',
      'run - 5 odd',
      'run - 6 even, 3 folded',
      'run - 7 odd',
      'run - 9 odd',
      'run - 11 odd'
    ]);
  });
});

describe('what was derived from a program', () => {
  const derived = run('run', [...many(7, 'f'), ['grad of f'], ['its vmap']], {
    transforms: [derives(5, 7), derives(7, 8)]
  });

  it('follows the program, in the group of the program', () => {
    const small = run(
      'run',
      [
        ['f', 'traced'],
        ['g', 'jit'],
        ['grad of f', 'jit'],
        ['its vmap', 'jit']
      ],
      { transforms: [derives(0, 2), derives(2, 3)] }
    );
    expect(entries([small])).toEqual([
      'run jit 1 g',
      'run traced 0 f',
      'run traced 2 grad of f',
      'run traced 3 its vmap'
    ]);
    const places = [0, 1, 2, 3].map(each => placeOf(small.snapshot, each).at);
    expect(places).toEqual([2, 1, 3, 4]);
  });

  it('has its place in the run whether it is folded or not', () => {
    expect(placeOf(derived.snapshot, 5)).toEqual({ at: 6, of: 9 });
    expect(placeOf(derived.snapshot, 8)).toEqual({ at: 8, of: 9 });
    expect(placeOf(derived.snapshot, 6)).toEqual({ at: 9, of: 9 });
  });

  it('is folded with the program, and is no program that is counted', () => {
    expect(entries([derived])).toEqual([
      'run - 0 f',
      'run - 1 f',
      'run - 2 f',
      'run - 3 f, 4 folded'
    ]);
  });

  it('is unfolded by the key of the derived program, too', () => {
    expect(foldKey(derived, 8)).toBe(foldKey(derived, 5));
    expect(entries([derived], [foldKey(derived, 8)])).toEqual([
      ...[0, 1, 2, 3, 4, 5].map(index => `run - ${index} f`),
      'run - 7 grad of f',
      'run - 8 its vmap',
      'run - 6 f'
    ]);
  });
});

describe('a group of many names', () => {
  const named = (count: number): [string][] =>
    Array.from({ length: count }, (_, index) => [`f${index}`]);

  it('is shown while there are twenty entries', () => {
    expect(entries([run('run', named(20))])).toHaveLength(20);
  });

  it('shows eight of 200 programs, and folds the others', () => {
    const all = entries([
      run('run', [...named(200), ['scan', 'eager'], ['f', 'traced']])
    ]);
    expect(all).toHaveLength(11);
    expect(all.slice(7)).toEqual([
      'run jit 7 f7',
      'run jit 8 f8, 192 folded',
      'run eager 200 scan',
      'run traced 201 f'
    ]);
  });

  it('counts the programs that are folded by name', () => {
    const all = entries([run('run', [...named(30), ...many(9, 'g')])]);
    expect(all.slice(8)).toEqual(['run - 8 f8, 31 folded']);
  });

  it('is shown once unfolded', () => {
    const one = run('run', named(200));
    expect(entries([one], [groupKey(one, 0)])).toHaveLength(200);
  });
});

describe('the group of libraries', () => {
  const of = (name: string): Program =>
    program({ name, group: 'eager', library: true });
  const programs = [
    program({ name: 'f' }),
    of('_normal'),
    of('sort'),
    of('sort')
  ];
  const one = {
    snapshot: snapshot({ id: 'run', programs }),
    fromSaved: false
  };

  it('is one entry until it is unfolded', () => {
    expect(entries([one])).toEqual([
      'run jit 0 f',
      'run libraries 1 _normal, 3 folded'
    ]);
    expect(entries([one], [groupKey(one, 2)])).toEqual([
      'run jit 0 f',
      'run libraries 1 _normal',
      'run libraries 2 sort',
      'run libraries 3 sort'
    ]);
  });

  it('is counted apart', () => {
    expect(placeOf(one.snapshot, 0)).toEqual({ at: 1, of: 1 });
    expect(placeOf(one.snapshot, 3)).toEqual({ at: 3, of: 3 });
  });
});

it('has at most 500 entries', () => {
  const names = Array.from({ length: 501 }, (_, index) => `f${index}`);
  const one = run(
    'run',
    names.map(name => [name])
  );
  const all = entries([one], [groupKey(one, 0)]);
  expect(all).toHaveLength(500);
  expect(all[499]).toBe('run - 499 f499');
});
