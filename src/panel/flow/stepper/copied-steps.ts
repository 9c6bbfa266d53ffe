/** Copies the table of all steps as text: its columns and rows, tab-separated or aligned. */
import { TranslationBundle } from '@jupyterlab/translation';

import { GOES_ON } from '../../../protocol/steps';
import { Leaf } from '../../../protocol/snapshot';
import { lineOf } from '../../../parts/table-text';
import { Walk } from './places';
import { leafName, valueText } from './words';

/** A column of the table that lists all steps of a recording. */
export interface IColumn {
  head: string;
  /**
   * Returns the text of a cell. `point` is the index of a point, counted over all visits; `visit` is the index of the
   * visit. With `after`, returns the text of the value after the visit's last step.
   */
  cell: (point: number, visit: number, after: boolean) => string;
  /** The width in characters: the length of the longest value. */
  width: number;
}

/** The largest width of a column in characters; longer values are cut on screen and complete in a copy. */
const WIDEST = 34;

/** The columns: the taken branch, then one column for each leaf. */
export function columnsOf(
  walk: Walk,
  trans: TranslationBundle
): readonly IColumn[] {
  const { recording } = walk;
  const columns = walk.leaves.map(leaf => leafColumn(walk, leaf, trans));
  if (recording.branch_taken.some(label => label !== '')) {
    const head = trans.__('branch');
    columns.unshift({
      head,
      cell: (point, _, after) =>
        after ? '' : (recording.branch_taken[point] ?? ''),
      width: widthOf(head, recording.branch_taken)
    });
  }
  return columns;
}

function leafColumn(walk: Walk, leaf: Leaf, trans: TranslationBundle): IColumn {
  const head = leafName(walk, leaf, trans);
  const goesOn = GOES_ON.has(leaf.role);
  return {
    head,
    cell: (point, visit, after) => {
      if (!goesOn) {
        return after ? '' : valueText(leaf, point);
      }
      return valueText(leaf, point + visit + (after ? 1 : 0));
    },
    width: widthOf(head, leaf.texts)
  };
}

function widthOf(head: string, texts: readonly string[]): number {
  const longest = texts.reduce(
    (most, text) => Math.max(most, text.length),
    head.length
  );
  return Math.min(WIDEST, longest);
}

/** All steps of all visits, one in a line, with the values after each visit's last step. */
function rowsOf(walk: Walk, trans: TranslationBundle): string[][] {
  const { recording } = walk;
  const columns = columnsOf(walk, trans);
  const several = !walk.byCalls && recording.visits.length > 1;
  const goesOn = recording.leaves.some(({ role }) => GOES_ON.has(role));
  const head = walk.byCalls ? trans.__('execution') : trans.__('step');
  const rows = [
    [
      ...(several ? [trans.__('outer step')] : []),
      head,
      ...columns.map(column => column.head)
    ]
  ];
  recording.visits.forEach((visit, at) => {
    const outer = several ? [visit.outer.map(step => step + 1).join(' ')] : [];
    for (let offset = 0; offset < visit.points; offset++) {
      const point = visit.first_point + offset;
      const { number } = walk.stepAt({ visit: at, offset });
      rows.push([
        ...outer,
        String(number),
        ...columns.map(({ cell }) => cell(point, at, false))
      ]);
    }
    if (goesOn) {
      // In a visit without a point, the only value is both the input and the output.
      const last = visit.first_point + visit.points - 1;
      rows.push([
        ...outer,
        trans.__('at end'),
        ...columns.map(({ cell }) => cell(last, at, true))
      ]);
    }
  });
  return rows;
}

/** Prints the table of all steps as tab-separated values, for a spreadsheet. */
export function stepsTabSeparated(
  walk: Walk,
  trans: TranslationBundle
): string {
  return rowsOf(walk, trans)
    .map(row => row.map(cell => cell.replace(/\s+/g, ' ')).join('\t') + '\n')
    .join('');
}

/** Prints the table of all steps with aligned columns, and the verdict below. */
export function stepsText(walk: Walk, trans: TranslationBundle): string {
  const rows = rowsOf(walk, trans).map(row =>
    row.map(cell => cell.replace(/\s+/g, ' '))
  );
  const lines = rows.map(lineOf(rows, [...rows[0].keys()]));
  const { stopped, thinned, verdict } = walk.recording;
  const sentences = [stopped, thinned, verdict].filter(Boolean) as string[];
  return [...lines, '', ...sentences, ''].join('\n');
}
