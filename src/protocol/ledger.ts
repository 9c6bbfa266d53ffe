/**
 * The part of a decoded document that tells of the jit cache comes in; it passes, or a `Mismatch` names the field.
 *
 * Its lists are bounded where the kernel bounds them, with room to spare: a view may walk all of them.
 */
import {
  Mismatch,
  fields,
  flag,
  integer,
  list,
  oneOf,
  orNull,
  seconds,
  text
} from './structure';

const MOST_FUNCTIONS = 20_000;
const MOST_ENTRIES = 20_000;
const MOST_MISSES = 1_000;
const MOST_REASONS = 1_000;
const MOST_LINES = 100_000;
const MOST_LIBRARY_FUNCTIONS = 200;

const OUTCOMES = [
  'dispatch_only',
  'lowered',
  'compiled',
  'compiled_from_disk',
  'inlined',
  'raised'
] as const;

/**
 * Check a ledger.
 *
 * @param frames How many frames the document has.
 */
export function checkLedger(value: unknown, frames: number): void {
  const ledger = fields(value, 'ledger');
  upTo(MOST_FUNCTIONS, ledger.functions, 'ledger.functions', one =>
    checkFunction(one, frames)
  );
  upTo(MOST_LINES, ledger.lines, 'ledger.lines', checkLine);
  price(ledger.seconds, 'ledger.seconds');
  count(ledger.compiles, 'ledger.compiles');
  orNull(ledger.cell_seconds, 'ledger.cell_seconds', price);
  upTo(
    MOST_LIBRARY_FUNCTIONS,
    ledger.library_functions,
    'ledger.library_functions',
    text
  );
  count(ledger.library_misses, 'ledger.library_misses');
  orNull(ledger.calls_note, 'ledger.calls_note', text);
  text(ledger.lead ?? '', 'ledger.lead');
}

function checkFunction(value: unknown, frames: number): void {
  const one = fields(value, 'ledger.functions');
  text(one.name, 'ledger.functions.name');
  integer(one.definition, 'ledger.functions.definition', -1, frames);
  count(one.function_objects, 'ledger.functions.function_objects');
  checkCounts(one.run, 'ledger.functions.run');
  checkCounts(one.kernel, 'ledger.functions.kernel');
  const entries = upTo(
    MOST_ENTRIES,
    one.entries,
    'ledger.functions.entries',
    checkEntry
  );
  upTo(MOST_MISSES, one.misses, 'ledger.functions.misses', miss =>
    checkMiss(miss, entries, frames)
  );
  count(one.misses_left_out, 'ledger.functions.misses_left_out');
}

function checkCounts(value: unknown, field: string): void {
  const counts = fields(value, field);
  orNull(counts.calls, `${field}.calls`, count);
  flag(counts.calls_exact, `${field}.calls_exact`);
  orNull(counts.hits, `${field}.hits`, count);
  for (const name of [
    'misses',
    'traces',
    'lowerings',
    'compiles',
    'from_disk',
    'inlined',
    'raised'
  ]) {
    count(counts[name], `${field}.${name}`);
  }
  price(counts.seconds, `${field}.seconds`);
}

function checkEntry(value: unknown, field: string): void {
  const entry = fields(value, field);
  text(entry.signature, `${field}.signature`);
  orNull(entry.hits, `${field}.hits`, count);
  count(entry.misses, `${field}.misses`);
  flag(entry.this_run, `${field}.this_run`);
  flag(entry.fast_path, `${field}.fast_path`);
}

function checkMiss(value: unknown, entries: number, frames: number): void {
  const field = 'ledger.functions.misses';
  const miss = fields(value, field);
  oneOf(miss.outcome, `${field}.outcome`, OUTCOMES);
  upTo(MOST_REASONS, miss.reasons, `${field}.reasons`, checkReason);
  text(miss.signature, `${field}.signature`);
  integer(miss.frame, `${field}.frame`, -1, frames);
  flag(miss.this_run, `${field}.this_run`);
  integer(miss.entry, `${field}.entry`, -1, entries);
  for (const stage of ['trace', 'lower', 'compile', 'total']) {
    orNull(miss[stage], `${field}.${stage}`, price);
  }
  text(miss.outcome_text ?? '', `${field}.outcome_text`);
}

function checkReason(value: unknown, field: string): void {
  const reason = fields(value, field);
  text(reason.kind, `${field}.kind`);
  text(reason.text, `${field}.text`);
  for (const part of ['argument', 'before', 'after', 'cure']) {
    orNull(reason[part], `${field}.${part}`, text);
  }
}

function checkLine(value: unknown, field: string): void {
  const line = fields(value, field);
  integer(line.line, `${field}.line`, 1);
  orNull(line.calls, `${field}.calls`, count);
  flag(line.calls_exact, `${field}.calls_exact`);
  orNull(line.hits, `${field}.hits`, count);
  count(line.compiles, `${field}.compiles`);
}

function count(value: unknown, field: string): number {
  return integer(value, field, 0);
}

/** Seconds that something took. */
function price(value: unknown, field: string): number {
  const time = seconds(value, field);
  if (time < 0) {
    throw new Mismatch(field, 'a number from 0');
  }
  return time;
}

/** Check each entry of a list that has at most so many; its length goes out. */
function upTo(
  most: number,
  value: unknown,
  field: string,
  check: (value: unknown, field: string) => unknown
): number {
  const entries = list(value, field);
  if (entries.length > most) {
    throw new Mismatch(field, `a list of at most ${most} entries`);
  }
  for (const entry of entries) {
    check(entry, field);
  }
  return entries.length;
}
