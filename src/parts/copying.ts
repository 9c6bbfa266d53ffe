/** Makes the text of a whole program for the clipboard, plain or as Markdown. */
import { TranslationBundle } from '@jupyterlab/translation';

import { ProgramEquations } from '../program-text/equations';
import { fullText } from '../program-text/full-text';
import { nameProgram } from '../program-text/printed-variable-names';
import { assignedNames } from '../program-text/assigned-names';
import { Snapshot } from '../protocol/snapshot';
import {
  activityWords,
  firstCall,
  fullSignature,
  originWords,
  sizeWords,
  whereAndWhen
} from './summary';

/** The complete jaxpr, with nothing folded; comments state the names that results have in the user's code. */
export function programText(snapshot: Snapshot, program: number): string {
  const equations = new ProgramEquations(snapshot, snapshot.programs[program]);
  return fullText(equations, nameProgram(equations), assignedNames(snapshot));
}

/**
 * The program as Markdown for an issue or a chat: a heading, facts, the cells that the run comes from, and the text.
 * All texts are escaped.
 */
export function programMarkdown(
  snapshot: Snapshot,
  program: number,
  trans: TranslationBundle
): string {
  const copied = snapshot.programs[program];
  const first = firstCall(copied);
  const facts = [
    sizeWords(copied, trans),
    activityWords(copied),
    originWords(copied),
    first === null ? null : trans.__('first call %1', first)
  ].filter(words => words !== null);
  const { jax, device, jupyter_jaxpr } = snapshot.environment;
  return [
    `## ${code(`${copied.name}${fullSignature(copied)}`)}`,
    facts.join(' · '),
    ...cells(snapshot, trans),
    block('text', programText(snapshot, program)),
    trans.__(
      '%1 · jax %2 on %3, jupyter_jaxpr %4',
      whereAndWhen(snapshot, trans),
      jax ?? trans.__('unknown'),
      device ?? trans.__('unknown'),
      jupyter_jaxpr
    ),
    ''
  ].join('\n\n');
}

/** Returns a Markdown code span; its fence is longer than any run of backticks in the text. */
export function code(text: string): string {
  const line = text.split(/\s+/).join(' ');
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** The cells of a run with their numbers: first the cells whose functions were called, last the cell that ran. */
function cells(snapshot: Snapshot, trans: TranslationBundle): string[] {
  const { cell, files } = snapshot;
  const sources = files
    .filter(({ path, kind }) => kind === 'cell' && path !== cell?.file)
    .map(({ execution_count, source }) => ({ execution_count, source }));
  return [...sources, ...(cell === null ? [] : [cell])].flatMap(
    ({ execution_count, source }) =>
      source === null || source.trim() === ''
        ? []
        : [
            execution_count === null
              ? trans.__('A cell, as it ran:')
              : trans.__('Cell [%1], as it ran:', execution_count),
            block('python', source.trimEnd())
          ]
  );
}

function block(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(run => run.length));
}
