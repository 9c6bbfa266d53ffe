/** Checks a transform of a program; a `Mismatch` names the wrong field. */
import { MOST } from './limits';
import type { IDocumentSizes } from './document-sizes';
import { TRANSFORM_KINDS } from './facts';
import type { Transform } from './snapshot';
import {
  Mismatch,
  checkEach,
  fields,
  integer,
  oneOf,
  orNull,
  row,
  text,
  upTo
} from './structure';

const ROLES = /^[fbrtm-]*$/;

/** Each program is derived from an earlier program, and only once, so every chain of derivations ends. */
export function checkTransforms(
  value: unknown,
  field: string,
  sizes: IDocumentSizes
): void {
  const derived = new Set<number>();
  checkEach(
    upTo(MOST.Snapshot.transforms, value, field),
    field,
    (transform, where) => {
      for (const { program } of checkTransform(transform, where, sizes).parts) {
        if (derived.has(program)) {
          throw new Mismatch(
            `${where}.parts`,
            'programs that are derived once'
          );
        }
        derived.add(program);
      }
    }
  );
}

function checkTransform(
  value: unknown,
  field: string,
  sizes: IDocumentSizes
): Transform {
  const transform = fields(value, field);
  oneOf(transform.kind, `${field}.kind`, TRANSFORM_KINDS);
  const of = integer(transform.of, `${field}.of`, 0, sizes.programs);
  text(transform.words, `${field}.words`);
  const error = orNull(transform.error, `${field}.error`, text);
  const parts = checkEach(transform.parts, `${field}.parts`, (part, where) =>
    checkPart(part, where, of, sizes)
  );
  if (parts.length > 0 !== (error === null)) {
    throw new Mismatch(`${field}.parts`, 'either parts or an error');
  }
  return transform as unknown as Transform;
}

function checkPart(
  value: unknown,
  field: string,
  of: number,
  sizes: IDocumentSizes
): void {
  const part = fields(value, field);
  integer(part.program, `${field}.program`, of + 1, sizes.programs);
  oneOf(part.part, `${field}.part`, ['whole', 'primal', 'linear'] as const);
  checkEach(part.roles, `${field}.roles`, (item, where) => {
    const [scope, roles] = row(item, where, 2);
    const number = integer(scope, `${where}.scope`, 0, sizes.scopes.length);
    const letters = text(roles, `${where}.roles`);
    if (letters.length !== sizes.scopes[number] || !ROLES.test(letters)) {
      throw new Mismatch(`${where}.roles`, 'a letter for each equation');
    }
  });
  checkEach(part.kept, `${field}.kept`, (item, where) => {
    const [scope, equation, output, type, bytes] = row(item, where, 5);
    const number = integer(scope, `${where}.scope`, 0, sizes.scopes.length);
    integer(equation, `${where}.equation`, 0, sizes.scopes[number]);
    integer(output, `${where}.output`, 0);
    text(type, `${where}.type`);
    integer(bytes, `${where}.bytes`, 0);
  });
}
