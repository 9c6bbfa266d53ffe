/** Documents for tests, small and whole; every test that needs one starts here. */
import { Environment, Program, Progress, Scope, Snapshot } from '../snapshot';

export function environment(changes: Partial<Environment> = {}): Environment {
  return {
    jupyter_jaxpr: '0.1.0',
    python: '3.11.7',
    jax: '0.10.2',
    jaxlib: '0.10.2',
    backend: 'cpu',
    device: 'cpu',
    device_count: 1,
    tier: 'hooks',
    tier_note: null,
    ...changes
  };
}

/** `add` of an input and a literal, then `scan` over a body that holds one `sin`. */
export function scopes(): Scope[] {
  return [
    {
      name: -1,
      constants: 0,
      inputs: 1,
      outputs: [2],
      count: 2,
      total: 3,
      first_equation: 0,
      first_variable: 0,
      variable_avals: [0, 0, 0],
      dropped: [],
      names: null,
      primitive: [0, 1],
      operands: [[0, -1], [1]],
      output_counts: [1, 1],
      parameters: [-1, 0],
      stack: [0, 0],
      name_stack: [2, 2],
      children: [[1, 5, -1, 1]],
      effects: []
    },
    {
      name: -1,
      constants: 0,
      inputs: 1,
      outputs: [1],
      count: 1,
      total: 1,
      first_equation: 0,
      first_variable: 0,
      variable_avals: [0, 0],
      dropped: [],
      names: null,
      primitive: [3],
      operands: [[0]],
      output_counts: [1],
      parameters: [-1],
      stack: [-1],
      name_stack: [2],
      children: [],
      effects: []
    }
  ];
}

export function program(changes: Partial<Program> = {}): Program {
  return {
    name: 'rnn',
    origin: 'ran',
    origin_note: null,
    definition: 0,
    call: 0,
    arguments: [
      {
        name: 'p',
        type: '{b: f32[16], wh: f32[16,16]}',
        summary: '{b, wh}',
        static: false,
        donated: false
      },
      {
        name: 'xs',
        type: 'f32[100,8]',
        summary: 'f32[100,8]',
        static: false,
        donated: false
      }
    ],
    result: {
      name: '',
      type: '(f32[4], f32[100,16])',
      summary: '(f32[4], f32[100,16])',
      static: false,
      donated: false
    },
    scope: 0,
    input_names: ['x'],
    result_names: [''],
    equations: 3,
    complete: true,
    lets: null,
    levels: [
      {
        name: 'stablehlo',
        state: 'on_request',
        reason: null,
        characters: null,
        lines: null,
        sha256: null,
        text: null,
        line_stacks: null
      },
      {
        name: 'hlo',
        state: 'held',
        reason: null,
        characters: 12,
        lines: 2,
        sha256: 'ab12',
        text: 'HloModule m\n',
        line_stacks: [-1, 0]
      }
    ],
    stages: {
      trace: 0.0054,
      lower: 0.0142,
      compile: 0.121,
      from_disk: false,
      first_run: 0.0007,
      rest: 0.0012,
      total: 0.1423
    },
    activity: {
      calls: 4,
      calls_exact: true,
      misses: 1,
      traces: 1,
      lowerings: 1,
      compiles: 1,
      from_disk: 0,
      inlined: 0,
      raised: 0
    },
    ...changes
  };
}

export function snapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    version: 1,
    id: 'run-1',
    created: 1_786_900_000,
    title: null,
    pinned: false,
    environment: environment(),
    cell: {
      id: 'cell-7',
      execution_count: 7,
      file: '/tmp/ipykernel_1/1.py',
      source: '%%jaxpr\n@jax.jit\ndef rnn(p, xs): ...\nrnn(p, xs)'
    },
    programs: [program()],
    focus: 0,
    message: null,
    notes: [
      {
        kind: 'printed_while_tracing',
        text: 'rnn printed while JAX traced it.',
        cure: 'Use jax.debug.print.',
        detail: 'Tracing\n',
        program: 0,
        frame: 0,
        bytes: null
      }
    ],
    untraced_lines: [],
    cut: null,
    naming: { share_jit_names: true, hoist_above: 0 },
    strings: ['add', 'scan', '', 'sin', 'rnn', 'jaxpr', 'length', '100', '1.0'],
    avals: [
      {
        text: 'f32[]',
        shape: [],
        dtype: 'float32',
        weak: false,
        sharding: null
      }
    ],
    literals: [[8, 0]],
    parameter_lists: [
      [
        [5, -1],
        [6, 7]
      ]
    ],
    files: [
      {
        path: '/tmp/ipykernel_1/1.py',
        kind: 'cell',
        cell_id: 'cell-7',
        execution_count: 7,
        source: null
      }
    ],
    frames: [[0, 4, 3, 0, 3, 20]],
    stacks: [[[0], []]],
    scopes: scopes(),
    ...changes
  };
}

export function progress(changes: Partial<Progress> = {}): Progress {
  return {
    type: 'progress',
    seq: 2,
    run: 'run-2',
    cell_id: 'cell-14',
    function: 'rnn_unrolled',
    stage: 'compile',
    elapsed: 41,
    total_elapsed: 41.7,
    finished: [
      ['trace', 0.451],
      ['lower', 0.249]
    ],
    interruptible: false,
    ...changes
  };
}
