import {
  programCost,
  programTiming,
  snapshot,
  sweep
} from '../../protocol/__tests__/documents';
import { merge } from '../results';

describe('an answer in its document', () => {
  it('takes the place of the older one about its program, in the order of the programs', () => {
    const document = snapshot({ timings: [programTiming({ program: 1 })] });
    const timings = document.timings ?? [];
    const again = programTiming({ sentence: 'again' });
    merge(document, 'time', programTiming());
    merge(document, 'time', again);
    expect(document.timings).toEqual([again, programTiming({ program: 1 })]);
    expect(timings).toHaveLength(1); // a view that drew the older list has it
  });

  it('is the first of its field', () => {
    const document = snapshot();
    delete document.costs;
    merge(document, 'cost', programCost());
    expect(document.costs).toEqual([programCost()]);
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
