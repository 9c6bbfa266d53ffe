/** Makes the document of a data-parallel step over eight devices, for tests. */
import type {
  Collective,
  Layout,
  ProgramShardings,
  SpreadArray
} from '../../../protocol/snapshot';

export function layout(changes: Partial<Layout> = {}): Layout {
  return {
    kind: 'NamedSharding',
    spec: "P('data',)",
    mesh: [
      ['data', 4],
      ['model', 2]
    ],
    splits: [4, 1],
    holders: [
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7]
    ],
    ...changes
  };
}

/** The sharding of an array that is not split: it has one block. */
export const REPLICATED = layout({
  spec: 'P()',
  splits: [1],
  holders: [[0, 1, 2, 3, 4, 5, 6, 7]]
});

export function array(changes: Partial<SpreadArray> = {}): SpreadArray {
  return {
    role: 'argument',
    name: 'x',
    type: 'f32[8,16]',
    shape: [8, 16],
    bytes: 512,
    shard: [2, 16],
    layout: 0,
    origin: 'given',
    decided: 'sharding set before compiling',
    ...changes
  };
}

export function collective(changes: Partial<Collective> = {}): Collective {
  return {
    name: 'all-reduce.4',
    kind: 'all-reduce',
    line: 7,
    bytes: 128,
    sent: 192,
    arrays: 1,
    groups_text: '[2,4]<=[4,2]T(1,0)',
    groups: [
      [0, 2, 4, 6],
      [1, 3, 5, 7]
    ],
    runs: 1,
    often: 'once per call',
    causes: [
      {
        bytes: 128,
        op_name: 'jit(f)/transpose(jvp())/dot_general',
        file: 'cell.py',
        line: 3,
        equations: [[0, 1]]
      }
    ],
    ...changes
  };
}

export function shardings(
  changes: Partial<ProgramShardings> = {}
): ProgramShardings {
  return {
    program: 0,
    devices: [0, 1, 2, 3, 4, 5, 6, 7],
    layouts: [layout(), REPLICATED],
    arrays: [
      array(),
      array({
        role: 'result',
        name: 'result',
        type: 'f32[4]',
        shape: [4],
        bytes: 16,
        shard: [4],
        layout: 1,
        origin: 'chosen',
        decided: 'sharding chosen by XLA'
      }),
      array({
        role: 'constraint',
        name: '',
        origin: 'stated',
        decided: 'sharding set on line 3',
        scope: 0,
        equation: 0
      })
    ],
    collectives: [
      collective(),
      collective({
        name: 'all-gather',
        kind: 'all-gather',
        line: 9,
        runs: 10,
        often: '10 times per call'
      })
    ],
    bytes: 1408,
    sent: 2112,
    exchanged:
      'The results of 2 collectives take 1.4 kB on each device per call.',
    ...changes
  };
}
