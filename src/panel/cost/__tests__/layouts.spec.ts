import { machine } from '../../../protocol/__tests__/documents';
import { icicleOf, neighbour } from '../icicle-layout';
import { placementOf, rooflineOf } from '../roofline-layout';
import { node, rnnCost } from './costs';

/** Lists the bars, each as `level label: left to right`, the ends in percent of the width. */
function bars(nodes: Parameters<typeof icicleOf>[0]): string[] {
  return icicleOf(nodes, 'flops').bars.map(
    ({ index, level, left, width }) =>
      `${level} ${nodes[index].label}: ${Math.round(100 * left)} to ${Math.round(100 * (left + width))}`
  );
}

describe('the icicle', () => {
  const tree = [
    node({ label: 'f', flops: 100 }),
    node({ label: 'scan', parent: 0, flops: 60 }),
    node({ label: 'inner', parent: 1, flops: 30 }),
    node({ label: 'cond', parent: 0, flops: 20 }),
    node({ label: 'free', parent: 0, flops: 0 })
  ];

  it('has each bar inside that of its parent, as wide as its part', () => {
    expect(bars(tree)).toEqual([
      '0 f: 0 to 100',
      '1 scan: 0 to 60',
      '2 inner: 0 to 30',
      '1 cond: 60 to 80'
    ]);
    expect(icicleOf(tree, 'flops')).toMatchObject({ levels: 3, left: 1 });
  });

  it('shrinks what is more than the whole, such as branches of which one is taken', () => {
    expect(
      bars([
        node({ label: 'f', flops: 100 }),
        node({ label: 'one', parent: 0, flops: 100 }),
        node({ label: 'other', parent: 0, flops: 100 })
      ])
    ).toEqual(['0 f: 0 to 100', '1 one: 0 to 50', '1 other: 50 to 100']);
  });

  it('has no bars where nothing costs, and an end where it is deep', () => {
    expect(bars([node({ label: 'f' })])).toEqual([]);
    const deep = Array.from({ length: 40 }, (_, at) =>
      node({ label: `n${at}`, parent: at - 1, flops: 8 })
    );
    expect(icicleOf(deep, 'flops')).toMatchObject({ levels: 12, left: 28 });
  });

  it('is walked by the arrows', () => {
    const icicle = icicleOf(tree, 'flops');
    const walk = (at: number, ...keys: string[]): number =>
      keys.reduce(
        (from, key) => neighbour(icicle, from, `Arrow${key}` as 'ArrowLeft'),
        at
      );
    expect(walk(0, 'Down')).toBe(1);
    expect(walk(0, 'Down', 'Right')).toBe(3);
    expect(walk(3, 'Left', 'Down', 'Up', 'Up')).toBe(0);
    expect(walk(0, 'Up')).toBe(0);
    expect(walk(3, 'Right')).toBe(3);
    expect(walk(2, 'Down')).toBe(2);
  });
});

describe('the roofline', () => {
  const warm = {
    median: 1e-5,
    minimum: 1e-5,
    lower: 1e-5,
    upper: 1e-5,
    runs: 10,
    dispatch: 1e-6,
    batch: 1
  };
  const cost = rnnCost({
    flops: 1e6,
    flops_min: 1e6,
    transcendentals: 0,
    bytes_read: 75e4,
    bytes_written: 25e4
  });

  it.each([
    [1e10, 1e10, 'compute', 1e10, 10],
    [1e12, 1e11, 'memory', 1e11, 1],
    [1e12, 2e11, 'memory', 2e11, 0.5]
  ])('of %d op/s and %d B/s', (flops, bandwidth, bound, roof, part) => {
    const placement = placementOf(cost, machine({ flops, bandwidth }), warm);
    expect(placement).toMatchObject({ intensity: 1, bound, roof });
    expect(placement?.reached).toBeCloseTo(1e11, -5);
    expect(placement?.part).toBeCloseTo(part, 9);
  });

  it('has no place for what has no operations, no bytes, or no machine', () => {
    const nothing = { flops: 0, flops_min: 0, transcendentals: 0 };
    expect(placementOf(rnnCost(nothing), machine(), warm)).toBeNull();
    const still = { bytes_read: 0, bytes_written: 0 };
    expect(placementOf(rnnCost(still), machine(), warm)).toBeNull();
    expect(placementOf(cost, machine({ flops: 0 }), warm)).toBeNull();
  });

  it('rises to the ridge and is flat from there on, all within its frame', () => {
    const frame = { left: 40, right: 300, top: 20, bottom: 160 };
    const known = machine({ flops: 1e11, bandwidth: 1e10 });
    const { roof, ridge, x, y } = rooflineOf(
      known,
      placementOf(cost, known, warm),
      frame
    );
    const [foot, top, end] = roof;
    expect(top).toEqual(ridge);
    expect(x.at(10)).toBeCloseTo(ridge[0], 6);
    expect(end[1]).toBe(top[1]);
    expect(foot[1]).toBeGreaterThan(top[1]);
    for (const [across, up] of [...roof, [x.at(1), y.at(1e11)]]) {
      expect(across).toBeGreaterThanOrEqual(frame.left);
      expect(across).toBeLessThanOrEqual(frame.right);
      expect(up).toBeGreaterThanOrEqual(frame.top);
      expect(up).toBeLessThanOrEqual(frame.bottom);
    }
    expect(x.ticks.length).toBeLessThanOrEqual(7);
  });

  it('has a few ticks and finite corners whatever the speeds of the machine', () => {
    const frame = { left: 40, right: 300, top: 20, bottom: 160 };
    for (const [flops, bandwidth] of [
      [1e11, 5e-324],
      [5e-324, 1e300],
      [1e300, 1e300]
    ]) {
      const { roof, x, y } = rooflineOf(
        machine({ flops, bandwidth }),
        null,
        frame
      );
      expect(roof.flat().every(Number.isFinite)).toBe(true);
      expect(Math.max(x.ticks.length, y.ticks.length)).toBeLessThanOrEqual(7);
    }
  });
});
