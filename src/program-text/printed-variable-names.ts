/**
 * Names the variables of a program exactly as `print(jaxpr)` does.
 *
 * The rules are in jupyter_jaxpr/document/FORMAT.md, "Variables and their names". jupyter_jaxpr/document/printed_variable_names.py
 * implements them in Python; tests compare both with the golden fixtures.
 */
import { ProgramEquations } from './equations';

/** The printed names of one program's variables. */
export interface IProgramNames {
  /** For each scope, by its index, the names of its variables, by their numbers. */
  readonly variables: (string[] | undefined)[];
  /** The scopes that are printed before the program, with their names, in order. */
  readonly lets: Map<number, string>;
}

/** The n-th name: a to z, then ba, bb, and so on. */
export function encodeName(n: number): string {
  let name = '';
  do {
    name = String.fromCharCode(97 + (n % 26)) + name;
    n = Math.floor(n / 26);
  } while (n > 0);
  return name;
}

/**
 * Name the variables of the program in `equations`, or of the scope `root` as a program of its own (one that stands
 * inside the text of a parameter: its names begin at `a` again, and no name is reserved).
 */
export function nameProgram(
  equations: ProgramEquations,
  root = equations.root
): IProgramNames {
  if (!equations.program.complete) {
    return givenNames(equations);
  }
  const lets = findLets(equations, root);
  const names = new Naming(equations, root, lets);
  for (const scope of lets.keys()) {
    names.nameBody(scope);
  }
  names.nameBody(root);
  return { variables: names.variables, lets };
}

/**
 * An upper bound for the work of naming a program inside the text of a parameter: the number of its variables and of
 * all scopes.
 */
export function namingWork(
  equations: ProgramEquations,
  names: IProgramNames
): number {
  return names.variables.reduce(
    (all, named) => all + (named?.length ?? 0),
    equations.scopes.length
  );
}

/**
 * The variable names of an incomplete program, as the kernel sent them: a part of a program is not enough to compute
 * them.
 */
function givenNames(equations: ProgramEquations): IProgramNames {
  const { snapshot, program } = equations;
  const names: IProgramNames = { variables: [], lets: new Map() };
  for (const [scope, name] of program.lets ?? []) {
    names.lets.set(scope, snapshot.strings[name]);
  }
  for (const scope of equations.scopes) {
    takeGivenNames(equations, scope, names);
  }
  return names;
}

/** Adds the names that arrived with the parts of a scope. */
export function takeGivenNames(
  equations: ProgramEquations,
  scope: number,
  names: IProgramNames
): void {
  const namesOfScope = (names.variables[scope] ??= []);
  for (const part of equations.parts(scope)) {
    part.scope.names?.forEach((name, i) => {
      namesOfScope[part.scope.first_variable + i] = name;
    });
    part.earlierNames?.forEach((name, variable) => {
      namesOfScope[variable] ??= name;
    });
  }
}

/** Finds the scopes that are printed before the program: scopes that are used more than once, and long scopes. */
function findLets(
  equations: ProgramEquations,
  root: number
): Map<number, string> {
  const { snapshot } = equations;
  const limit = snapshot.naming.hoist_above;
  // Third and later visits of a scope are skipped, so that the time for deep sharing stays linear.
  const visits = new Map<number, number>([]);
  const queue = [root];
  for (let head = 0; head < queue.length; head++) {
    const scope = queue[head];
    const seen = visits.get(scope) ?? 0;
    visits.set(scope, seen + 1);
    if (seen >= 2) {
      continue;
    }
    for (const child of snapshot.scopes[scope].children) {
      queue.push(child[3]);
    }
  }
  const lets = new Map<number, string>();
  const counter = new Map<string, number>();
  for (const [scope, count] of visits) {
    const long = scope !== root && limit > 0 && equations.count(scope) > limit;
    if (count === 1 && !long) {
      continue;
    }
    const named = snapshot.scopes[scope].name;
    const base = named < 0 ? 'jaxpr' : snapshot.strings[named];
    let name = base.replace(/^[<>]+|[<>]+$/g, '');
    const used = counter.get(name) ?? 0;
    counter.set(name, used + 1);
    if (used > 0) {
      name += String(used);
      counter.set(name, (counter.get(name) ?? 0) + 1);
    }
    lets.set(scope, name);
  }
  return lets;
}

/** The state of naming a body; an explicit stack, because bodies nest as deeply as the user's program. */
interface IPosition {
  scope: number;
  equation: number;
  /** The bodies of the current equation that are not named yet, the next one last. */
  pending: number[];
}

class Naming {
  constructor(
    private _equations: ProgramEquations,
    root: number,
    private _lets: ReadonlyMap<number, string>
  ) {
    this._reserved = new Set(_lets.values());
    this._markUnused(root);
  }

  readonly variables: (string[] | undefined)[] = [];

  nameBody(scope: number): void {
    const stack: IPosition[] = [this._enter(scope)];
    while (stack.length > 0) {
      const position = stack[stack.length - 1];
      const inner = position.pending.pop();
      if (inner !== undefined) {
        stack.push(this._enter(inner));
        continue;
      }
      if (!this._advance(position)) {
        stack.pop();
      }
    }
  }

  /** Names the constants and the inputs of a scope; returns the position of the scope's first equation. */
  private _enter(scope: number): IPosition {
    const names = this._table(scope);
    const { constants, inputs } = this._equations.snapshot.scopes[scope];
    for (let v = 0; v < constants + inputs; v++) {
      names[v] ??= this._fresh();
    }
    return { scope, equation: 0, pending: [] };
  }

  /** Names equations up to the next equation with bodies inside; returns false at the end of the scope. */
  private _advance(position: IPosition): boolean {
    const { scope } = position;
    const names = this._table(scope);
    const part = this._equations.parts(scope)[0];
    while (position.equation < part.end) {
      const equation = position.equation++;
      const end = part.outputEnd(equation);
      if (!part.hasChildren(equation)) {
        for (let v = part.outputStart(equation); v < end; v++) {
          names[v] ??= this._fresh();
        }
        continue;
      }
      this._shareJitNames(scope, equation);
      for (let v = part.outputStart(equation); v < end; v++) {
        names[v] ??= this._fresh();
      }
      position.pending = part
        .printedPrograms(equation)
        .filter(({ scope, inText }) => !inText && !this._lets.has(scope))
        .map(({ scope }) => scope)
        .reverse();
      return true;
    }
    return false;
  }

  /** Gives the inputs and outputs of a jit's inner program the names that the same values have outside of the jit. */
  private _shareJitNames(scope: number, equation: number): void {
    const { snapshot } = this._equations;
    const part = this._equations.parts(scope)[0];
    const primitive = part.primitive(equation);
    if (
      !snapshot.naming.share_jit_names ||
      (primitive !== 'jit' && primitive !== 'pjit')
    ) {
      return;
    }
    const child = part
      .printedPrograms(equation)
      .find(({ parameter, inText }) => parameter === 'jaxpr' && !inText);
    if (!child || this._lets.has(child.scope)) {
      return;
    }
    const inner = snapshot.scopes[child.scope];
    const inputs: number[] = [];
    for (let i = 0; i < inner.inputs; i++) {
      inputs.push(inner.constants + i);
    }
    const outputs: number[] = [];
    for (
      let v = part.outputStart(equation);
      v < part.outputEnd(equation);
      v++
    ) {
      outputs.push(v);
    }
    this._pair(child.scope, inputs, scope, part.operands(equation));
    this._pair(child.scope, inner.outputs, scope, outputs);
  }

  private _pair(
    innerScope: number,
    inner: readonly number[],
    outerScope: number,
    outer: readonly number[]
  ): void {
    if (inner.length !== outer.length) {
      return;
    }
    const innerNames = this._table(innerScope);
    const outerNames = this._table(outerScope);
    const paired = new Set<number>();
    inner.forEach((variable, i) => {
      const like = outer[i];
      if (
        variable >= 0 &&
        like >= 0 &&
        !paired.has(like) &&
        innerNames[variable] === undefined
      ) {
        paired.add(like);
        innerNames[variable] = outerNames[like] ??= this._fresh();
      }
    });
  }

  /** At the outermost level, a variable without uses is printed as _. */
  private _markUnused(root: number): void {
    const part = this._equations.parts(root)[0];
    const names = this._table(root);
    const used = new Uint8Array(part.outputEnd(part.end - 1) || 0);
    for (const output of part.scope.outputs) {
      if (output >= 0) {
        used[output] = 1;
      }
    }
    for (let equation = part.end - 1; equation >= part.first; equation--) {
      const end = part.outputEnd(equation);
      for (let v = part.outputStart(equation); v < end; v++) {
        if (used[v] !== 1) {
          names[v] = '_';
        }
      }
      for (const operand of part.operands(equation)) {
        if (operand >= 0) {
          used[operand] = 1;
        }
      }
    }
  }

  private _table(scope: number): string[] {
    let names = this.variables[scope];
    if (names === undefined) {
      const { dropped, variable_avals } =
        this._equations.snapshot.scopes[scope];
      names = new Array<string>(variable_avals.length);
      for (const variable of dropped) {
        names[variable] = '_';
      }
      this.variables[scope] = names;
    }
    return names;
  }

  private _fresh(): string {
    let name: string;
    do {
      name = encodeName(this._next++);
    } while (this._reserved.has(name));
    return name;
  }

  private _reserved: ReadonlySet<string>;
  private _next = 0;
}
