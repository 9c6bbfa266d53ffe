/** Makes documents for tests: small and valid; each function takes changes to the document or part that it makes. */
import {
  Environment,
  Leaf,
  Ledger,
  LedgerCounts,
  LedgerEntry,
  LedgerFunction,
  LedgerMiss,
  LedgerReason,
  Machine,
  Program,
  ProgramCost,
  ProgramTiming,
  Progress,
  Recording,
  Scope,
  Snapshot,
  Sweep,
  Variant,
  VariantComparison
} from '../snapshot';

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

/** Makes the two scopes of a program: `add` of an input and a literal, then `scan` over a body that holds one `sin`. */
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
    summary: {
      size: ['3 equations', '1 scan ×100'],
      activity: '4 calls, 1 compile',
      origin: null
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
        text: 'rnn printed while JAX traced rnn.',
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

export function ledgerCounts(
  changes: Partial<LedgerCounts> = {}
): LedgerCounts {
  return {
    calls: 0,
    calls_exact: true,
    hits: 0,
    misses: 0,
    traces: 0,
    lowerings: 0,
    compiles: 0,
    from_disk: 0,
    inlined: 0,
    raised: 0,
    seconds: 0,
    ...changes
  };
}

export function ledgerReason(
  changes: Partial<LedgerReason> = {}
): LedgerReason {
  return {
    kind: 'first_call',
    text: 'This is the first call of train_step.',
    argument: null,
    before: null,
    after: null,
    cure: null,
    ...changes
  };
}

export function ledgerMiss(changes: Partial<LedgerMiss> = {}): LedgerMiss {
  return {
    outcome: 'compiled',
    reasons: [ledgerReason()],
    signature: 'batch: f32[32,3]',
    frame: 1,
    this_run: true,
    entry: 0,
    trace: 0.02,
    lower: 0.015,
    compile: 0.12,
    total: 0.156,
    outcome_text: 'compiled',
    ...changes
  };
}

export function ledgerEntry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    signature: 'batch: f32[32,3]',
    hits: 8,
    misses: 1,
    this_run: true,
    fast_path: true,
    ...changes
  };
}

export function ledgerFunction(
  changes: Partial<LedgerFunction> = {}
): LedgerFunction {
  const run = ledgerCounts({
    calls: 12,
    hits: 10,
    misses: 2,
    traces: 2,
    lowerings: 2,
    compiles: 2,
    seconds: 0.314
  });
  return {
    name: 'train_step',
    definition: 0,
    function_objects: 1,
    run,
    kernel: run,
    entries: [
      ledgerEntry(),
      ledgerEntry({ signature: 'batch: f32[17,3]', hits: 2 })
    ],
    misses: [
      ledgerMiss(),
      ledgerMiss({
        reasons: [
          ledgerReason({
            kind: 'shape',
            text: 'The type of batch changed from f32[32,3] to f32[17,3].',
            argument: 'batch',
            before: 'f32[32,3]',
            after: 'f32[17,3]',
            cure: 'Pad the array to one shape.'
          })
        ],
        signature: 'batch: f32[17,3]',
        entry: 1,
        trace: 0.01,
        lower: 0.009,
        compile: 0.14
      })
    ],
    misses_left_out: 0,
    ...changes
  };
}

/** A ledger with one function, `train_step`, which was called with two shapes and compiled once for each. */
export function ledger(changes: Partial<Ledger> = {}): Ledger {
  return {
    functions: [ledgerFunction()],
    lines: [{ line: 4, calls: 12, calls_exact: true, hits: 10, compiles: 2 }],
    seconds: 0.314,
    compiles: 2,
    cell_seconds: 0.553,
    library_functions: [],
    library_misses: 0,
    calls_note: null,
    lead: '2 compiles: tracing, lowering and compiling took 314 ms.',
    ...changes
  };
}

/** A snapshot with a ledger: functions are defined on line 3 and called on line 4 of the cell. */
export function snapshotWithLedger(
  changes: Partial<Ledger> = {},
  others: Partial<Snapshot> = {}
): Snapshot {
  return snapshot({
    frames: [
      [0, 4, 3, 0, 3, 20],
      [0, 4, 4, 0, 4, 10]
    ],
    ledger: ledger(changes),
    ...others
  });
}

export function leaf(changes: Partial<Leaf> = {}): Leaf {
  return {
    role: 'carry',
    path: 'total',
    type: 'i32[]',
    elements: 1,
    texts: ['0', '1', '3', '6', '10', '15'],
    numbers: [0, 1, 3, 6, 10, 15],
    number_name: 'value',
    minimum: null,
    mean: null,
    maximum: null,
    nans: [],
    infinities: [],
    ...changes
  };
}

/** Makes the recording of a scan of five steps: the cumulative sum of [1 2 3 4 5], and each total doubled. */
export function recording(changes: Partial<Recording> = {}): Recording {
  return {
    snapshot: 'run-1',
    control: 0,
    visits: [
      { first_point: 0, points: 5, trips: 5, outer: [], finished: true }
    ],
    visits_total: 1,
    step: [0, 1, 2, 3, 4],
    leaves: [
      leaf(),
      leaf({
        role: 'x',
        path: 'xs',
        texts: ['1', '2', '3', '4', '5'],
        numbers: [1, 2, 3, 4, 5]
      }),
      leaf({
        role: 'y',
        path: 'ys',
        texts: ['2', '6', '12', '20', '30'],
        numbers: [2, 6, 12, 20, 30]
      })
    ],
    branch_taken: ['', '', '', '', ''],
    stopped: null,
    thinned: null,
    comparisons: [
      {
        path: 'result[0]',
        equal: true,
        recorded: '15',
        real: '15',
        largest_difference: null
      },
      {
        path: 'result[1]',
        equal: true,
        recorded: '[2 6 12 20 30]',
        real: '[2 6 12 20 30]',
        largest_difference: null
      }
    ],
    verdict:
      "The recorded results equal the original function's results, bit for bit.",
    notes: [],
    seconds: 0.21,
    ...changes
  };
}

export function variant(changes: Partial<Variant> = {}): Variant {
  return {
    name: 'unrolled',
    program: 0,
    equations: 300,
    trace: 0.02,
    lower: 0.03,
    compile: 0.9,
    from_disk: false,
    warm: {
      median: 12e-6,
      minimum: 11e-6,
      lower: 11.5e-6,
      upper: 13e-6,
      runs: 50,
      dispatch: 8e-6
    },
    differentiable: 'reverse',
    differentiable_note: null,
    recompiles: null,
    result: '0.51',
    agrees: 'same_bits',
    difference: null,
    error: null,
    ...changes
  };
}

export function variantComparison(
  changes: Partial<VariantComparison> = {}
): VariantComparison {
  return {
    call: '(x)',
    variants: [variant(), variant({ name: 'scanned', equations: 4 })],
    verdict: ['scanned compiles 8 times faster.'],
    stopped: null,
    ...changes
  };
}

/** Makes the cost of the program of `snapshot()`: ten steps of a sine, and an addition. */
export function programCost(changes: Partial<ProgramCost> = {}): ProgramCost {
  const sums = {
    flops: 1,
    flops_min: 1,
    transcendentals: 10,
    bytes_read: 44,
    bytes_written: 44,
    per_trip: false
  };
  return {
    program: 0,
    flops: 1,
    flops_min: 1,
    exact: true,
    transcendentals: 10,
    bytes_read: 44,
    bytes_written: 44,
    per_trip: [],
    unknown: [],
    scopes: [
      {
        scope: 0,
        runs: 1,
        runs_min: 1,
        per_trip: false,
        flops: [1, 0],
        transcendentals: [0, 10],
        bytes: [8, 80]
      },
      {
        scope: 1,
        runs: 10,
        runs_min: 10,
        per_trip: false,
        flops: [0],
        transcendentals: [1],
        bytes: [8]
      }
    ],
    by_line: [{ label: 'y = x + 1', frame: 0, equations: 2, ...sums }],
    by_primitive: [{ label: 'sin', frame: -1, equations: 1, ...sums }],
    by_scope: [
      {
        label: 'f',
        parent: -1,
        scope: 0,
        frame: -1,
        runs: 1,
        per_trip: false,
        flops: 1,
        transcendentals: 10,
        bytes: 88
      },
      {
        label: 'scan',
        parent: 0,
        scope: 1,
        frame: 0,
        runs: 10,
        per_trip: false,
        flops: 0,
        transcendentals: 10,
        bytes: 80
      }
    ],
    by_name_stack: [],
    xla: {
      flops: 1,
      transcendentals: 1,
      bytes: 16,
      differences: [
        {
          kind: 'loop_once',
          text: 'XLA counts the body of a loop once, however many steps the loop has.',
          ours: 10,
          xla: 1,
          frame: 0,
          runs: 10
        }
      ]
    },
    memory: {
      arguments: 4,
      results: 4,
      temporaries: 0,
      generated_code: null,
      aliased: 0,
      peak: 8,
      peak_frame: 0,
      live: [
        {
          name: 'argument x',
          type: 'f32[]',
          bytes: 4,
          frame: -1,
          scope: 0,
          equation: -1
        }
      ],
      residuals: [
        { type: 'f32[10]', count: 1, bytes: 40, name: 'sin', frame: 0 }
      ],
      residual_bytes: 40,
      constants: 0
    },
    ...changes
  };
}

/** Makes the measured times of a program whose warm call is ten times as fast as its call without jit. */
export function programTiming(
  changes: Partial<ProgramTiming> = {}
): ProgramTiming {
  const warm = {
    median: 1e-4,
    minimum: 9e-5,
    lower: 9.5e-5,
    upper: 1.1e-4,
    runs: 200,
    dispatch: 2e-5,
    batch: 1
  };
  return {
    program: 0,
    warm,
    eager: { ...warm, median: 1e-3, lower: 9e-4, upper: 1.1e-3 },
    ratio: [8.2, 11.6],
    pays_after: 40,
    sentence: 'first 40 ms (trace 3, lower 7, compile 25), then 0.1 ms.',
    notes: [],
    stopped: null,
    ...changes
  };
}

/** Makes a sweep of one size. */
export function sweep(changes: Partial<Sweep> = {}): Sweep {
  return {
    name: 'n',
    call: 'f(make(n))',
    functions: ['f'],
    points: [
      {
        function: 'f',
        value: '64',
        number: 64,
        eager: null,
        warm: null,
        first: 0.04,
        trace: 0.003,
        lower: 0.007,
        compile: 0.025,
        from_disk: false,
        equations: 3,
        bytes: 4096,
        flops: 524288,
        error: null
      }
    ],
    fits: [
      {
        function: 'f',
        series: 'warm',
        exponent: 2.9,
        factor: 1e-9,
        error: 0.1,
        first_number: 64
      }
    ],
    total: 2,
    stopped: null,
    notes: [],
    seconds: 0.5,
    ...changes
  };
}

/** Makes the measured peak rates of a machine. */
export function machine(changes: Partial<Machine> = {}): Machine {
  return {
    device: 'cpu',
    flops: 1e11,
    bandwidth: 2e10,
    dtype: 'float32',
    how: 'A matmul of 1024 x 1024 and a copy of 64 MB.',
    seconds: 0.8,
    ...changes
  };
}
