/**
 * Holds the exact links of a model's programs (from tagged twins): the progress of the request, whether the twin is
 * shown, and the equations of each line.
 */
import { ISignal, Signal } from '@lumino/signaling';

import type { ExactLinks, Snapshot } from '../protocol/snapshot';
import type { IEquationRef, IJaxprModel } from '../tokens';
import { ILinesEquations, Links, TextLevel } from './links';
import { Asking, askingOf } from './request-state';

/** The twins of a model's programs, at most one for each program of a run: tagged copies, which give exact links. */
export class Twins {
  constructor(model: IJaxprModel) {
    this.work = askingOf(model, 'exact_links');
    this.work.changed.connect(this._onWork, this);
  }

  readonly work: Asking<'exact_links'>;

  /** Emits when a twin was requested, has arrived, was shown or was hidden. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** The exact links of a program; null if its twin (its tagged copy) was not compiled. */
  of(snapshot: Snapshot, program: number): ExactLinks | null {
    return (
      snapshot.exact_links?.find(links => links.program === program) ?? null
    );
  }

  /** True if the views show the text of the twin (the tagged copy) instead of the program's own text. */
  isShown(snapshot: Snapshot, program: number): boolean {
    return (
      this._shown.has(`${program} ${snapshot.id}`) &&
      this.of(snapshot, program) !== null
    );
  }

  /**
   * Requests a twin, the tagged copy of a program; the kernel first asks the user to confirm the expected time. When
   * the twin arrives, the views show it.
   */
  ask(snapshot: Snapshot, program: number): Promise<void> {
    this._asked.set(`${program} ${snapshot.id}`, [snapshot, program]);
    return this.work.start(snapshot, program, {
      snapshot: snapshot.id,
      program
    });
  }

  /** Shows a twin (a tagged copy) that has arrived, or shows the program again. */
  show(snapshot: Snapshot, program: number, shown: boolean): void {
    const key = `${program} ${snapshot.id}`;
    if (shown) {
      this._shown.add(key);
    } else {
      this._shown.delete(key);
    }
    this._changed.emit();
  }

  /** Shows a twin that this page requested when it arrives, and forgets a request that was cancelled or has failed. */
  private _onWork(): void {
    for (const [key, [snapshot, program]] of this._asked) {
      const { kind } = this.work.stateOf(snapshot, program);
      if (kind === 'idle' || kind === 'failed') {
        this._asked.delete(key);
        if (kind === 'idle' && this.of(snapshot, program) !== null) {
          this._shown.add(key);
        }
      }
    }
    this._changed.emit();
  }

  private _asked = new Map<string, [Snapshot, number]>();
  private _shown = new Set<string>();
  private _changed = new Signal<this, void>(this);
}

const twinsByModel = new WeakMap<IJaxprModel, Twins>();

/** The twins (tagged copies) of a model's programs; all views of the model get the same object. */
export function twinsOf(model: IJaxprModel): Twins {
  const twins = twinsByModel.get(model) ?? new Twins(model);
  twinsByModel.set(model, twins);
  return twins;
}

/** The links of the texts of a twin (a tagged copy); XLA states exactly which equations each line comes from. */
export class TwinLinks extends Links {
  /** @param links The links of the original program; its twin has the same equation numbers. */
  constructor(links: Links) {
    super(links.equations, links.spans, false);
  }

  /** Adds rows of `TextPage.line_equations`: a line, then scope and index of each of its equations. */
  addEquations(level: TextLevel, rows: readonly (readonly number[])[]): void {
    const { ofLine, ofEquation } = this._exact[level];
    for (const [line, ...numbers] of rows) {
      if (ofLine.has(line)) {
        continue;
      }
      const equations: IEquationRef[] = [];
      for (let i = 0; i < numbers.length; i += 2) {
        const [scope, equation] = [numbers[i], numbers[i + 1]];
        if (this.equations.has(scope)) {
          equations.push({ scope, equation });
          const id = this.equations.id(scope, equation);
          const lines = ofEquation.get(id);
          if (lines) {
            lines.push(line);
          } else {
            ofEquation.set(id, [line]);
          }
        }
      }
      ofLine.set(line, equations);
    }
  }

  /** The equations that these lines come from, each listed once. */
  equationsOf(
    level: TextLevel,
    first: number,
    last: number
  ): readonly IEquationRef[] {
    const { ofLine } = this._exact[level];
    const refsById = new Map<number, IEquationRef>();
    for (let line = first; line <= last; line++) {
      for (const ref of ofLine.get(line) ?? []) {
        refsById.set(this.equations.id(ref.scope, ref.equation), ref);
      }
    }
    return [...refsById.values()];
  }

  /** The lines that come from these equations, ascending. */
  linesOfEquations(
    level: TextLevel,
    equations: Iterable<number>
  ): readonly number[] {
    const { ofEquation } = this._exact[level];
    const lines = new Set<number>();
    for (const id of equations) {
      for (const line of ofEquation.get(id) ?? []) {
        lines.add(line);
      }
    }
    return [...lines].sort((a, b) => a - b);
  }

  override equationsOfLine(level: TextLevel, line: number): readonly number[] {
    return [...this.equationsOfLines(level, line, line).ids];
  }

  override equationsOfLines(
    level: TextLevel,
    first: number,
    last: number
  ): ILinesEquations {
    const equations = this.equationsOf(level, first, last);
    return {
      ids: new Set(
        equations.map(({ scope, equation }) =>
          this.equations.id(scope, equation)
        )
      ),
      isExact: true
    };
  }

  private _exact: Record<TextLevel, IExactLines> = {
    stablehlo: { ofLine: new Map(), ofEquation: new Map() },
    hlo: { ofLine: new Map(), ofEquation: new Map() }
  };
}

interface IExactLines {
  ofLine: Map<number, readonly IEquationRef[]>;
  /** id of an equation -> its lines */
  ofEquation: Map<number, number[]>;
}
