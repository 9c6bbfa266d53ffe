import { snapshot } from '../../protocol/__tests__/documents';
import { isIn } from '../traits';
import { english } from '../words';

describe('a selection that a host has saved', () => {
  it.each([
    [{ kind: 'equations', equations: [{ scope: 0, equation: 1 }] }, true],
    [{ kind: 'equations', equations: [{ scope: 0, equation: 2 }] }, false],
    [{ kind: 'equations', equations: [{ scope: 99, equation: 0 }] }, false],
    [{ kind: 'equations', equations: [{ scope: 0, equation: -1 }] }, false],
    [{ kind: 'text', level: 'hlo', line: 3, stack: -1 }, true],
    [{ kind: 'text', level: 'other', line: 3, stack: -1 }, false],
    [{ kind: 'source', path: 'a.py', line: 0, column: 0 }, false],
    [{ kind: 'elsewhere' }, false],
    ['equations', false]
  ])('%j fits the document: %s', (selection, fits) => {
    expect(isIn(snapshot(), selection)).toBe(fits);
  });
});

describe('the texts of the widget', () => {
  it('fill their places', () => {
    expect(english.__('%1 of %2, 50 %%', 1, 'x')).toBe('1 of x, 50 %');
    expect(english._n('%1 line of %2', '%1 lines of %2', 1, 'f')).toBe(
      '1 line of f'
    );
    expect(english._n('%1 line of %2', '%1 lines of %2', 3, 'f')).toBe(
      '3 lines of f'
    );
  });
});
