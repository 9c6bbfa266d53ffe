/** Finds the consecutive equations that one call of a library made, so that they can be folded to one line. */
import { ProgramEquations, ScopePart } from './equations';
import { SourceSpans, callee, calledAs, operatorAs } from './source-spans';

/** Consecutive equations of one scope, from first to last, that one library call in the user's code made. */
export interface ILibraryCall {
  first: number;
  last: number;
  /** The called function as the cell writes it, such as `jax.nn.softmax`. */
  name: string;
}

/**
 * An operator such as `@` with fewer equations than this folds only if it has an inner program, as operators outside of
 * jit have. A call of a function always folds.
 */
const FEWEST_OF_OPERATOR = 3;

const CONTROL_FLOW_PRIMITIVES: ReadonlySet<string> = new Set([
  'cond',
  'scan',
  'while'
]);
const CONTROL_FLOW: ReadonlySet<string> = new Set([
  'associative_scan',
  'cond',
  'fori_loop',
  'map',
  'scan',
  'switch',
  'while_loop'
]);

/** Finds, in the scopes of a program, the consecutive equations that one library call of the user's code made. */
export class LibraryCalls {
  constructor(
    private _equations: ProgramEquations,
    private _spans: SourceSpans
  ) {}

  /** The calls among the equations of one part of a scope, in order. */
  find(part: ScopePart, scope: number): ILibraryCall[] {
    const calls: ILibraryCall[] = [];
    const { pools } = part;
    let first = part.first;
    while (first < part.end) {
      const origin = this._spans.origin(pools, part.stack(first));
      let end = first + 1;
      if (!origin || this._isControlFlow(part, first)) {
        first = end;
        continue;
      }
      const backward = isBackward(part.nameStack(first));
      const stays = (equation: number): boolean => {
        const otherOrigin = this._spans.origin(pools, part.stack(equation));
        return (
          otherOrigin !== null &&
          otherOrigin.chain === origin.chain &&
          // The stack of a `custom_jvp` in a library has no library frame, so an equation with inner equations also
          // counts; `_holdsOnly` then checks where the inner equations come from.
          (otherOrigin.calls.length > 0 || part.hasChildren(equation)) &&
          !this._isControlFlow(part, equation) &&
          isBackward(part.nameStack(equation)) === backward &&
          this._holdsOnly(part, equation, origin.span)
        );
      };
      if (stays(first)) {
        while (end < part.end && stays(end)) {
          end++;
        }
        const whole = end - first === this._equations.count(scope);
        const size = this._size(part, first, end);
        if (size > 1 && !whole) {
          const name = this._name(part, first, size);
          if (name !== null) {
            calls.push({ first, last: end - 1, name });
          }
        }
      }
      first = end;
    }
    return calls;
  }

  /** The number of equations from `first` to `end`, including the equations inside these equations. */
  private _size(part: ScopePart, first: number, end: number): number {
    let size = end - first;
    for (let equation = first; equation < end; equation++) {
      if (part.hasChildren(equation)) {
        for (const { scope, combiner } of part.printedPrograms(equation)) {
          size += combiner ? 0 : this._equations.snapshot.scopes[scope].total;
        }
      }
    }
    return size;
  }

  private _name(
    part: ScopePart,
    equation: number,
    size: number
  ): string | null {
    const stack = part.stack(equation);
    const origin = this._spans.origin(part.pools, stack);
    if (!origin) {
      return null;
    }
    const text = this._spans.text(this._spans.span(origin.span));
    if (text !== null && callee(text) === null) {
      const isFolded = size >= FEWEST_OF_OPERATOR || part.hasChildren(equation);
      return isFolded ? operatorAs(text) : null;
    }
    const called = text === null ? null : calledAs(text);
    if (called !== null) {
      return called;
    }
    const name = this._spans.libraryFrames(part.pools, stack)[0]?.function;
    return name?.split('.').pop() || null;
  }

  /** True for control flow that the user wrote, which is never folded, whatever its body. */
  private _isControlFlow(part: ScopePart, equation: number): boolean {
    if (!part.hasChildren(equation)) {
      return false;
    }
    const [called] = this._spans.libraryFrames(
      part.pools,
      part.stack(equation)
    );
    return called === undefined
      ? CONTROL_FLOW_PRIMITIVES.has(part.primitive(equation))
      : CONTROL_FLOW.has(called.function.split('.').pop() ?? '');
  }

  /**
   * True if all equations inside an equation come from this span, so that folding hides no equation of other code of
   * the user.
   */
  private _holdsOnly(part: ScopePart, equation: number, span: number): boolean {
    if (!part.hasChildren(equation)) {
      return true;
    }
    return part.children(equation).every(([, , , scope]) => {
      const only = this._onlySpan(scope);
      return only === NO_SPAN || only === span;
    });
  }

  /** The single span of all equations in a scope and in the scopes inside, NO_SPAN or MANY_SPANS. */
  private _onlySpan(scope: number): number {
    const cached = this._onlySpans.get(scope);
    if (cached !== undefined) {
      return cached;
    }
    // Handles inner scopes first, without recursion, because a program may nest deeply.
    const pending = [{ scope, entered: false }];
    while (pending.length > 0) {
      const { scope: next, entered } = pending[pending.length - 1];
      if (entered || this._onlySpans.has(next)) {
        pending.pop();
        if (!this._onlySpans.has(next)) {
          this._onlySpans.set(next, this._ownSpan(next));
        }
        continue;
      }
      pending[pending.length - 1].entered = true;
      for (const part of this._equations.parts(next)) {
        for (const [, , , inner] of part.scope.children) {
          pending.push({ scope: inner, entered: false });
        }
      }
    }
    return this._onlySpans.get(scope) ?? MANY_SPANS;
  }

  private _ownSpan(scope: number): number {
    if (this._equations.arrivedCount(scope) < this._equations.count(scope)) {
      return MANY_SPANS; // some equations have not arrived, so their spans are unknown; the call is then not folded
    }
    let only = NO_SPAN;
    const meet = (span: number): void => {
      if (span !== NO_SPAN && span !== only) {
        only = only === NO_SPAN ? span : MANY_SPANS;
      }
    };
    for (const part of this._equations.parts(scope)) {
      for (const stack of part.scope.stack) {
        meet(this._spans.origin(part.pools, stack)?.span ?? NO_SPAN);
      }
      for (const [, , , inner] of part.scope.children) {
        meet(this._onlySpans.get(inner) ?? MANY_SPANS);
      }
    }
    return only;
  }

  private _onlySpans = new Map<number, number>();
}

/** True for an equation of a gradient's backward pass; such equations are not folded together with the forward pass. */
function isBackward(nameStack: string): boolean {
  return nameStack.includes('transpose(');
}

const NO_SPAN = -1;
const MANY_SPANS = -2;
