/**
 * Finds the names that the user's assignments gave to the results of equations.
 * jupyter_jaxpr/document/read/assigned_names.py finds the same names for the exports.
 */
import type { Snapshot } from '../protocol/snapshot';

/** The names of the variables of a document, read from the assignments that stored the values. */
export class AssignedNames {
  constructor(snapshot: Snapshot) {
    for (const { kind, name, scope, variables } of snapshot.named_values ??
      []) {
      if (kind !== 'assigned') {
        continue;
      }
      const text = snapshot.strings[name];
      for (const variable of variables ?? []) {
        const key = `${scope}:${variable}`;
        const texts = this._names.get(key);
        if (texts === undefined) {
          this._names.set(key, [text]);
        } else if (!texts.includes(text)) {
          texts.push(text);
        }
      }
    }
  }

  /** All names of a variable, in the order of the document; `a = b = x @ w` gives two. */
  of(scope: number, variable: number): readonly string[] {
    return this._names.get(`${scope}:${variable}`) ?? NONE;
  }

  /** Every variable that has a name, with each of its names. */
  *all(): Iterable<{ scope: number; variable: number; name: string }> {
    for (const [key, names] of this._names) {
      const [scope, variable] = key.split(':').map(Number);
      for (const name of names) {
        yield { scope, variable, name };
      }
    }
  }

  private _names = new Map<string, string[]>();
}

const NONE: readonly string[] = [];

/** The names that the user's assignments gave to the variables of a document; read once for each document. */
export function assignedNames(snapshot: Snapshot): AssignedNames {
  let names = made.get(snapshot);
  if (!names) {
    names = new AssignedNames(snapshot);
    made.set(snapshot, names);
  }
  return names;
}

const made = new WeakMap<Snapshot, AssignedNames>();
