/**
 * A diff comes in; its words go out: how much differs, what, and the whole of it as a text.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import {
  DiffChange,
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
      return trans.__('equal');
    case 'added':
      return trans.__('added');
    case 'removed':
      return trans.__('removed');
    case 'changed':
      return trans.__('changed');
    case 'moved':
      return row.after === null
        ? trans.__('moved from here')
        : trans.__('moved to here');
  }
}

/** `f · run [4]`. */
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

/** How much differs. */
export type IDiffCount = Pick<
  ProgramDiff,
  'added' | 'removed' | 'changed' | 'moved' | 'signature'
>;

/** `1 added, 2 changed`; null where nothing differs. */
export function countWords(
  { added, removed, changed, moved, signature }: IDiffCount,
  trans: TranslationBundle
): string | null {
  const words = [
    added > 0 ? trans.__('%1 added', added) : null,
    removed > 0 ? trans.__('%1 removed', removed) : null,
    changed > 0 ? trans.__('%1 changed', changed) : null,
    moved > 0 ? trans.__('%1 moved', moved) : null,
    signature > 0
      ? trans._n(
          '%1 argument or result differs',
          '%1 arguments or results differ',
          signature
        )
      : null
  ].filter(word => word !== null);
  return words.length === 0 ? null : words.join(', ');
}

/** How many equations, or lines, differ. */
export function differing(diff: ProgramDiff): number {
  return diff.added + diff.removed + diff.changed + diff.moved;
}

/** `shape: [8] → [4]`. */
export function changeWords(
  change: DiffChange,
  trans: TranslationBundle
): string {
  const what = changeName(change, trans);
  const { before, after } = change;
  return before === '' && after === ''
    ? trans.__('%1 is another value', what)
    : trans.__(
        '%1: %2 → %3',
        what,
        shortened(before, 120) || trans.__('a value'),
        shortened(after, 120) || trans.__('a value')
      );
}

function changeName(change: DiffChange, trans: TranslationBundle): string {
  switch (change.kind) {
    case 'operand':
      return trans.__('operand %1', change.name);
    case 'parameter':
      return shortened(change.name, 80);
    case 'weak_type':
      return trans.__('weak type');
    case 'results':
      return trans.__('number of results');
    case 'shape':
      return trans.__('shape');
    case 'dtype':
      return trans.__('dtype');
    case 'sharding':
      return trans.__('sharding');
    case 'type':
      return trans.__('type');
    case 'primitive':
      return trans.__('primitive');
    case 'effects':
      return trans.__('effects');
  }
}

/** `12 equal rows`. */
export function foldWords(count: number, trans: TranslationBundle): string {
  return trans._n('%1 equal line', '%1 equal lines', count);
}

/**
 * What is listed as a text, with the signs of a unified diff.
 *
 * @param hidden What is said of lines that are hidden, empty where none are to be; whether calls around an equation
 *   are, so that its names outside are said.
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
    countWords(diff, trans) ?? trans.__('Nothing differs, names apart.'),
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
        ...row.changes.map(
          change => `    ${indent}${changeWords(change, trans)}`
        )
      );
    } else {
      const mark = sign === 'removed' ? '-' : SIGNS[sign];
      lines.push(`${mark} ${indent}${written(after ?? before)}`);
    }
  }
  return lines.join('\n');
}
