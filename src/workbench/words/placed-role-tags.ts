/** Makes the texts beside a line on the role of its equation (forward or backward), and on the residuals. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Links } from '../../model/links';
import { DerivedMarks, Role, marksOf } from '../../model/transforms';
import type { IPrintedRow } from '../../program-text/row-printer';
import type { IRow } from '../../program-text/row';
import type { ITag } from '../listing/listing';
import { keptWords, roleWords } from './role-names';

const KINDS: Record<Role, ITag['kind']> = {
  f: 'forward',
  b: 'backward',
  r: 'again',
  t: 'tangent',
  m: 'both',
  '-': 'other'
};

export class RoleTags {
  constructor(
    private _marks: DerivedMarks,
    private _trans: TranslationBundle
  ) {}

  /**
   * The tags of a row: the role of its equation before the text, the values kept for the backward pass after the text.
   */
  of(row: IRow, { text }: IPrintedRow): ITag[] {
    if (row.kind !== 'equation') {
      return [];
    }
    const { _marks: marks, _trans: trans } = this;
    const { kind } = marks.transform;
    const tags: ITag[] = [];
    const role = marks.role(row.scope, row.equation);
    if (role !== null) {
      tags.push({ at: 0, kind: KINDS[role], ...roleWords(role, kind, trans) });
    }
    const kept = marks.kept(row.scope, row.equation);
    if (kept !== null) {
      tags.push({
        at: text.length,
        kind: 'kept',
        ...keptWords(kept, kind, trans)
      });
    }
    return tags;
  }
}

/** The tags of a program; null for a program that was not derived. */
export function roleTagsOf(
  { equations }: Links,
  trans: TranslationBundle
): RoleTags | null {
  const { snapshot, program } = equations;
  const marks = marksOf(snapshot, snapshot.programs.indexOf(program));
  return marks && new RoleTags(marks, trans);
}
