import {
  programCost,
  programTiming,
  snapshot,
  sweep
} from '../../protocol/__tests__/documents';
import { programDiff } from '../../protocol/__tests__/diffs';
import { ProgramDiff } from '../../protocol/snapshot';
import { carry, merge } from '../merged-answers';

describe('an answer in its document', () => {
  it('takes the place of the older one about its program, in the order of the programs', () => {
    const document = snapshot({ timings: [programTiming({ program: 1 })] });
    const timings = document.timings ?? [];
    const again = programTiming({ sentence: 'again' });
    merge(document, 'time', programTiming());
    merge(document, 'time', again);
    expect(document.timings).toEqual([again, programTiming({ program: 1 })]);
    expect(timings).toHaveLength(1); // `merge` makes a new list, and does not change the list that a view may have
  });

  it('is the first of its field', () => {
    const document = snapshot();
    delete document.costs;
    merge(document, 'cost', programCost());
    expect(document.costs).toEqual([programCost()]);
  });

  it('is one of several about a program, where it is a diff with another program or of another level', () => {
    const document = snapshot({ id: 'run-2' });
    const ofLevel = (level: ProgramDiff['level'], summary = ''): ProgramDiff =>
      programDiff({ level, summary });
    const { before } = programDiff();
    const withAnother = programDiff({ before: { ...before, program: 1 } });
    merge(document, 'diff', ofLevel('stablehlo'));
    merge(document, 'diff', withAnother);
    merge(document, 'diff', ofLevel('jaxpr'));
    merge(document, 'diff', ofLevel('jaxpr', 'again'));
    expect(document.diffs).toEqual([
      ofLevel('jaxpr', 'again'),
      withAnother,
      ofLevel('stablehlo')
    ]);
  });

  it('stands alone in a field that holds one', () => {
    const document = snapshot();
    merge(document, 'sweep', sweep());
    expect(document.sweep).toEqual(sweep());
  });

  it('belongs to no field where the request names none', () => {
    const document = snapshot();
    merge(document, 'export', '<!doctype html>');
    expect(document).toEqual(snapshot());
  });
});

describe('a document that takes the place of an older one of its run', () => {
  it('has the answers that came meanwhile, and its own where it has them', () => {
    const own = programTiming({ sentence: 'its own' });
    const older = snapshot({
      timings: [programTiming(), programTiming({ program: 1 })],
      sweep: sweep()
    });
    const newer = snapshot({ timings: [own] });
    carry(older, newer);
    expect(newer.timings).toEqual([own, programTiming({ program: 1 })]);
    expect(newer.sweep).toEqual(sweep());
  });

  it('has no answer about a program that is another one now', () => {
    const older = snapshot({ timings: [programTiming()] });
    const newer = snapshot();
    newer.programs = newer.programs.map(one => ({ ...one, name: 'other' }));
    carry(older, newer);
    expect(newer.timings ?? []).toEqual([]);
  });
});
