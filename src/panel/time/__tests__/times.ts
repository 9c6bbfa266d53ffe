/** Measured times for the tests of the Time view: rounded times of real runs. */
import {
  ProgramTiming,
  Sweep,
  SweepPoint,
  WarmTime
} from '../../../protocol/snapshot';

export function warmTime(changes: Partial<WarmTime> = {}): WarmTime {
  return {
    median: 0.36e-3,
    minimum: 0.35e-3,
    lower: 0.36e-3,
    upper: 0.43e-3,
    runs: 200,
    dispatch: 22e-6,
    batch: 1,
    ...changes
  };
}

export function timing(changes: Partial<ProgramTiming> = {}): ProgramTiming {
  return {
    program: 0,
    warm: warmTime(),
    eager: warmTime({
      median: 6.2e-3,
      minimum: 5.0e-3,
      lower: 5.2e-3,
      upper: 6.9e-3,
      runs: 100,
      dispatch: 6.1e-3
    }),
    ratio: [12.1, 19.2],
    pays_after: 7,
    sentence:
      'The first call took 40 ms. A warm call takes 0.36 ms. A call without jit takes 6.2 ms, 12 to 19 times as long as a warm call.',
    notes: [],
    stopped: null,
    ...changes
  };
}

export function point(changes: Partial<SweepPoint> = {}): SweepPoint {
  return {
    function: 'selu',
    value: '100',
    number: 100,
    eager: warmTime({ median: 71e-6, lower: 70e-6, upper: 80e-6 }),
    warm: warmTime({ median: 9e-6, lower: 8.8e-6, upper: 9.4e-6 }),
    first: 0.046,
    trace: 0.003,
    lower: 0.007,
    compile: 0.03,
    from_disk: false,
    equations: 7,
    bytes: 800,
    flops: 500,
    error: null,
    ratio: 7.9,
    ...changes
  };
}

export function selu(changes: Partial<Sweep> = {}): Sweep {
  return {
    name: 'n',
    call: 'selu(jnp.ones(n))',
    functions: ['selu'],
    points: [
      point(),
      point({
        value: '1000000',
        number: 1_000_000,
        eager: warmTime({ median: 4.2e-3, lower: 4e-3, upper: 5e-3 }),
        warm: warmTime({ median: 0.43e-3, lower: 0.4e-3, upper: 0.5e-3 }),
        ratio: 9.8,
        first: 0.033,
        bytes: 8_000_000,
        flops: 5_000_000
      })
    ],
    fits: [
      {
        function: 'selu',
        series: 'warm',
        exponent: 0.92,
        factor: 1e-9,
        error: 0.12,
        first_number: 10_000,
        sentence:
          'From n = 10,000 on, the warm time of selu scales as n^0.9 ± 0.1.'
      },
      {
        function: 'selu',
        series: 'first',
        exponent: -0.04,
        factor: 0.05,
        error: 0.01,
        first_number: 100,
        sentence: 'The first-call time of selu hardly depends on n.'
      }
    ],
    total: 2,
    stopped: null,
    notes: [],
    seconds: 31.2,
    ...changes
  };
}
