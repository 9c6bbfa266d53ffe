/**
 * Reads the equations of a program by scope and index, wherever the snapshot holds them.
 *
 * A large program arrives in parts: the document holds the first equations of a scope, and pages bring the others, each
 * page with pools of its own. Only `ProgramEquations` knows which part holds which equation.
 */
import type {
  Aval,
  Child,
  Program,
  Scope,
  ScopePage,
  Snapshot
} from '../protocol/snapshot';

/**
 * The pools (lists of shared values) that the indices in a scope's columns refer to: the pools of a snapshot, or of a
 * page.
 */
export type Pools = Pick<
  Snapshot,
  | 'strings'
  | 'avals'
  | 'literals'
  | 'parameter_lists'
  | 'files'
  | 'frames'
  | 'stacks'
>;

/** A program inside an equation, in the form in which it is printed. */
export interface IPrintedProgram {
  /** The parameter that holds the program. */
  parameter: string;
  /** The index in the parameter's tuple; -1 if the parameter is no tuple. */
  position: number;
  scope: number;
  /**
   * True if the program stands inside the text of a parameter, such as `f(matvec=<program>)`, and is printed as a
   * program of its own.
   */
  inText: boolean;
  /** True if the program combines two values; its equations are not counted. */
  combiner: boolean;
}

/** The sign that stands for a program in a parameter's text. */
export const PROGRAM_SIGN = '\uFFFC';

/**
 * The combiners are the same as in jupyter_jaxpr/program/jaxpr/parameters.py: `reduce.jaxpr`,
 * `scatter-add.update_jaxpr`, and so on.
 */
function isCombiner(primitive: string, parameter: string): boolean {
  return (
    ((primitive === 'reduce' || primitive === 'reduce_window') &&
      parameter === 'jaxpr') ||
    primitive === 'select_and_scatter' ||
    (primitive.startsWith('scatter') && parameter === 'update_jaxpr')
  );
}

/** Some consecutive equations of one scope, with the pools that their columns point into. */
export class ScopePart {
  constructor(
    readonly pools: Pools,
    readonly scope: Scope,
    /**
     * For a page: the names of the variables of earlier pages that its equations read; null for a document's own part.
     */
    readonly earlierNames: ReadonlyMap<number, string> | null
  ) {
    this.first = scope.first_equation;
    this.end = this.first + scope.primitive.length;
    const count = scope.primitive.length;
    this._outputStart = new Int32Array(count + 1);
    let next = scope.first_equation > 0 ? scope.first_variable : 0;
    if (scope.first_equation === 0) {
      next = scope.constants + scope.inputs;
    }
    for (let i = 0; i < count; i++) {
      this._outputStart[i] = next;
      next += scope.output_counts[i];
    }
    this._outputStart[count] = next;
    this._childStart = new Int32Array(count + 1);
    const ofEquation: Child[][] = [];
    let children = 0;
    for (const child of scope.children) {
      const i = child[0] - this.first;
      if (i >= 0 && i < count) {
        (ofEquation[i] ??= []).push(child);
      }
    }
    for (let i = 0; i < count; i++) {
      this._childStart[i] = children;
      const own = ofEquation[i];
      if (own) {
        for (const child of own) {
          this._children.push(child);
        }
        children += own.length;
      }
    }
    this._childStart[count] = children;
  }

  /** The index of the first equation of the part. */
  readonly first: number;
  /** The index after the last equation of the part. */
  readonly end: number;

  holds(equation: number): boolean {
    return equation >= this.first && equation < this.end;
  }

  primitive(equation: number): string {
    return this.pools.strings[this.scope.primitive[equation - this.first]];
  }

  operands(equation: number): readonly number[] {
    return this.scope.operands[equation - this.first];
  }

  /** The number of the first variable that the equation binds. */
  outputStart(equation: number): number {
    return this._outputStart[equation - this.first];
  }

  /** The number after that of the last variable that the equation binds. */
  outputEnd(equation: number): number {
    return this._outputStart[equation - this.first + 1];
  }

  /** The index of an equation's stack in the pools; -1 for none. */
  stack(equation: number): number {
    return this.scope.stack[equation - this.first];
  }

  nameStack(equation: number): string {
    return (
      this.pools.strings[this.scope.name_stack[equation - this.first]] ?? ''
    );
  }

  /** The parameters as pairs of name and value; the value is null for a program or a tuple of programs. */
  parameters(equation: number): [string, string | null][] {
    const list = this.scope.parameters[equation - this.first];
    if (list < 0) {
      return [];
    }
    const { strings } = this.pools;
    return this.pools.parameter_lists[list].map(([name, value]) => [
      strings[name],
      value < 0 ? null : strings[value]
    ]);
  }

  hasParameters(equation: number): boolean {
    const list = this.scope.parameters[equation - this.first];
    return list >= 0 && this.pools.parameter_lists[list].length > 0;
  }

  effects(equation: number): string[] {
    for (const [of, effects] of this.scope.effects) {
      if (of === equation) {
        return effects.map(effect => this.pools.strings[effect]);
      }
    }
    return [];
  }

  hasChildren(equation: number): boolean {
    const i = equation - this.first;
    return this._childStart[i] < this._childStart[i + 1];
  }

  /** The programs inside an equation as the document stores them. */
  children(equation: number): Child[] {
    const i = equation - this.first;
    return this._children.slice(this._childStart[i], this._childStart[i + 1]);
  }

  /** The programs inside an equation in the order in which they are printed. */
  printedPrograms(equation: number): IPrintedProgram[] {
    if (!this.hasChildren(equation)) {
      return [];
    }
    const { strings } = this.pools;
    const children = this.children(equation);
    const printed: IPrintedProgram[] = [];
    for (const [parameter, value] of this.parameters(equation)) {
      for (const [, name, position, scope] of children) {
        if (strings[name] === parameter) {
          printed.push({
            parameter,
            position,
            scope,
            inText: value !== null,
            combiner: isCombiner(this.primitive(equation), parameter)
          });
        }
      }
    }
    return printed;
  }

  /** The type of a variable that this part binds; null for a variable of another part. */
  aval(variable: number): Aval | null {
    const aval =
      this.scope.variable_avals[variable - this.scope.first_variable];
    return aval === undefined ? null : this.pools.avals[aval];
  }

  private _outputStart: Int32Array;
  private _childStart: Int32Array;
  private _children: Child[] = [];
}

/** A part of a scope that has arrived, and the index of the scope. */
export interface IAddedPart {
  readonly scope: number;
  readonly part: ScopePart;
}

/** The equations of one program of a snapshot; pages are added as they arrive. */
export class ProgramEquations {
  constructor(
    readonly snapshot: Snapshot,
    readonly program: Program
  ) {
    this.root = program.scope;
    this._base = new Int32Array(snapshot.scopes.length).fill(-1);
    this._visit(this.root);
    // In an incomplete program, the equations that call these scopes may not have arrived.
    for (const [scope] of program.lets ?? []) {
      this._visit(scope);
    }
  }

  /** The index of the program's own scope. */
  readonly root: number;

  /**
   * The scopes of the program whose calls have arrived: the program's own scope first, outer scopes before inner ones.
   */
  get scopes(): readonly number[] {
    return this._scopes;
  }

  /** The greatest id of an equation plus one. */
  get idCount(): number {
    return this._idCount;
  }

  /** The number of pages that have arrived. */
  get pages(): number {
    return this._pages;
  }

  /** True if the program is known to have the scope; equations that have not arrived may use further scopes. */
  has(scope: number): boolean {
    return this._base[scope] >= 0;
  }

  /** The id of an equation; it stays the same when pages arrive. */
  id(scope: number, equation: number): number {
    return this._base[scope] + equation;
  }

  /** The parts of a scope, in order; the first one is the document's. */
  parts(scope: number): readonly ScopePart[] {
    return this._parts[scope] ?? [];
  }

  /** The part that holds an equation; null for an equation that has not arrived. */
  part(scope: number, equation: number): ScopePart | null {
    const parts = this._parts[scope];
    if (!parts) {
      return null;
    }
    if (parts[0].holds(equation)) {
      return parts[0];
    }
    let low = 0;
    let high = parts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (parts[middle].first <= equation) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return parts[low].holds(equation) ? parts[low] : null;
  }

  /** The number of a scope's equations that have arrived, counted from the first one up to the first missing one. */
  arrivedCount(scope: number): number {
    let end = 0;
    for (const part of this.parts(scope)) {
      if (part.first > end) {
        break;
      }
      end = Math.max(end, part.end);
    }
    return end;
  }

  /** The number of equations of a scope, including those that have not arrived. */
  count(scope: number): number {
    return this.snapshot.scopes[scope].count;
  }

  /** The type of a variable; null where its part has not arrived. */
  aval(scope: number, variable: number): Aval | null {
    for (const part of this.parts(scope)) {
      const aval = part.aval(variable);
      if (aval) {
        return aval;
      }
    }
    return null;
  }

  /**
   * Adds a page of a scope's equations, with the equations inside them. Returns the added parts, outer parts before
   * inner ones.
   * @param isShown - True for a scope that has rows already: its rows request the missing equations.
   */
  addPage(
    scope: number,
    page: ScopePage,
    isShown: (scope: number) => boolean = () => false
  ): IAddedPart[] {
    this._pages++;
    const added = [{ scope, part: this._add(scope, page, page) }];
    for (const inner of page.inner ?? []) {
      const { number } = inner;
      if (!isShown(number) && this.arrivedCount(number) === 0) {
        added.push({ scope: number, part: this._add(number, inner, page) });
      }
    }
    return added;
  }

  private _add(
    scope: number,
    page: Pick<ScopePage, 'scope' | 'operands' | 'operand_names'>,
    pools: Pools
  ): ScopePart {
    const earlier = new Map<number, string>();
    page.operands.forEach((variable, i) =>
      earlier.set(variable, page.operand_names[i])
    );
    const part = new ScopePart(pools, page.scope, earlier);
    const parts = (this._parts[scope] ??= []);
    parts.push(part);
    parts.sort((a, b) => a.first - b.first);
    for (const child of page.scope.children) {
      this._visit(child[3]);
    }
    return part;
  }

  private _visit(start: number): void {
    const pending = [start];
    while (pending.length > 0) {
      const scope = pending.pop() as number;
      if (this._base[scope] >= 0) {
        continue;
      }
      const columns = this.snapshot.scopes[scope];
      this._base[scope] = this._idCount;
      this._idCount += columns.count;
      this._scopes.push(scope);
      this._parts[scope] = [new ScopePart(this.snapshot, columns, null)];
      for (let i = columns.children.length - 1; i >= 0; i--) {
        pending.push(columns.children[i][3]);
      }
    }
  }

  private _parts: ScopePart[][] = [];
  private _scopes: number[] = [];
  private _base: Int32Array;
  private _idCount = 0;
  private _pages = 0;
}
