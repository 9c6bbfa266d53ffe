/**
 * The part that an equation plays in a derived program comes in; the words and the sign for it go out.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { DerivedMarks, IKept, Role } from '../../model/transforms';
import type { Transform, TransformPart } from '../../protocol/snapshot';
import { size } from '../../quantities';

/** A part in a word, with a sign, and in a sentence. */
export interface IRoleWords {
  text: string;
  title: string;
}

/** Roles in the order in which they are counted. */
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
              'Forward: on the way from the arguments to the result'
            )
          }
        : {
            text: trans.__('→ primal'),
            title: trans.__('Primal: it computes values, no derivatives')
          };
    case 'b':
      return {
        text: trans.__('← bwd'),
        title: trans.__(
          'Backward: it carries derivatives from the result to the arguments'
        )
      };
    case 'r':
      return {
        text: trans.__('↻ again'),
        title: trans.__(
          'Forward, computed again in the backward part, as jax.checkpoint asks'
        )
      };
    case 't':
      return {
        text: trans.__('∂ tangent'),
        title: trans.__('Tangent: it carries changes of the arguments forward')
      };
    case 'm':
      return {
        text: trans.__('⇄ both'),
        title: trans.__('Around, or in, a program that does both')
      };
    case '-':
      return {
        text: trans.__('· other'),
        title: trans.__(
          'Not on the way from what is differentiated to the result'
        )
      };
  }
}

/** `kept for backward, 1.2 kB`. */
export function keptWords(
  { types, bytes }: IKept,
  kind: Transform['kind'],
  trans: TranslationBundle
): IRoleWords {
  const listed = types.join(', ');
  return kind === 'grad'
    ? {
        text: trans.__('kept for backward, %1', size(bytes)),
        title: trans.__(
          'A residual: %1 is kept in memory from the forward to the backward part',
          listed
        )
      }
    : {
        text: trans.__('kept for linear, %1', size(bytes)),
        title: trans.__(
          'A residual: %1 is handed to the linear program',
          listed
        )
      };
}

/** `8 fwd · 4 bwd · 1.2 kB kept`; empty where the transform has no parts. */
export function countsWords(
  marks: DerivedMarks,
  trans: TranslationBundle
): string {
  const { kind } = marks.transform;
  const words = ROLES.filter(role => marks.count(role) > 0).map(role =>
    trans.__(
      '%1 %2',
      marks.count(role).toLocaleString('en'),
      roleWords(role, kind, trans).text
    )
  );
  if (marks.part.kept.length > 0) {
    words.push(trans.__('%1 kept', size(marks.bytes)));
  }
  return words.join(' · ');
}

/** The name of a column, such as `grad`, `linearize: primal`. */
export function partTitle(
  { kind }: Transform,
  { part }: TransformPart,
  trans: TranslationBundle
): string {
  switch (part) {
    case 'whole':
      return kind;
    case 'primal':
      return trans.__('%1: primal', kind);
    case 'linear':
      return trans.__('%1: linear', kind);
  }
}
