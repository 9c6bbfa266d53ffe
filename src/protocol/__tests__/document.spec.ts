import * as fc from 'fast-check';
import * as fs from 'fs';
import * as path from 'path';

import { isUnreadable, readSnapshot } from '../document';
import { checkScopePage } from '../scopes';
import { ScopePage, Snapshot } from '../snapshot';
import { program, scopes, snapshot } from './documents';

/** Makes a valid document, and lets `change` break it. */
// The result of JSON.parse has type any, so that a test can break the document in any way.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
function broken(change: (document: any) => void): unknown {
  const document = JSON.parse(JSON.stringify(snapshot()));
  change(document);
  return document;
}

describe('a document that keeps its promises', () => {
  it('is handed on as it is', () => {
    const document = snapshot();
    expect(readSnapshot(document)).toBe(document);
  });

  it('may have fields that this side does not know', () => {
    const document = broken(document => {
      document.from_the_future = { anything: [1] };
      document.programs[0].costs = null;
    });
    expect(readSnapshot(document)).toBe(document);
  });

  it('may have rows with entries of a later version at their ends', () => {
    const document = broken(document => {
      document.frames[0].push('new');
      document.stacks[0].push([]);
    });
    expect(readSnapshot(document)).toBe(document);
  });

  it('may hold no program at all', () => {
    const document = snapshot({
      programs: [],
      scopes: [],
      notes: [],
      focus: -1,
      message: 'Nothing was jitted.'
    });
    expect(readSnapshot(document)).toBe(document);
  });

  it('may hold only the first equations of a scope', () => {
    const [outer, inner] = scopes();
    const document = snapshot({
      programs: [program({ complete: false })],
      scopes: [
        {
          ...outer,
          count: 70_000,
          total: 70_001,
          outputs: [69_999],
          names: ['a', 'b', 'c']
        },
        inner
      ]
    });
    expect(readSnapshot(document)).toBe(document);
  });
});

describe('a document that cannot be shown', () => {
  it('is of a newer version, whatever else it holds', () => {
    expect(readSnapshot({ version: 2, programs: 'elsewhere' })).toEqual({
      unreadable: 'newer',
      version: 2,
      newest: 1
    });
  });

  it.each<[string, unknown, string]>([
    ['is no object', 'text', 'snapshot'],
    ['is null', null, 'snapshot'],
    ['is empty', {}, 'version'],
    ['has a version of 0', { version: 0 }, 'version'],
    [
      'focuses a program it lacks',
      broken(d => {
        d.focus = 1;
      }),
      'focus'
    ],
    [
      'points past its strings',
      broken(d => {
        d.scopes[0].primitive[0] = 99;
      }),
      'scopes.primitive'
    ],
    [
      'points before its literals',
      broken(d => {
        d.scopes[0].operands[0] = [-2];
      }),
      'scopes.operands'
    ],
    [
      'uses a variable that nothing binds',
      broken(d => {
        d.scopes[0].operands[0] = [3];
      }),
      'scopes.operands'
    ],
    [
      'uses a variable before an equation binds it',
      broken(d => {
        const { constants, inputs } = d.scopes[0];
        d.scopes[0].operands[0] = [constants + inputs];
      }),
      'scopes.operands'
    ],
    [
      'has a span that ends before it begins',
      broken(d => {
        d.frames[0][2] = d.frames[0][4] + 1;
      }),
      'frames.end_line'
    ],
    [
      'lists something as null that it may only leave out',
      broken(d => {
        d.recordings = null;
      }),
      'recordings'
    ],
    [
      'holds half a character',
      broken(d => {
        d.strings[0] = '\ud800';
      }),
      'strings'
    ],
    [
      'has columns of different lengths',
      broken(d => {
        d.scopes[0].stack = [0];
      }),
      'scopes.stack'
    ],
    [
      'drops a variable that nothing binds',
      broken(d => {
        d.scopes[0].dropped = [d.scopes[0].variable_avals.length];
      }),
      'scopes.dropped'
    ],
    [
      'types more variables than it binds',
      broken(d => {
        d.scopes[0].variable_avals.push(0);
      }),
      'scopes.variable_avals'
    ],
    [
      'counts in fractions',
      broken(d => {
        d.programs[0].equations = 2.5;
      }),
      'programs.equations'
    ],
    [
      'counts more equations than can be numbered',
      broken(d => {
        d.scopes[0].count = d.scopes[0].total = 1e15;
        d.scopes[0].names = d.scopes[0].variable_avals.map(() => 'a');
      }),
      'scopes.count'
    ],
    [
      'says a level is held and holds none',
      broken(d => {
        d.programs[0].levels[1].text = null;
      }),
      'levels.text'
    ],
    [
      'has a scope inside itself',
      broken(d => {
        d.scopes[1].children = [[0, 5, -1, 0]];
      }),
      'scopes.children'
    ],
    [
      'has a note about a frame it lacks',
      broken(d => {
        d.notes[0].frame = 4;
      }),
      'notes.frame'
    ],
    [
      'has a word where there is a choice',
      broken(d => {
        d.programs[0].origin = 'guessed';
      }),
      'programs.origin'
    ]
  ])('%s', (_, document, field) => {
    expect(readSnapshot(document)).toMatchObject({
      unreadable: 'broken',
      field
    });
  });

  it('nests deeper than a printer goes, or holds itself', () => {
    const inner = scopes()[1];
    const nested = (depth: number, last: number[][] = []): unknown => ({
      ...snapshot(),
      scopes: Array.from({ length: depth }, (_, i) => ({
        ...inner,
        children: i + 1 < depth ? [[0, 5, -1, i + 1]] : last
      }))
    });
    const deepest = nested(1000);
    expect(readSnapshot(deepest)).toBe(deepest);
    for (const depth of [1001, 50_000]) {
      expect(readSnapshot(nested(depth))).toEqual({
        unreadable: 'broken',
        field: 'scopes.children',
        expected: 'at most 1000 programs inside each other'
      });
    }
    expect(readSnapshot(nested(1000, [[0, 5, -1, 0]]))).toEqual({
      unreadable: 'broken',
      field: 'scopes.children',
      expected: 'scopes that do not hold themselves'
    });
  });

  it.each(['first_equation', 'first_variable'])(
    'has a scope that begins in the middle: %p',
    field => {
      const [first, ...others] = snapshot().scopes;
      const scopes = [{ ...first, [field]: 1 }, ...others];
      expect(readSnapshot({ ...snapshot(), scopes })).toMatchObject({
        unreadable: 'broken'
      });
    }
  );

  it.each([1e300, -1, 253_402_300_800])(
    'was made in no year that a calendar has: %p',
    created => {
      expect(readSnapshot({ ...snapshot(), created })).toEqual({
        unreadable: 'broken',
        field: 'created',
        expected: 'a date from 1970 to 9999, in seconds'
      });
    }
  );
});

describe('whatever comes in', () => {
  it('never throws on any value', () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        readSnapshot(value);
      })
    );
  });

  it('never throws on a document with one place replaced, and what passes is in range', () => {
    const places: (string | number)[][] = [];
    const walk = (value: unknown, place: (string | number)[]): void => {
      places.push(place);
      if (Array.isArray(value)) {
        value.forEach((entry, i) => walk(entry, [...place, i]));
      } else if (typeof value === 'object' && value !== null) {
        Object.entries(value).forEach(([key, entry]) =>
          walk(entry, [...place, key])
        );
      }
    };
    walk(snapshot(), []);
    fc.assert(
      fc.property(
        fc.constantFrom(...places.slice(1)),
        fc.oneof(
          fc.anything(),
          fc.integer({ min: -3, max: 300 }),
          fc.constant(undefined)
        ),
        (place, value) => {
          const document = JSON.parse(JSON.stringify(snapshot()));
          let holder = document;
          for (const step of place.slice(0, -1)) {
            holder = holder[step];
          }
          holder[place[place.length - 1]] = value;
          const read = readSnapshot(document);
          if (!isUnreadable(read)) {
            reachEverything(read);
          }
        }
      ),
      { numRuns: 3000 }
    );
  });
});

/** Follow every index of a document the way views do. */
function reachEverything(document: Snapshot): void {
  const must = <T>(entry: T | undefined): T => {
    expect(entry).not.toBeUndefined();
    return entry as T;
  };
  for (const one of document.programs) {
    must(document.scopes[one.scope]);
    if (one.definition >= 0) {
      must(document.files[must(document.frames[one.definition])[0]]);
    }
  }
  for (const note of document.notes) {
    if (note.frame >= 0) {
      must(document.frames[note.frame]);
    }
  }
  for (const scope of document.scopes) {
    scope.primitive.forEach((primitive, i) => {
      must(document.strings[primitive]);
      must(document.strings[scope.name_stack[i]]);
      if (scope.parameters[i] >= 0) {
        must(document.parameter_lists[scope.parameters[i]]).forEach(
          ([name, value]) => {
            must(document.strings[name]);
            if (value >= 0) {
              must(document.strings[value]);
            }
          }
        );
      }
      for (const operand of scope.operands[i]) {
        if (operand < 0) {
          must(document.literals[-1 - operand]);
        } else {
          must(document.avals[must(scope.variable_avals[operand])]);
        }
      }
    });
    scope.children.forEach(child => must(document.scopes[child[3]]));
  }
}

describe('the golden documents', () => {
  const folder = path.join(__dirname, '../../../tests/fixtures');
  const golden = (ending: RegExp): string[] =>
    fs.readdirSync(folder).filter(name => ending.test(name));
  const parsed = (name: string): unknown =>
    JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));

  it.each(golden(/\d\.json$/))('%s is read', name => {
    const document = parsed(name);
    expect(readSnapshot(document)).toBe(document);
  });

  it.each(golden(/\.page\.json$/))('%s is read as a page', name => {
    const page = parsed(name);
    const document = parsed(name.replace(/(\.rest)?\.page/, '')) as Snapshot;
    expect(checkScopePage(page, document.scopes.length)).toBe(page);
  });

  it('has no page of equations of a scope that does not exist', () => {
    const page = parsed('cut-0.12.rest.page.json') as ScopePage;
    const { scopes } = parsed('cut-0.12.json') as Snapshot;
    const [inner] = page.inner ?? [];
    expect(inner.number).toBeLessThan(scopes.length);
    inner.number = scopes.length;
    expect(() => checkScopePage(page, scopes.length)).toThrow(
      'scope.inner.number'
    );
  });
});
