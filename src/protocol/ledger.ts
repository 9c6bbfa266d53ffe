/**
 * Checks the ledger of a document; a `Mismatch` names the wrong field.
 *
 * A view may go through a whole list of the ledger, so the lengths of the lists are limited: to more than the kernel's
 * own limits.
 */
import { checkCure } from './cures';
import { MOST } from './limits';
import {
  withDefault,
  amount,
  checkEach,
  fields,
  flag,
  integer,
  oneOf,
  orNull,
  text,
  upTo
} from './structure';

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
 * @param frames The number of frames in the document.
 */
export function checkLedger(value: unknown, frames: number): void {
  const ledger = fields(value, 'ledger');
  upTo(MOST.Ledger.functions, ledger.functions, 'ledger.functions').forEach(
    entry => checkFunction(entry, frames)
  );
  upTo(MOST.Ledger.lines, ledger.lines, 'ledger.lines').forEach(line =>
    checkLine(line, 'ledger.lines')
  );
  amount(ledger.seconds, 'ledger.seconds');
  count(ledger.compiles, 'ledger.compiles');
  orNull(ledger.cell_seconds, 'ledger.cell_seconds', amount);
  upTo(
    MOST.Ledger.library_functions,
    ledger.library_functions,
    'ledger.library_functions'
  ).forEach(name => text(name, 'ledger.library_functions'));
  count(ledger.library_misses, 'ledger.library_misses');
  orNull(ledger.calls_note, 'ledger.calls_note', text);
  count(withDefault(ledger.small_programs, 0), 'ledger.small_programs');
  amount(withDefault(ledger.small_seconds, 0), 'ledger.small_seconds');
  text(withDefault(ledger.lead, ''), 'ledger.lead');
}

function checkFunction(value: unknown, frames: number): void {
  const ledgerFunction = fields(value, 'ledger.functions');
  text(ledgerFunction.name, 'ledger.functions.name');
  integer(ledgerFunction.definition, 'ledger.functions.definition', -1, frames);
  count(ledgerFunction.function_objects, 'ledger.functions.function_objects');
  checkCounts(ledgerFunction.run, 'ledger.functions.run');
  checkCounts(ledgerFunction.kernel, 'ledger.functions.kernel');
  const most = MOST.LedgerFunction;
  const entries = upTo(
    most.entries,
    ledgerFunction.entries,
    'ledger.functions.entries'
  );
  entries.forEach(entry => checkEntry(entry, 'ledger.functions.entries'));
  upTo(most.misses, ledgerFunction.misses, 'ledger.functions.misses').forEach(
    miss => checkMiss(miss, entries.length, frames)
  );
  count(ledgerFunction.misses_left_out, 'ledger.functions.misses_left_out');
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
  amount(counts.seconds, `${field}.seconds`);
}

function checkEntry(value: unknown, field: string): void {
  const entry = fields(value, field);
  text(entry.signature, `${field}.signature`);
  orNull(entry.hits, `${field}.hits`, count);
  count(entry.misses, `${field}.misses`);
  flag(entry.this_run, `${field}.this_run`);
  flag(entry.fast_path, `${field}.fast_path`);
  if (entry.held !== undefined) {
    orNull(entry.held, `${field}.held`, flag);
  }
}

function checkMiss(value: unknown, entries: number, frames: number): void {
  const field = 'ledger.functions.misses';
  const miss = fields(value, field);
  oneOf(miss.outcome, `${field}.outcome`, OUTCOMES);
  upTo(MOST.LedgerMiss.reasons, miss.reasons, `${field}.reasons`).forEach(
    reason => checkReason(reason, `${field}.reasons`)
  );
  text(miss.signature, `${field}.signature`);
  integer(miss.frame, `${field}.frame`, -1, frames);
  flag(miss.this_run, `${field}.this_run`);
  integer(miss.entry, `${field}.entry`, -1, entries);
  for (const stage of ['trace', 'lower', 'compile', 'total']) {
    orNull(miss[stage], `${field}.${stage}`, amount);
  }
  text(withDefault(miss.outcome_text, ''), `${field}.outcome_text`);
  checkEach(withDefault(miss.cures, []), `${field}.cures`, cure =>
    checkCure(cure, `${field}.cures`, frames)
  );
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
