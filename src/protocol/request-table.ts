/** The requests of the panel to the kernel; written by `python -m jupyter_jaxpr.schema`. */
import type {
  CompareRequest,
  CostRequest,
  CuresRequest,
  DiffRequest,
  ExactLinks,
  ExactLinksRequest,
  ExportRequest,
  LiveDiffRequest,
  LiveProgram,
  LiveRequest,
  Machine,
  MachineRequest,
  MakeRequest,
  PassDiff,
  PassDiffRequest,
  PassesRequest,
  ProgramCost,
  ProgramDiff,
  ProgramPasses,
  ProgramShardings,
  ProgramTiming,
  Recording,
  ScopePage,
  ScopeRequest,
  ShardingsRequest,
  Snapshot,
  SourcePage,
  SourceRequest,
  StartupRequest,
  StartupState,
  StepsRequest,
  Sweep,
  SweepRequest,
  TextPage,
  TextRequest,
  TimeRequest,
  TransformRequest,
  ValuesRequest,
  VariantComparison
} from './snapshot';

/** Parameters and answer of each request, as they are on the wire. */
export interface IRequestTypes {
  compare: { params: CompareRequest; answer: VariantComparison };
  cost: { params: CostRequest; answer: ProgramCost };
  cures: { params: CuresRequest; answer: Snapshot };
  diff: { params: DiffRequest; answer: ProgramDiff };
  exact_links: { params: ExactLinksRequest; answer: ExactLinks };
  export: { params: ExportRequest; answer: string };
  live: { params: LiveRequest; answer: LiveProgram };
  live_diff: { params: LiveDiffRequest; answer: ProgramDiff };
  machine: { params: MachineRequest; answer: Machine };
  make: { params: MakeRequest; answer: Snapshot };
  pass_diff: { params: PassDiffRequest; answer: PassDiff };
  passes: { params: PassesRequest; answer: ProgramPasses };
  scope: { params: ScopeRequest; answer: ScopePage };
  shardings: { params: ShardingsRequest; answer: ProgramShardings };
  source: { params: SourceRequest; answer: SourcePage };
  startup: { params: StartupRequest; answer: StartupState };
  steps: { params: StepsRequest; answer: Recording };
  sweep: { params: SweepRequest; answer: Sweep };
  text: { params: TextRequest; answer: TextPage };
  time: { params: TimeRequest; answer: ProgramTiming };
  transform: { params: TransformRequest; answer: Snapshot };
  values: { params: ValuesRequest; answer: boolean };
}

/**
 * - patience: in seconds.
 * - into: the field of the document that receives the answer; 'document': the answer takes its place.
 * - by: where that field holds several answers, the fields of an answer that tell them apart.
 */
export const REQUESTS = {
  compare: { patience: 1800, into: 'comparison', by: null, isLong: true },
  cost: { patience: 60, into: 'costs', by: ['program'], isLong: false },
  cures: { patience: 60, into: 'document', by: null, isLong: false },
  diff: {
    patience: 60,
    into: 'diffs',
    by: ['after.program', 'level', 'before.snapshot', 'before.program'],
    isLong: false
  },
  exact_links: {
    patience: 1800,
    into: 'exact_links',
    by: ['program'],
    isLong: true
  },
  export: { patience: 60, into: null, by: null, isLong: false },
  live: { patience: 60, into: null, by: null, isLong: false },
  live_diff: { patience: 60, into: null, by: null, isLong: false },
  machine: { patience: 60, into: 'machine', by: null, isLong: true },
  make: { patience: 1800, into: 'document', by: null, isLong: false },
  pass_diff: { patience: 120, into: null, by: null, isLong: false },
  passes: { patience: 1800, into: 'passes', by: ['program'], isLong: true },
  scope: { patience: 30, into: null, by: null, isLong: false },
  shardings: {
    patience: 60,
    into: 'shardings',
    by: ['program'],
    isLong: false
  },
  source: { patience: 30, into: null, by: null, isLong: false },
  startup: { patience: 30, into: null, by: null, isLong: false },
  steps: { patience: 1800, into: 'recordings', by: ['control'], isLong: true },
  sweep: { patience: 1800, into: 'sweep', by: null, isLong: true },
  text: { patience: 30, into: null, by: null, isLong: false },
  time: { patience: 1800, into: 'timings', by: ['program'], isLong: true },
  transform: { patience: 600, into: 'document', by: null, isLong: false },
  values: { patience: 30, into: null, by: null, isLong: false }
} as const;
