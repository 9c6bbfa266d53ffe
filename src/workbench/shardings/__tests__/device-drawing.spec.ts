import { nullTranslator } from '@jupyterlab/translation';

import type { Layout, SpreadArray } from '../../../protocol/snapshot';
import { Shape, widthOf } from '../../../parts/drawn-pieces';
import { drawShards, shardsWords } from '../device-drawing';
import { partsOf, runsOf } from '../blocks-of-array';
import { REPLICATED, array, layout } from './spread';

const trans = nullTranslator.load('jupyter_jaxpr');

function texts(
  one: SpreadArray,
  how: Layout,
  width = 336
): string[] | undefined {
  return drawShards(one, how, width, trans)?.shapes.flatMap(shape =>
    shape.kind === 'text' ? [shape.text] : []
  );
}

/** The right end of a piece. */
function right(shape: Shape): number {
  switch (shape.kind) {
    case 'rect':
      return shape.x + shape.width;
    case 'text': {
      const after = { start: 1, middle: 0.5, end: 0 }[shape.anchor];
      return shape.x + after * widthOf(shape.text, shape.look);
    }
    case 'path':
      return 0;
  }
}

describe('the picture of an array', () => {
  it('has a box for each block, its devices in it and its ranges beside', () => {
    expect(texts(array(), layout())).toEqual([
      'Rows: axis 0 of the array. Columns: axis 1.',
      '0:16',
      '0, 1',
      '2, 3',
      '4, 5',
      '6, 7',
      '0:2',
      '2:4',
      '4:6',
      '6:8'
    ]);
  });

  it('of what every device holds is one box', () => {
    const whole = array({ type: 'f32[4]', shape: [4], shard: [4] });
    expect(texts(whole, REPLICATED)).toEqual([
      'Every device holds the whole array.',
      '0–7'
    ]);
    const scalar = array({ type: 'f32[]', shape: [], shard: [] });
    const how = layout({ splits: [], holders: [[0, 1]] });
    expect(texts(scalar, how)).toEqual([
      'Every device holds the whole array.',
      '0, 1'
    ]);
  });

  it('of a vector goes across', () => {
    const vector = array({ type: 'f32[8]', shape: [8], shard: [4] });
    const how = layout({ splits: [2], holders: [[0], [1]] });
    expect(texts(vector, how)).toEqual([
      'The columns are the pieces of axis 0 of the array.',
      '0:4',
      '4:8',
      '0',
      '1'
    ]);
  });

  it('of an array cut along its last axis has that across', () => {
    const how = layout({ splits: [1, 2], holders: [[0], [1]] });
    const parts = partsOf(array({ shard: [8, 8] }), how);
    expect(parts).toMatchObject({ rowAxis: 0, columnAxis: 1, columns: 2 });
  });

  it('of three axes that are cut says which is not drawn', () => {
    const cube = array({
      type: 'f32[2,2,2]',
      shape: [2, 2, 2],
      shard: [1, 1, 1]
    });
    const how = layout({
      splits: [2, 2, 2],
      holders: [[7], [6], [5], [4], [3], [2], [1], [0]]
    });
    expect(texts(cube, how)?.slice(0, 8)).toEqual([
      'Rows: axis 0 of the array. Columns: axis 1.',
      'The array is also split along axis 2 (not drawn).',
      '0:1',
      '1:2',
      '6, 7',
      '4, 5',
      '2, 3',
      '0, 1'
    ]);
  });

  it('of many blocks has the first, and says so', () => {
    const long = array({ type: 'f32[256]', shape: [256], shard: [1] });
    const how = layout({
      splits: [256],
      holders: Array.from({ length: 256 }, (_, device) => [device])
    });
    const found = texts(long, how) ?? [];
    expect(found).toContain(
      'The picture shows the first 1 × 16 of 1 × 256 blocks.'
    );
    expect(found).not.toContain('17');
  });

  it.each([150, 200, 336, 900])('stays inside %p pixels', width => {
    const wide = array({
      type: 'f32[4096,8192]',
      shape: [4096, 8192],
      shard: [1024, 512]
    });
    const how = layout({
      splits: [4, 16],
      holders: Array.from({ length: 64 }, (_, part) => [part, part + 64])
    });
    const drawing = drawShards(wide, how, width, trans);
    expect(drawing).not.toBeNull();
    for (const shape of drawing?.shapes ?? []) {
      expect(right(shape)).toBeLessThanOrEqual((drawing?.width ?? 0) + 1);
    }
  });

  it('is none where it is not known who holds what', () => {
    const unknown = layout({ splits: [], holders: [] });
    expect(texts(array(), unknown)).toBeUndefined();
    expect(shardsWords(array(), unknown, trans)).toBe(
      "x has the type f32[8,16] and the sharding P('data',). It is unknown which device holds which shard."
    );
  });

  it('is told in words', () => {
    expect(shardsWords(array(), layout(), trans)).toBe(
      "x has the type f32[8,16] and the sharding P('data',). Devices 0, 1 hold [0:2, 0:16]. Devices 2, 3 hold [2:4, 0:16]. Devices 4, 5 hold [4:6, 0:16]. Devices 6, 7 hold [6:8, 0:16]."
    );
  });

  it('names runs of devices', () => {
    expect(runsOf([0, 1, 2, 5, 7, 8])).toBe('0–2, 5, 7, 8');
  });
});
