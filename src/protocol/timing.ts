/** Checks times, sweeps and machines; a `Mismatch` names the wrong field. */
import { LIMITS, MOST } from './limits';
import { Machine, ProgramTiming, Sweep, SweepFit } from './snapshot';
import {
  withDefault,
  amount,
  fields,
  finite,
  flag,
  integer,
  orNull,
  oneOf,
  row,
  text,
  upTo
} from './structure';

const SERIES: readonly SweepFit['series'][] = [
  'eager',
  'first',
  'warm',
  'compile',
  'equations',
  'bytes'
];

/** Check the seconds of a call that ran several times. */
export function checkWarmTime(value: unknown, field: string): void {
  const warm = fields(value, field);
  for (const name of ['median', 'minimum', 'lower', 'upper', 'dispatch']) {
    amount(warm[name], `${field}.${name}`);
  }
  integer(warm.runs, `${field}.runs`, 1);
  integer(withDefault(warm.batch, 1), `${field}.batch`, 1);
}

/**
 * Check the measured times of a program.
 *
 * @param programs The number of programs in the document.
 */
export function checkProgramTiming(
  value: unknown,
  field: string,
  programs: number
): ProgramTiming {
  const timing = fields(value, field);
  integer(timing.program, `${field}.program`, 0, programs);
  orNull(timing.warm, `${field}.warm`, checkWarmTime);
  orNull(timing.eager, `${field}.eager`, checkWarmTime);
  orNull(timing.ratio, `${field}.ratio`, (value, name) => {
    row(value, name, 2).forEach(bound => amount(bound, name));
  });
  orNull(timing.pays_after, `${field}.pays_after`, count);
  text(timing.sentence, `${field}.sentence`);
  sentences(timing.notes, `${field}.notes`);
  orNull(timing.stopped, `${field}.stopped`, text);
  return timing as unknown as ProgramTiming;
}

/** Check a sweep. */
export function checkSweep(value: unknown, field = 'sweep'): Sweep {
  const sweep = fields(value, field);
  text(sweep.name, `${field}.name`);
  text(sweep.call, `${field}.call`);
  sentences(sweep.functions, `${field}.functions`);
  for (const point of upTo(
    MOST.Sweep.points,
    sweep.points,
    `${field}.points`
  )) {
    checkPoint(point, `${field}.points`);
  }
  for (const fit of upTo(MOST.Sweep.fits, sweep.fits, `${field}.fits`)) {
    checkFit(fit, `${field}.fits`);
  }
  integer(sweep.total, `${field}.total`, 0);
  orNull(sweep.stopped, `${field}.stopped`, text);
  sentences(sweep.notes, `${field}.notes`);
  amount(sweep.seconds, `${field}.seconds`);
  return sweep as unknown as Sweep;
}

/** Check the measured peak rates of a machine. */
export function checkMachine(value: unknown, field = 'machine'): Machine {
  const machine = fields(value, field);
  for (const name of ['device', 'dtype', 'how']) {
    text(machine[name], `${field}.${name}`);
  }
  for (const name of ['flops', 'bandwidth', 'seconds']) {
    amount(machine[name], `${field}.${name}`);
  }
  return machine as unknown as Machine;
}

function checkPoint(value: unknown, field: string): void {
  const point = fields(value, field);
  text(point.function, `${field}.function`);
  text(point.value, `${field}.value`);
  orNull(point.number, `${field}.number`, finite);
  for (const name of ['eager', 'warm']) {
    orNull(point[name], `${field}.${name}`, checkWarmTime);
  }
  for (const name of ['first', 'trace', 'lower', 'compile']) {
    orNull(point[name], `${field}.${name}`, amount);
  }
  flag(point.from_disk, `${field}.from_disk`);
  for (const name of ['equations', 'bytes', 'flops']) {
    orNull(point[name], `${field}.${name}`, count);
  }
  orNull(point.error, `${field}.error`, text);
  orNull(point.ratio ?? null, `${field}.ratio`, amount);
}

function checkFit(value: unknown, field: string): void {
  const fit = fields(value, field);
  text(fit.function, `${field}.function`);
  oneOf(fit.series, `${field}.series`, SERIES);
  finite(fit.exponent, `${field}.exponent`);
  finite(fit.factor, `${field}.factor`);
  orNull(fit.error, `${field}.error`, amount);
  finite(fit.first_number, `${field}.first_number`);
  text(withDefault(fit.sentence, ''), `${field}.sentence`);
}

function count(value: unknown, field: string): number {
  return integer(value, field, 0);
}

function sentences(value: unknown, field: string): void {
  upTo(LIMITS.SENTENCES, value, field).forEach(sentence =>
    text(sentence, field)
  );
}
