/**
 * Finds the programs of a snapshot that a transform connects and the role of each of their equations, and asks the
 * kernel for a transform.
 *
 * The kernel decides the role of an equation (see `Transform` in jupyter_jaxpr/document/types/transform.py); this file
 * computes no role.
 */
import type { ISignal } from '@lumino/signaling';

import type { Snapshot, Transform, TransformPart } from '../protocol/snapshot';
import type { IJaxprModel } from '../tokens';
import { Asking, AskingState, askingOf } from './request-state';

/** The name of a transform, such as `grad`. */
export type TransformKind = Transform['kind'];

/** The role of an equation in a derived program; see `ScopeRoles` in jupyter_jaxpr/document/types/transform.py. */
export type Role = 'f' | 'b' | 'r' | 't' | 'm' | '-';

/** The values of an equation that are kept for the backward pass. */
export interface IKept {
  /** The type of each kept value, such as `f32[3,8]`. */
  types: string[];
  bytes: number;
}

/** The transforms of a program, in the order of the requests. */
export function transformsOf(
  snapshot: Snapshot,
  program: number
): readonly Transform[] {
  return (snapshot.transforms ?? []).filter(({ of }) => of === program);
}

/** The transform that made a program; null if the program was not derived. */
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

/** The program from which a program was derived; the program itself if it was not derived. */
export function originalOf(snapshot: Snapshot, program: number): number {
  return derivedBy(snapshot, program)?.transform.of ?? program;
}

/** The roles of the equations of a derived program, and the values that are kept for the backward pass. */
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

  /** The role of an equation; null for a transform without roles, such as vmap. */
  role(scope: number, equation: number): Role | null {
    return (this._roles.get(scope)?.[equation] as Role | undefined) ?? null;
  }

  kept(scope: number, equation: number): IKept | null {
    return this._kept.get(`${scope} ${equation}`) ?? null;
  }

  /** The number of equations with a role. */
  count(role: Role): number {
    return this._counts.get(role) ?? 0;
  }

  /** The bytes of all values that are kept for the backward pass. */
  readonly bytes: number = 0;

  private _roles = new Map<number, string>();
  private _counts = new Map<Role, number>();
  private _kept = new Map<string, IKept>();
}

const MARKS = new WeakMap<Snapshot, Map<number, DerivedMarks | null>>();

/** The roles and kept values of a derived program; null if the program was not derived. */
export function marksOf(
  snapshot: Snapshot,
  program: number
): DerivedMarks | null {
  let marksByProgram = MARKS.get(snapshot);
  if (!marksByProgram) {
    marksByProgram = new Map();
    MARKS.set(snapshot, marksByProgram);
  }
  let marks = marksByProgram.get(program);
  if (marks === undefined) {
    const derived = derivedBy(snapshot, program);
    marks = derived && new DerivedMarks(derived.transform, derived.part);
    marksByProgram.set(program, marks);
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

  /** The state of a requested transform. If JAX refuses a transform, the reason is in the document instead. */
  deriving(
    snapshot: Snapshot,
    program: number,
    kind: TransformKind
  ): AskingState {
    return this._asking.stateOf(snapshot, `${program} ${kind}`);
  }

  /**
   * Requests a derived program, unless it exists or is requested already.
   *
   * Returns the transform; null if the request failed, for the reason in `deriving`.
   */
  async derive(
    snapshot: Snapshot,
    program: number,
    kind: TransformKind
  ): Promise<Transform | null> {
    const made = (document: Snapshot): Transform | null =>
      transformsOf(document, program).find(
        transform => transform.kind === kind
      ) ?? null;
    if (made(snapshot) === null) {
      await this._asking.start(snapshot, `${program} ${kind}`, {
        snapshot: snapshot.id,
        program,
        kind
      });
    }
    const run = this._model.runs.find(
      listedRun => listedRun.snapshot.id === snapshot.id
    );
    return made(run?.snapshot ?? snapshot);
  }

  private _asking: Asking<'transform'>;
}

const TRANSFORMS = new WeakMap<IJaxprModel, Transforms>();

/** The object that requests the transforms of a model. */
export function transformsFor(model: IJaxprModel): Transforms {
  let transforms = TRANSFORMS.get(model);
  if (!transforms) {
    transforms = new Transforms(model);
    TRANSFORMS.set(model, transforms);
  }
  return transforms;
}
