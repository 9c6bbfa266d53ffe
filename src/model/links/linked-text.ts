/** Finds the lines of a text that come from a place. */
import { IOrigin } from '../../program-text/source-spans';
import type { IEquationRef } from '../../tokens';

/** A text that is linked line by line. */
export type TextLevel = 'stablehlo' | 'hlo';

/** What is known of some lines of a text beside their stacks. */
export interface ILineFacts {
  /** Lines of the whole text whose stack is not stated: it follows from other lines. */
  inferred_lines?: readonly number[];
  /** Lines that may come from several places: the line, then the stacks beside its own. */
  other_stacks?: readonly (readonly number[])[];
  /** Lines that are one of several equations: the line, its scope and index. */
  named_equations?: readonly (readonly number[])[];
}

/** Where the lines of one text come from. */
export class LinkedText {
  /** Of each line: where it comes from; null for nowhere, undefined where it has not arrived. */
  readonly origins: (IOrigin | null | undefined)[] = [];
  readonly inferred = new Set<number>();
  /** Of lines that are one of the equations of their place: which. */
  readonly named = new Map<number, IEquationRef>();

  /** Where a line comes from: several places where JAX does not tell them apart. */
  all(line: number): readonly IOrigin[] {
    const origin = this.origins[line];
    return origin ? [origin, ...(this._others.get(line) ?? [])] : [];
  }

  addOthers(line: number, origins: readonly IOrigin[]): void {
    if (!this._others.has(line)) {
      this._others.set(line, origins);
      for (const origin of origins) {
        this._put(origin, line);
      }
    }
  }

  add(firstLine: number, origins: readonly (IOrigin | null)[]): void {
    origins.forEach((origin, i) => {
      const line = firstLine + i;
      if (this.origins[line] !== undefined) {
        return;
      }
      this.origins[line] = origin;
      if (origin) {
        this._put(origin, line);
      }
    });
  }

  private _put(origin: IOrigin, line: number): void {
    put(this._byExact, origin.exact, line);
    put(this._byChain, origin.chain, line);
    put(this._bySpan, origin.span, line);
  }

  /** The lines of an origin: those of its very stack, else of its user frames, else of its span. */
  find(origin: IOrigin): readonly number[] {
    return (
      this._byExact.get(origin.exact) ??
      this._byChain.get(origin.chain) ??
      this._bySpan.get(origin.span) ??
      []
    );
  }

  ofChain(chain: number): readonly number[] {
    return this._byChain.get(chain) ?? [];
  }

  private _others = new Map<number, readonly IOrigin[]>();
  private _byExact = new Map<number, number[]>();
  private _byChain = new Map<number, number[]>();
  private _bySpan = new Map<number, number[]>();
}

/** Add to the list of a key. */
export function put<K>(map: Map<K, number[]>, key: K, value: number): void {
  const list = map.get(key);
  if (list) {
    list.push(value);
  } else {
    map.set(key, [value]);
  }
}
