/** Makes the texts on a diff: the number of differences, their kinds, and the whole diff as a text. */
import { TranslationBundle } from '@jupyterlab/translation';

import {
  DiffOf,
  DiffRow,
  DiffSide,
  ProgramDiff
} from '../../protocol/snapshot';
import { shortened } from '../../parts/summary';
import { Item } from './rows';

export const SIGNS: Readonly<Record<DiffRow['sign'], string>> = {
  same: ' ',
  added: '+',
  removed: '−',
  changed: '~',
  moved: '>'
};

/** The sign as a word, for a screen reader. */
export function signWord(row: DiffRow, trans: TranslationBundle): string {
  switch (row.sign) {
    case 'same':
      return trans.__('equal line');
    case 'added':
      return trans.__('added line');
    case 'removed':
      return trans.__('removed line');
    case 'changed':
      return trans.__('changed line');
    case 'moved':
      return row.after === null
        ? trans.__('line moved from here')
        : trans.__('line moved to here');
  }
}

/** The label of a side, such as `f · run [4]`. */
export function sideLabel(side: DiffOf, trans: TranslationBundle): string {
  const name = shortened(side.name, 60);
  const time = new Date(side.created * 1000).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit'
  });
  return side.execution_count === null
    ? trans.__('%1 · %2', name, time)
    : trans.__('%1 · cell [%2] · %3', name, side.execution_count, time);
}

/** True if the two programs differ in anything that the kernel counts. */
export function differs(diff: ProgramDiff): boolean {
  const { added, removed, changed, moved, signature } = diff;
  return added + removed + changed + moved + signature > 0;
}

/** The words of a fold, such as `12 equal lines`. */
export function foldWords(count: number, trans: TranslationBundle): string {
  return trans._n('%1 equal line', '%1 equal lines', count);
}

/**
 * Prints the listed rows with the signs of a unified diff.
 * @param hidden `words` is the sentence about hidden lines, empty if none is hidden. `wrappers` is true if the calls
 * around single equations are hidden; then an equation shows the names that its values have outside of the call.
 */
export function diffText(
  diff: ProgramDiff,
  items: readonly Item[],
  hidden: { words: string; wrappers: boolean },
  trans: TranslationBundle
): string {
  const lines = [
    `--- ${sideLabel(diff.before, trans)}`,
    `+++ ${sideLabel(diff.after, trans)}`,
    diff.summary,
    ...diff.remarks,
    ...(hidden.words === '' ? [] : [hidden.words]),
    ''
  ];
  const written = (side: DiffSide | null): string =>
    side === null
      ? ''
      : hidden.wrappers && side.outside
        ? `${side.text}  (${side.outside})`
        : side.text;
  for (const item of items) {
    if (item.kind === 'fold') {
      lines.push(`  … ${foldWords(item.count, trans)}`);
      continue;
    }
    const { row } = item;
    const { sign, before, after } = row;
    const indent = '  '.repeat(row.depth);
    if (sign === 'changed') {
      lines.push(
        `- ${indent}${written(before)}`,
        `+ ${indent}${written(after)}`,
        ...row.changes.map(({ text }) => `    ${indent}${text}`)
      );
    } else {
      const mark = sign === 'removed' ? '-' : SIGNS[sign];
      lines.push(`${mark} ${indent}${written(after ?? before)}`);
    }
  }
  return lines.join('\n');
}
