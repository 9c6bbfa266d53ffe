import { connected, run } from '../../model/__tests__/opened-model';
import type { Shell } from '../../panel/shell/shell';
import { snapshot } from '../../protocol/__tests__/documents';
import { ITraits, Traits, isIn } from '../traits';
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

describe('the traits that a notebook has set before the kernel sends the run', () => {
  it('stay as they are while earlier runs arrive, and hold for the run', async () => {
    const selection = {
      kind: 'equations',
      equations: [{ scope: 0, equation: 1 }]
    };
    const values: Record<string, unknown> = {
      document: { id: 'run-2' },
      program: 0,
      tab: 'program',
      level: 'hlo',
      selection
    };
    const set: string[] = [];
    const traits: ITraits = {
      get: name => values[name],
      set: name => set.push(name),
      save_changes: () => undefined,
      on: () => undefined,
      off: () => undefined
    };
    const { model, kernel } = connected();
    const shell = { viewChosen: () => undefined, showView: () => undefined };
    const driven = new Traits(traits, model, shell as unknown as Shell);
    model.arrived.connect(() => driven.take());
    kernel.sends(run('run-1'));
    await Promise.resolve();
    expect(model.selection).toBeNull();
    kernel.sends(run('run-2'));
    await Promise.resolve();
    expect(model.selection).toEqual(selection);
    expect(set).toEqual([]);
    driven.dispose();
  });
});
