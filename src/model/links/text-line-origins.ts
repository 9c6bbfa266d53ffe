/** Finds the lines of a StableHLO or HLO text that come from a place in the code. */
import { IOrigin } from '../../program-text/source-spans';
import type { IEquationRef } from '../../tokens';

/** A level whose text is linked line by line; a jaxpr is linked equation by equation. */
export type TextLevel = 'stablehlo' | 'hlo';

/** The facts that the kernel sends about some lines of a text, in addition to their stacks. */
export interface ILineFacts {
  /** Lines for which XLA states no stack; the kernel inferred their stacks from other lines. */
  inferred_lines?: readonly number[];
  /** Lines that may come from several places: [line, further stacks...]. */
  other_stacks?: readonly (readonly number[])[];
  /** Lines that come from exactly one known equation: [line, scope, index of the equation]. */
  named_equations?: readonly (readonly number[])[];
}

/** The origins of the lines of one text. */
export class TextLineOrigins {
  /** For each line its origin; null if it has none, undefined if the line has not arrived yet. */
  readonly origins: (IOrigin | null | undefined)[] = [];
  readonly inferred = new Set<number>();
  /** line that comes from exactly one known equation -> this equation */
  readonly named = new Map<number, IEquationRef>();

  /** The origins that a line may have: usually one, several if XLA does not distinguish them. */
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

  /**
   * The lines of an origin: those with the same complete stack; if none, those with the same user frames; if none,
   * those of the same span.
   */
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

/** Appends a value to the list that a map has for a key; makes the list if the map has none. */
export function put<K>(map: Map<K, number[]>, key: K, value: number): void {
  const list = map.get(key);
  if (list) {
    list.push(value);
  } else {
    map.set(key, [value]);
  }
}
