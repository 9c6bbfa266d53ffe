/** Names the roles of equations in derived programs, with a sign for each role. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { DerivedMarks, IKept, Role } from '../../model/transforms';
import type { Transform, TransformPart } from '../../protocol/snapshot';
import { grouped, size } from '../../quantities';

/** A role in a word, as a sign, and in a sentence. */
export interface IRoleWords {
  text: string;
  title: string;
}

/** The roles of equations in derived programs, in the order in which `countsWords` prints their counts. */
export const ROLES: readonly Role[] = ['f', 'b', 'r', 't', 'm', '-'];

export function roleWords(
  role: Role,
  kind: Transform['kind'],
  trans: TranslationBundle
): IRoleWords {
  switch (role) {
    case 'f':
      return kind === 'grad'
        ? {
            text: trans.__('→ fwd'),
            title: trans.__(
              'Forward: the equation is on the way from the arguments to the result.'
            )
          }
        : {
            text: trans.__('→ primal'),
            title: trans.__(
              'Primal: the equation computes values, no derivatives.'
            )
          };
    case 'b':
      return {
        text: trans.__('← bwd'),
        title: trans.__(
          'Backward: the equation carries derivatives from the result to the arguments.'
        )
      };
    case 'r':
      return {
        text: trans.__('↻ again'),
        title: trans.__(
          'Again: jax.checkpoint makes the backward part compute this forward equation again.'
        )
      };
    case 't':
      return {
        text: trans.__('∂ tangent'),
        title: trans.__(
          'Tangent: the equation carries derivatives from the arguments to the result.'
        )
      };
    case 'm':
      return {
        text: trans.__('⇄ both'),
        title:
          kind === 'grad'
            ? trans.__(
                'Both: the equation belongs to the forward part and to the backward part, or contains equations of both parts.'
              )
            : trans.__(
                'Both: the equation belongs to the part that computes values and to the part that computes derivatives, or contains equations of both parts.'
              )
      };
    case '-':
      return {
        text: trans.__('· other'),
        title: trans.__(
          'Other: the equation is not on the way from the differentiated arguments to the result.'
        )
      };
  }
}

/** Prints the size of the values that an equation keeps for the backward part: `residual, 1.2 kB`. */
export function keptWords(
  { types, bytes }: IKept,
  kind: Transform['kind'],
  trans: TranslationBundle
): IRoleWords {
  const listed = types.join(', ');
  return kind === 'grad'
    ? {
        text: trans.__('residual, %1', size(bytes)),
        title: trans.__(
          'Residual: %1 stays in memory from the forward part to the backward part.',
          listed
        )
      }
    : {
        text: trans.__('residual, %1', size(bytes)),
        title: trans.__(
          'Residual: the primal program passes %1 to the linear program.',
          listed
        )
      };
}

/** Prints the counts: `→ fwd: 8 · ← bwd: 4 · residuals: 1.2 kB`; empty for a transform without roles. */
export function countsWords(
  marks: DerivedMarks,
  trans: TranslationBundle
): string {
  const { kind } = marks.transform;
  const words = ROLES.filter(role => marks.count(role) > 0).map(role =>
    trans.__(
      '%1: %2',
      roleWords(role, kind, trans).text,
      grouped(marks.count(role))
    )
  );
  if (marks.part.kept.length > 0) {
    words.push(trans.__('residuals: %1', size(marks.bytes)));
  }
  return words.join(' · ');
}

/** The title of a column, such as `grad`, `linearize: primal program`. */
export function partTitle(
  { kind }: Transform,
  { part }: TransformPart,
  trans: TranslationBundle
): string {
  switch (part) {
    case 'whole':
      return kind;
    case 'primal':
      return trans.__('%1: primal program', kind);
    case 'linear':
      return trans.__('%1: linear program', kind);
  }
}
