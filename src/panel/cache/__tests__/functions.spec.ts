import {
  ledger,
  ledgerCounts,
  ledgerFunction,
  ledgerMiss,
  ledgerReason
} from '../../../protocol/__tests__/documents';
import { changedParts } from '../changed-parts';
import {
  IMiss,
  Order,
  calledFunction,
  grouped,
  inOrder,
  matching,
  nextOrder,
  totalsOf
} from '../functions';
import { questionsOf, scoreOf } from '../predictions';

const named = (name: string, calls: number | null, seconds: number) =>
  ledgerFunction({
    name,
    run: ledgerCounts({ calls, hits: calls, misses: 1, seconds })
  });

const all = [named('b', 3, 0.2), named('a', null, 0.9), named('c', 3, 0.1)].map(
  (one, index) => ({ ledgerFunction: one, index })
);

describe('the order of functions', () => {
  it.each<[Order, string[]]>([
    [null, ['b', 'a', 'c']],
    [{ column: 'function', descending: false }, ['a', 'b', 'c']],
    [{ column: 'price', descending: true }, ['a', 'b', 'c']],
    [{ column: 'price', descending: false }, ['c', 'b', 'a']],
    [{ column: 'calls', descending: true }, ['b', 'c', 'a']],
    [{ column: 'calls', descending: false }, ['b', 'c', 'a']]
  ])('%j: what is unknown last, equal ones as they were', (order, names) => {
    expect(
      inOrder(all, order).map(({ ledgerFunction }) => ledgerFunction.name)
    ).toEqual(names);
  });

  it('goes from the side that matters to the other, and back to the calls', () => {
    const first = nextOrder(null, 'price');
    const second = nextOrder(first, 'price');
    expect([first, second, nextOrder(second, 'price')]).toEqual([
      { column: 'price', descending: true },
      { column: 'price', descending: false },
      null
    ]);
    expect(nextOrder(second, 'function')).toEqual({
      column: 'function',
      descending: false
    });
  });
});

describe('the sums', () => {
  it('are lower bounds where a part is unknown or one', () => {
    const functions = all.map(entry => entry.ledgerFunction);
    const { functions: count, calls } = totalsOf(ledger({ functions }));
    expect([count, calls]).toEqual([3, { value: 6, exact: false }]);
  });

  it('are unknown where every part is', () => {
    expect(
      totalsOf(ledger({ functions: [named('a', null, 0)] })).calls
    ).toEqual({ value: null, exact: false });
  });
});

describe('misses', () => {
  const miss = (kind: string, index: number): IMiss => ({
    miss: ledgerMiss({ reasons: [ledgerReason({ kind })] }),
    index
  });
  const sizes = (kinds: string[]): number[] =>
    grouped(kinds.map(miss)).map(group => group.length);

  it('are one where three or more in a row have the same reason', () => {
    const many = ['first_call', 'new_function', 'new_function', 'new_function'];
    expect(sizes(many)).toEqual([1, 3]);
    expect(sizes(['shape', 'shape', 'dtype'])).toEqual([1, 1, 1]);
    expect(sizes(['first_call', 'first_call', 'first_call'])).toEqual([
      1, 1, 1
    ]);
  });

  it('are of one function, not of a function and its gradient', () => {
    const of = (signature: string, index: number): IMiss => ({
      miss: { ...miss('shape', index).miss, signature },
      index
    });
    const sizesOf = (...signatures: string[]): number[] =>
      grouped(signatures.map(of)).map(group => group.length);
    const [itself, gradient] = ['loss(w: f32[3])', 'jax.grad(loss)(w: f32[3])'];
    expect(sizesOf(itself, itself, itself)).toEqual([3]);
    expect(sizesOf(itself, gradient, itself)).toEqual([1, 1, 1]);
  });
});

describe('the called function', () => {
  it.each([
    ['w: f32[3]', ''],
    ['', ''],
    ['x: f32[3], n=(2, 3)', ''],
    ['d[(1, 2)]: f32[3]', ''],
    ['loss(w: f32[3])', 'loss'],
    ['loss(d[(1, 2)]: f32[3])', 'loss'],
    ['loss()', 'loss'],
    ['jax.grad(loss)(w: f32[3], n=(2, 3))', 'jax.grad(loss)'],
    ['jax.grad(jax.vmap(loss))(w: f32[3])', 'jax.grad(jax.vmap(loss))']
  ])('of %s is %s', (signature, called) => {
    expect(calledFunction({ signature })).toBe(called);
  });
});

describe('the filter', () => {
  const searched = {
    function: ['train_step', 'line 2'],
    misses: [['first call'], ['shape', 'batch: f32[32] -> f32[17]']]
  };
  const found = (text: string): number[] | null => {
    const set = matching(searched, text);
    return set && [...set];
  };

  it('finds misses, or all of a function by its own name', () => {
    expect(found('  ')).toEqual([0, 1]);
    expect(found('TRAIN')).toEqual([0, 1]);
    expect(found('f32[17]')).toEqual([1]);
    expect(found('dtype')).toBeNull();
  });
});

describe('what changed', () => {
  const told = (before: string, after: string): string[] =>
    Object.values(changedParts(before, after)).map(parts =>
      parts.map(one => (one.changed ? `*${one.text}*` : one.text)).join('')
    );

  it.each([
    ['f32[32,3]', 'f32[17,3]', ['f32[*32*,3]', 'f32[*17*,3]']],
    ['f32[1,2]', 'f32[3,4]', ['f32[*1*,*2*]', 'f32[*3*,*4*]']],
    ['f32[10]', 'f32[10,1]', ['f32[10]', 'f32[10*,1*]']],
    ["'train'", "'eval'", ["'*train*'", "'*eval*'"]],
    ['f32[]', 'weak f32[]', ['f32[]', '*weak *f32[]']],
    ['2', '2', ['2', '2']],
    ['', 'x', ['', '*x*']]
  ])('%s, %s', (before, after, parts) => {
    expect(told(before, after)).toEqual(parts);
  });
});

describe('what can be guessed', () => {
  it('is each miss of the run, and the hits that came after it', () => {
    expect(
      questionsOf(ledgerFunction()).map(({ signature, calls, answer }) => [
        signature,
        calls,
        answer
      ])
    ).toEqual([
      ['batch: f32[32,3]', 1, 'miss'],
      ['batch: f32[32,3]', 8, 'hit'],
      ['batch: f32[17,3]', 1, 'miss'],
      ['batch: f32[17,3]', 2, 'hit']
    ]);
  });

  it('is a hit where Python found what was there, and nothing where it was inlined', () => {
    const one = ledgerFunction({
      run: ledgerCounts({ calls: 1, hits: 1, misses: 1, inlined: 1 }),
      entries: [],
      misses: [
        ledgerMiss({ outcome: 'dispatch_only', entry: -1 }),
        ledgerMiss({ outcome: 'inlined', entry: -1 }),
        ledgerMiss({ this_run: false, entry: -1 })
      ]
    });
    expect(questionsOf(one).map(({ answer }) => answer)).toEqual(['hit']);
  });

  it('are the hits together where they cannot be told apart', () => {
    const one = ledgerFunction();
    const unknown = one.entries.map(entry => ({ ...entry, hits: null }));
    expect(
      questionsOf({ ...one, entries: unknown }).map(({ calls, answer }) => [
        calls,
        answer
      ])
    ).toEqual([
      [1, 'miss'],
      [1, 'miss'],
      [10, 'hit']
    ]);
  });

  it('is counted', () => {
    expect(
      scoreOf(
        [ledgerFunction()],
        new Map([
          ['0 miss 0', 'miss'],
          ['0 hits 0', 'miss']
        ])
      )
    ).toEqual({ guessed: 2, right: 1, of: 4 });
  });
});
