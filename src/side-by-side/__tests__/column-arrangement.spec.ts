import {
  FIRST_ARRANGEMENT,
  arrangementFrom,
  divided,
  moved,
  shareOf,
  shownColumns,
  toggled
} from '../column-arrangement';
import { fitting } from '../fitting-columns';

const ALL = fitting(0);

describe('the columns', () => {
  it('are as many as there is room for, until the user has chosen', () => {
    const shown = [1440, 1100, 1099, 1000, 999, 400].map(width =>
      shownColumns(FIRST_ARRANGEMENT, fitting(width)).join(' ')
    );
    expect(shown).toEqual([
      'source jaxpr stablehlo hlo',
      'source jaxpr stablehlo hlo',
      'source jaxpr hlo',
      'source jaxpr hlo',
      'jaxpr hlo',
      'jaxpr hlo'
    ]);
    const chosen = toggled(FIRST_ARRANGEMENT, fitting(400), 'source');
    expect(shownColumns(chosen, fitting(400))).toEqual([
      'source',
      'jaxpr',
      'hlo'
    ]);
    expect(shownColumns(chosen, fitting(1280))).toEqual([
      'source',
      'jaxpr',
      'hlo'
    ]);
  });

  it('are hidden and shown, but for the last one', () => {
    let arrangement = FIRST_ARRANGEMENT;
    for (const column of ['source', 'stablehlo', 'hlo', 'jaxpr'] as const) {
      arrangement = toggled(arrangement, ALL, column);
    }
    expect(shownColumns(arrangement, ALL)).toEqual(['jaxpr']);
    expect(shownColumns(toggled(arrangement, ALL, 'source'), ALL)).toEqual([
      'source',
      'jaxpr'
    ]);
  });

  it('are moved past the neighbour that is in sight', () => {
    const without = toggled(FIRST_ARRANGEMENT, ALL, 'jaxpr');
    const after = moved(without, ALL, 'stablehlo', -1);
    expect(shownColumns(after, ALL)).toEqual(['stablehlo', 'source', 'hlo']);
    expect(moved(after, ALL, 'stablehlo', -1)).toBe(after);
    expect(shownColumns(moved(after, ALL, 'source', 1), ALL)).toEqual([
      'stablehlo',
      'hlo',
      'source'
    ]);
  });

  it('share the room of two when a divider is moved; neither vanishes', () => {
    const wider = divided(FIRST_ARRANGEMENT, 'source', 'jaxpr', 0.7);
    expect(shareOf(wider, 'source', 'jaxpr')).toBeCloseTo(0.7);
    expect(wider.weights.source + wider.weights.jaxpr).toBeCloseTo(2);
    expect(wider.weights.hlo).toBe(1);
    const all = divided(wider, 'source', 'jaxpr', 1);
    expect(shareOf(all, 'source', 'jaxpr')).toBeCloseTo(0.85);
  });
});

describe('what was remembered', () => {
  it('comes back as it was', () => {
    const kept = {
      ...divided(
        moved(toggled(FIRST_ARRANGEMENT, ALL, 'source'), ALL, 'hlo', -1),
        'jaxpr',
        'hlo',
        0.6
      ),
      together: false
    };
    expect(arrangementFrom(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
  });

  it('is as at first where it makes no sense', () => {
    const wrong: unknown[] = [
      undefined,
      null,
      'wide',
      { order: ['hlo', 'hlo'], hidden: 7, weights: { source: -1 } },
      { hidden: ['source', 'jaxpr', 'stablehlo', 'hlo'], weights: null }
    ];
    for (const remembered of wrong) {
      expect(arrangementFrom(remembered)).toEqual(FIRST_ARRANGEMENT);
    }
  });
});
