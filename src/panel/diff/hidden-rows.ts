/**
 * Finds the rows of a diff that are hidden as noise, and the differences among them.
 *
 * The kernel states the noise of each side of a row, by the rules of the Program view
 * (`workbench/reading/noise-rules.ts`).
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { DiffRow, DiffSide, ProgramDiff } from '../../protocol/snapshot';
import {
  HEAD,
  Noise,
  bitsOf,
  countHidden,
  hiddenSentence
} from '../../workbench/reading/noise-rules';

/**
 * For each row, a bit mask of the reasons why it is hidden; 0 for a row that is shown. A row is hidden only if both
 * sides are noise.
 */
export function hiddenRows(
  diff: ProgramDiff,
  hidden: ReadonlySet<Noise>
): Uint8Array {
  const mask = bitsOf(hidden);
  return Uint8Array.from(diff.rows, row => {
    let all = 0;
    for (const side of sidesOf(row, diff)) {
      const bits = bitsOf(side.noise ?? []) & mask;
      if (bits === 0) {
        return 0;
      }
      all |= bits;
    }
    return all | (isCounted(row) ? HEAD : 0);
  });
}

/** The sides of a row; for a moved equation, the sides at both of its places. */
function sidesOf(row: DiffRow, diff: ProgramDiff): DiffSide[] {
  const partner = row.partner >= 0 ? diff.rows[row.partner] : null;
  return [
    row.before ?? partner?.before ?? null,
    row.after ?? partner?.after ?? null
  ].filter(side => side !== null);
}

/**
 * True if a row counts as a difference. A moved equation has two rows, at both of its places, and only one of them
 * counts.
 */
function isCounted({ what, sign, before, partner }: DiffRow): boolean {
  return (
    what === 'equation' && (sign !== 'moved' || before !== null || partner < 0)
  );
}

/** How many counted differences are hidden. */
function hiddenDifferences({ rows }: ProgramDiff, hidden: Uint8Array): number {
  return rows.filter(
    ({ what, sign }, index) =>
      hidden[index] !== 0 &&
      (what === 'equation'
        ? sign !== 'same' && (hidden[index] & HEAD) !== 0
        : sign === 'changed')
  ).length;
}

/** A sentence such as `3 lines are hidden: 2 converts, 1 broadcast. 1 difference is hidden. …` */
export function hiddenRowsWords(
  diff: ProgramDiff,
  hidden: Uint8Array,
  noises: ReadonlySet<Noise>,
  trans: TranslationBundle
): string {
  const count = countHidden(hidden, noises, new Set());
  const words = [hiddenSentence(count, noises, trans)];
  if (count.lines > 0) {
    const differ = hiddenDifferences(diff, hidden);
    words.push(
      differ === 0
        ? trans.__('The hidden lines are equal in both programs.')
        : trans._n(
            '%1 difference is hidden. The count above includes this difference.',
            '%1 differences are hidden. The count above includes these differences.',
            differ
          )
    );
  }
  if (
    diff.skipped > 0 ||
    diff.left_out > 0 ||
    diff.rows.some(row => row.skipped > 0)
  ) {
    words.push(
      trans.__(
        'The numbers of hidden lines and differences do not include lines that the kernel left out of the diff.'
      )
    );
  }
  return words.join(' ');
}
