/** Finds the names around each equation: called functions, named scopes, bodies of loops. */
import type { ProgramEquations } from '../../program-text/equations';
import { namesOfStack } from '../reading/query';

export class ScopeNames {
  constructor(private _equations: ProgramEquations) {
    const { snapshot, program } = _equations;
    const index = snapshot.programs.indexOf(program);
    for (const control of snapshot.control_flow ?? []) {
      if (control.program === index && control.body >= 0 && control.title) {
        this._titles.set(control.body, control.title);
      }
      for (const { scope, name } of control.branches) {
        if (control.program === index && scope >= 0 && name) {
          this._titles.set(scope, name);
        }
      }
    }
    this._ofScope.set(_equations.root, this._own(_equations.root));
    // `scopes` has each outer scope before the scopes inside it.
    for (const scope of _equations.scopes) {
      this._fillInner(scope);
    }
  }

  /**
   * The names around an equation, including its own name stack; with equation -1, the names around the other lines of a
   * scope.
   */
  of(scope: number, equation: number): readonly string[] {
    const around = this._ofScope.get(scope) ?? NONE;
    const part = equation < 0 ? null : this._equations.part(scope, equation);
    const stack = part?.nameStack(equation) ?? '';
    if (stack === '') {
      return around;
    }
    let namesByKey = this._ofStack.get(around);
    if (!namesByKey) {
      namesByKey = new Map();
      this._ofStack.set(around, namesByKey);
    }
    let names = namesByKey.get(stack);
    if (!names) {
      names = [...around, ...namesOfStack(stack)];
      namesByKey.set(stack, names);
    }
    return names;
  }

  private _fillInner(scope: number): void {
    for (const part of this._equations.parts(scope)) {
      for (const [equation, , , inner] of part.scope.children) {
        if (!this._ofScope.has(inner)) {
          this._ofScope.set(inner, [
            ...this.of(scope, equation),
            ...this._own(inner)
          ]);
        }
      }
    }
  }

  private _own(scope: number): string[] {
    const { snapshot } = this._equations;
    const name = snapshot.strings[snapshot.scopes[scope].name];
    const title = this._titles.get(scope);
    return [name, title].filter((part): part is string => Boolean(part));
  }

  private _titles = new Map<number, string>();
  private _ofScope = new Map<number, readonly string[]>();
  /** Equations with the same names share one list, so that a filter by name tests each list once. */
  private _ofStack = new Map<
    readonly string[],
    Map<string, readonly string[]>
  >();
}

const NONE: readonly string[] = [];
