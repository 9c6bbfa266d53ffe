/** The largest sizes of a document and of its printed texts; written by `python -m jupyter_jaxpr.schema`. */
export const LIMITS = {
  TEXT: 64000000,
  LIST: 20000000,
  DEPTH: 1000,
  EQUATIONS: 2147483646,
  HELD: 200000,
  COMPARED: 50000,
  INTEGER: 9007199254740990,
  AMOUNT: 1e24,
  LAST_SECOND: 253402300799,
  LINES: 40000,
  CHARACTERS: 20000000,
  NAMED: 300000,
  ROWS: 100000,
  FUNCTIONS: 20000,
  ARRAYS: 10000,
  VARIANTS: 1000,
  SENTENCES: 1000,
  VALUES: 2000000,
  SLOTS: 1000000
} as const;

/** Most entries of lists, by struct and field. */
export const MOST = {
  CallTable: {
    calls: 100000
  },
  Cause: {
    equations: 100000
  },
  Collective: {
    groups: 100000,
    causes: 100000
  },
  Control: {
    facts: 1000,
    effects: 1000
  },
  DiffRow: {
    changes: 100000
  },
  Layout: {
    mesh: 1000,
    splits: 1000,
    holders: 100000
  },
  Ledger: {
    functions: 20000,
    lines: 100000,
    library_functions: 1000
  },
  LedgerFunction: {
    entries: 20000,
    misses: 1000
  },
  LedgerMiss: {
    reasons: 1000
  },
  Memory: {
    live: 100000,
    residuals: 100000
  },
  NamedValue: {
    types: 1000,
    variables: 1000
  },
  ProgramCost: {
    per_trip: 1000,
    unknown: 1000,
    by_line: 100000,
    by_primitive: 100000,
    by_scope: 100000,
    by_name_stack: 100000,
    lead: 1000,
    recordings: 100000
  },
  ProgramDiff: {
    remarks: 1000,
    rows: 20000
  },
  ProgramShardings: {
    devices: 100000,
    layouts: 10000,
    arrays: 10000
  },
  ProgramTiming: {
    notes: 1000
  },
  RaisedCall: {
    operands: 1000
  },
  Recording: {
    visits: 20000,
    step: 20000,
    leaves: 10000,
    comparisons: 100000,
    notes: 1000
  },
  Snapshot: {
    programs: 20000,
    notes: 10000,
    control_flow: 10000,
    recordings: 10000,
    costs: 20000,
    timings: 20000,
    shardings: 20000,
    passes: 20000,
    exact_links: 20000,
    diffs: 20000,
    transforms: 20000,
    named_values: 20000,
    raised_calls: 20000
  },
  SpreadArray: {
    shape: 1000
  },
  Sweep: {
    functions: 1000,
    points: 10000,
    fits: 10000,
    notes: 1000
  },
  Variant: {
    notes: 1000,
    remarks: 1000
  },
  VariantComparison: {
    variants: 1000,
    verdict: 1000
  },
  XlaCost: {
    differences: 100000
  }
} as const;
