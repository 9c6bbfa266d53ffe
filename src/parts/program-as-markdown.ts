/** Writes a whole program as Markdown for the clipboard: heading, facts, source, text. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Snapshot } from '../protocol/snapshot';
import { block, code } from './markdown-code';
import { programText } from './program-as-text';
import {
  activityWords,
  firstCall,
  fullSignature,
  originWords,
  sizeWords,
  whereAndWhen
} from './summary';

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
              ? trans.__('The text of a cell when the cell ran:')
              : trans.__(
                  'The text of cell [%1] when the cell ran:',
                  execution_count
                ),
            block('python', source.trimEnd())
          ]
  );
}
