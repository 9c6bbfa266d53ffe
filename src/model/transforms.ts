/**
 * Finds the programs of a snapshot that belong together by a transform and the role of each of their equations,
 * and asks the kernel for a transform.
 *
 * The kernel says what an equation is (see `Transform` in jupyter_jaxpr/document/types/transform.py); nothing is worked out here.
 */
import type { ISignal } from '@lumino/signaling';

import type { Snapshot, Transform, TransformPart } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { Asking, AskingState, askingOf } from './question-state';

/** The name of a transform. */
export type TransformKind = Transform['kind'];

/** The part that an equation plays; see `ScopeRoles` in jupyter_jaxpr/document/types/transform.py. */
export type Role = 'f' | 'b' | 'r' | 't' | 'm' | '-';

/** What an equation makes that is kept. */
export interface IKept {
  /** Such as `f32[3,8]`, one for each value. */
  types: string[];
  bytes: number;
}

/** The transforms of a program, in the order in which they were asked for. */
export function transformsOf(
  snapshot: Snapshot,
  program: number
): readonly Transform[] {
  return (snapshot.transforms ?? []).filter(({ of }) => of === program);
}

/** How a program was derived; null where it was not. */
export function derivedBy(
  snapshot: Snapshot,
  program: number
): { transform: Transform; part: TransformPart } | null {
  for (const transform of snapshot.transforms ?? []) {
    for (const part of transform.parts) {
      if (part.program === program) {
        return { transform, part };
      }
    }
  }
  return null;
}

/** The program that a program was derived from, or itself. */
export function originalOf(snapshot: Snapshot, program: number): number {
  return derivedBy(snapshot, program)?.transform.of ?? program;
}

/** The parts that the equations of a derived program play, and what is kept of them. */
export class DerivedMarks {
  constructor(
    readonly transform: Transform,
    readonly part: TransformPart
  ) {
    for (const [scope, roles] of part.roles) {
      this._roles.set(scope, roles);
      for (const role of roles) {
        const letter = role as Role;
        this._counts.set(letter, this.count(letter) + 1);
      }
    }
    for (const [scope, equation, , type, bytes] of part.kept) {
      const key = `${scope} ${equation}`;
      const kept = this._kept.get(key) ?? { types: [], bytes: 0 };
      kept.types.push(type);
      kept.bytes += bytes;
      this._kept.set(key, kept);
      this.bytes += bytes;
    }
  }

  /** Null where the transform has no parts, as vmap. */
  role(scope: number, equation: number): Role | null {
    return (this._roles.get(scope)?.[equation] as Role | undefined) ?? null;
  }

  kept(scope: number, equation: number): IKept | null {
    return this._kept.get(`${scope} ${equation}`) ?? null;
  }

  /** How many equations of a role there are. */
  count(role: Role): number {
    return this._counts.get(role) ?? 0;
  }

  /** Of all that is kept. */
  readonly bytes: number = 0;

  private _roles = new Map<number, string>();
  private _counts = new Map<Role, number>();
  private _kept = new Map<string, IKept>();
}

const MARKS = new WeakMap<Snapshot, Map<number, DerivedMarks | null>>();

/** The marks of a program; null where it was not derived. */
export function marksOf(
  snapshot: Snapshot,
  program: number
): DerivedMarks | null {
  let known = MARKS.get(snapshot);
  if (!known) {
    known = new Map();
    MARKS.set(snapshot, known);
  }
  let marks = known.get(program);
  if (marks === undefined) {
    const derived = derivedBy(snapshot, program);
    marks = derived && new DerivedMarks(derived.transform, derived.part);
    known.set(program, marks);
  }
  return marks;
}

/** Asks the kernel for transforms; one for each model. */
export class Transforms {
  constructor(private _model: IJaxprModel) {
    this._asking = askingOf(_model, 'transform');
  }

  get changed(): ISignal<unknown, void> {
    return this._asking.changed;
  }

  /** How far a transform that was asked for is. What JAX refuses is in the document. */
  deriving(
    snapshot: Snapshot,
    program: number,
    kind: TransformKind
  ): AskingState {
    return this._asking.stateOf(snapshot, `${program} ${kind}`);
  }

  /**
   * Have a program derived, unless it is or is being.
   *
   * Returns:
   *   The transform; null where it could not be asked for, which `deriving` then says.
   */
  async derive(
    snapshot: Snapshot,
    program: number,
    kind: TransformKind
  ): Promise<Transform | null> {
    const made = (document: Snapshot): Transform | null =>
      transformsOf(document, program).find(one => one.kind === kind) ?? null;
    if (made(snapshot) === null) {
      await this._asking.start(snapshot, `${program} ${kind}`, {
        snapshot: snapshot.id,
        program,
        kind
      });
    }
    const run = this._model.runs.find(one => one.snapshot.id === snapshot.id);
    return made(run?.snapshot ?? snapshot);
  }

  private _asking: Asking<'transform'>;
}

const TRANSFORMS = new WeakMap<IJaxprModel, Transforms>();

/** What asks for the transforms of a model. */
export function transformsFor(model: IJaxprModel): Transforms {
  let transforms = TRANSFORMS.get(model);
  if (!transforms) {
    transforms = new Transforms(model);
    TRANSFORMS.set(model, transforms);
  }
  return transforms;
}
