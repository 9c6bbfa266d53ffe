/** The cost of a program for tests: a scan of 100 steps, where line 6 has most of the cost. */
import {
  programCost,
  scopes,
  snapshot
} from '../../../protocol/__tests__/documents';
import {
  CostNode,
  CostRow,
  ProgramCost,
  Snapshot
} from '../../../protocol/snapshot';

const SOURCE = [
  '%%jaxpr',
  '@jax.jit',
  'def rnn(p, xs):',
  '    def step(h, x):',
  '        a = x @ p["wx"]',
  '        r = h @ p["wh"]',
  '        h = jnp.tanh(a + r + p["b"])',
  '        return h, h',
  '',
  '    h, hs = lax.scan(step, jnp.zeros(16), xs)',
  '    return jax.nn.softmax(h @ p["wo"]), hs'
];

export function row(changes: Partial<CostRow> = {}): CostRow {
  return {
    label: 'f',
    frame: -1,
    equations: 1,
    flops: 0,
    flops_min: changes.flops ?? 0,
    transcendentals: 0,
    bytes_read: 0,
    bytes_written: 0,
    per_trip: false,
    ...changes
  };
}

export function node(changes: Partial<CostNode> = {}): CostNode {
  return {
    label: 'scan',
    parent: -1,
    scope: -1,
    frame: -1,
    runs: 1,
    per_trip: false,
    flops: 0,
    transcendentals: 0,
    bytes: 0,
    ...changes
  };
}

/** Frames 0 to 4 are the lines 5, 6, 7, 10 and 11. */
const LINES = [5, 6, 7, 10, 11];

function line(number: number, changes: Partial<CostRow>): CostRow {
  return row({
    label: SOURCE[number - 1].trim(),
    frame: LINES.indexOf(number),
    ...changes
  });
}

export function rnnCost(changes: Partial<ProgramCost> = {}): ProgramCost {
  return programCost({
    flops: 80143,
    flops_min: 80143,
    transcendentals: 1604,
    bytes_read: 200_000,
    bytes_written: 28_000,
    scopes: [
      {
        scope: 0,
        runs: 1,
        runs_min: 1,
        per_trip: false,
        flops: [143, 80_000],
        transcendentals: [4, 1600],
        bytes: [500, 227_500]
      },
      {
        scope: 1,
        runs: 100,
        runs_min: 100,
        per_trip: false,
        flops: [512],
        transcendentals: [0],
        bytes: [1150]
      }
    ],
    lead: ['80.1\u00a0k operations per call.', '64\u00a0% is on line\u00a06.'],
    by_line: [
      line(5, { flops: 25_600, bytes_read: 51_000, bytes_written: 10_000 }),
      line(6, { flops: 51_200, bytes_read: 105_000, bytes_written: 10_000 }),
      line(7, {
        flops: 3200,
        transcendentals: 1600,
        bytes_read: 43_600,
        bytes_written: 7900
      }),
      line(11, {
        flops: 143,
        transcendentals: 4,
        bytes_read: 400,
        bytes_written: 100
      })
    ],
    by_primitive: [
      row({ label: 'dot_general', equations: 3, flops: 76_928 }),
      row({ label: 'tanh', transcendentals: 1600 }),
      row({ label: 'add', equations: 2, flops: 3215 })
    ],
    by_scope: [
      node({
        label: 'rnn',
        scope: 0,
        flops: 80_143,
        transcendentals: 1604,
        bytes: 228_000
      }),
      node({
        label: 'scan',
        parent: 0,
        scope: 1,
        frame: 3,
        runs: 100,
        flops: 80_000,
        transcendentals: 1600,
        bytes: 227_500
      })
    ],
    by_name_stack: [
      node({ label: 'rnn', flops: 80_143, transcendentals: 1604 })
    ],
    xla: {
      flops: 945,
      transcendentals: 20,
      bytes: 3000,
      text: 'XLA counts 945 operations.',
      differences: [
        {
          kind: 'loop_once',
          text: 'XLA counts the body of a loop once, however many steps the loop has.',
          ours: 80_000,
          xla: 802,
          frame: 3,
          runs: 100
        }
      ]
    },
    memory: {
      arguments: 5100,
      results: 6400,
      temporaries: 300,
      generated_code: null,
      aliased: 0,
      peak: 11_800,
      peak_frame: 3,
      live: [
        {
          name: 'argument xs',
          type: 'f32[100,8]',
          bytes: 3200,
          frame: -1,
          scope: 0,
          equation: -1
        }
      ],
      residuals: [],
      residual_bytes: 0,
      constants: 0,
      peak_text: 'The peak is 11.8\u00a0kB.'
    },
    ...changes
  });
}

/** The document with the cost `rnnCost`: `add` on line 11, and `scan` on line 10, whose body is on line 6. */
export function rnnSnapshot(changes: Partial<Snapshot> = {}): Snapshot {
  const [outer, inner] = scopes();
  const base = snapshot();
  return snapshot({
    cell: {
      id: 'cell-7',
      execution_count: 7,
      file: '/tmp/ipykernel_1/1.py',
      source: SOURCE.join('\n')
    },
    frames: LINES.map(number => [0, 4, number, 8, number, 20]),
    stacks: LINES.map((_, at) => [[at], []]),
    scopes: [
      { ...outer, stack: [4, 3] },
      { ...inner, stack: [1] }
    ],
    notes: [],
    programs: base.programs.map(program => ({
      ...program,
      definition: 0,
      call: 0
    })),
    costs: [rnnCost()],
    ...changes
  });
}
