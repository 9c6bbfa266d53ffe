/**
 * Runs every operation of the browser on damaged and hostile documents. The fuzzer's Python side
 * (tests/fuzz/python_side.py) reads the same documents. Either the document is refused with a sentence, or each
 * operation ends.
 *
 * `nox -s fuzz` passes its documents in the file FUZZ_FILE, and reads the results from the file FUZZ_REPORT. With
 * FUZZ_ONLY_READ, the documents are only read.
 */
import { execFileSync } from 'child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { createContext, runInContext } from 'vm';

import { operations, read } from './operations';

const MUTATIONS = join(__dirname, '../../../tests/fuzz/mutations.py');

/**
 * An operation counts as slow after this many microseconds of CPU time, and is stopped after this many milliseconds.
 */
const SLOW = 2_000_000;
const STOPPED = 20_000;

/** An operation may add at most this many bytes to the heap, including garbage that is not collected yet. */
const MEMORY = 500_000_000;

/** Matches one whole sentence: the reason of each refusal must be such a sentence. */
const SENTENCES = /^[A-Z][^\n]{5,1500}\.$/;

// If the time limit stops a script, the functions that it calls stop, too.
const context = createContext({ run: () => undefined });

function attempt(name: string, run: () => unknown): string[] {
  const found: string[] = [];
  const start = process.cpuUsage();
  const held = process.memoryUsage().heapUsed;
  try {
    context.run = run;
    runInContext('run()', context, { timeout: STOPPED });
  } catch (error) {
    const { name: kind, message, stack = '' } = error as Error;
    const [, , ...calls] = stack.split('\n');
    const ours = [stack.split('\n')[1], ...calls].find(line =>
      line?.includes('/src/')
    );
    found.push(`${name}: ${kind ?? String(error)}: ${message} ${ours?.trim()}`);
  }
  const { user } = process.cpuUsage(start);
  if (user > SLOW) {
    found.push(`${name}: took ${(user / 1e6).toFixed(1)} s`);
  }
  const bytes = process.memoryUsage().heapUsed - held;
  if (bytes > MEMORY) {
    found.push(`${name}: took ${(bytes / 1e6).toFixed(0)} MB`);
  }
  return found;
}

/** Reads a document and runs all operations on it; returns the reason of a refusal (or null), and all errors. */
function lookAt(text: string): [string | null, string[]] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return ['no JSON', []]; // NaN: JupyterLab cannot open a notebook that contains it
  }
  let document: ReturnType<typeof read> = '';
  const found = attempt('read', () => (document = read(value)));
  if (typeof document === 'string') {
    const isSentence = SENTENCES.test(document) || found.length > 0;
    return [document, isSentence ? found : [`read: no sentence: ${document}`]];
  }
  if (process.env.FUZZ_ONLY_READ) {
    return [null, found];
  }
  for (const [name, run] of operations(document)) {
    found.push(...attempt(name, run));
  }
  return [null, found];
}

it('no document makes the browser fail or wait', () => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  const { FUZZ_FILE, FUZZ_REPORT } = process.env;
  const file = FUZZ_FILE ?? join(folder, 'documents.jsonl');
  const found: string[] = [];
  try {
    if (!FUZZ_FILE) {
      const everyday = ['--seed', '1', '--count', '500', '--everyday', file];
      execFileSync('python3', [MUTATIONS, ...everyday]);
    }
    const texts = readFileSync(file, 'utf8').trimEnd().split('\n');
    texts.forEach((text, number) => {
      const [refusal, wrong] = lookAt(text);
      found.push(...wrong.map(one => `document ${number}: ${one}`));
      if (FUZZ_REPORT) {
        appendFileSync(FUZZ_REPORT, `${JSON.stringify([refusal, wrong])}\n`);
      }
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(found).toEqual([]);
}, 3_600_000);
