/**
 * Prints the whole text of a program, which a copy gives, as `text("jaxpr")` does in Python.
 *
 * The layout is specified in jupyter_jaxpr/document/FORMAT.md, "The text of a program".
 */
import { LIMITS } from '../protocol/limits';
import { grouped } from '../quantities';
import { PROGRAM_SIGN, ProgramEquations, ScopePart } from './equations';
import {
  IProgramNames,
  nameProgram,
  namingWork
} from './printed-variable-names';
import type { AssignedNames } from './assigned-names';

/**
 * The whole text of a program, its lines separated by newlines. With `assigned`, the first line of an equation ends
 * with a comment that names the variables of the user's code to which its results are assigned.
 */
export function fullText(
  equations: ProgramEquations,
  names: IProgramNames = nameProgram(equations),
  assigned: AssignedNames | null = null
): string {
  const budget = { lines: LIMITS.LINES, characters: LIMITS.CHARACTERS };
  const printer = new FullText(equations, names, assigned, new Map(), budget);
  printer.program(equations.root, '');
  return printer.text();
}

/**
 * The numbers of lines and of characters that may still be printed. A program inside the text of a parameter is printed
 * at each use, so the length may explode.
 */
interface IBudget {
  lines: number;
  characters: number;
}

class FullText {
  constructor(
    private _equations: ProgramEquations,
    private _names: IProgramNames,
    private _assigned: AssignedNames | null,
    /** The names of the variables of each program that stands inside the text of a parameter. */
    private _apart: Map<number, IProgramNames>,
    private _budget: IBudget
  ) {}

  text(): string {
    return this._lines.join('\n');
  }

  /** Prints a program with its own lets; the first line continues `start`, later lines start with `indent`. */
  program(root: number, indent: string, start = indent): string {
    let first = start;
    for (const [scope, name] of this._names.lets) {
      first = this._body(scope, `${first}let ${name} = `, indent);
      this._push(`${first} in`);
      first = indent;
    }
    return this._body(root, first, indent, true);
  }

  /** Prints lambda, equations and outputs. With `push` the last line is added to the text; else it is returned. */
  private _body(
    scope: number,
    start: string,
    indent: string,
    push = false
  ): string {
    const equations = this._equations;
    this._push(`${start}${lambda(equations, this._names, scope)}`);
    const inner = `${indent}  `;
    let end = equations.arrivedCount(scope);
    for (const part of equations.parts(scope)) {
      for (let i = part.first; i < Math.min(part.end, end); i++) {
        if (this._isSpent()) {
          end = i;
          break;
        }
        const begun = this._lines.length;
        this._equation(part, scope, i, inner);
        this._lines[begun] += this._comment(part, scope, i);
      }
    }
    const missing = equations.count(scope) - end;
    if (missing > 0) {
      this._push(`${inner}${moreEquations(missing)}`);
    }
    const last = `${indent}${results(equations, this._names, scope)}`;
    if (push) {
      this._push(last);
      return '';
    }
    return last;
  }

  private _push(line: string): void {
    this._lines.push(line);
    this._budget.lines--;
    this._budget.characters -= line.length;
  }

  /** Prints the comment `  # pre`; for an equation with several results, `  # c: total, d: ys`. */
  private _comment(part: ScopePart, scope: number, equation: number): string {
    const start = part.outputStart(equation);
    const end = part.outputEnd(equation);
    const comments: string[] = [];
    for (let v = start; this._assigned !== null && v < end; v++) {
      const assigned = this._assigned.of(scope, v).join(', ');
      if (assigned !== '') {
        comments.push(
          end - start === 1
            ? assigned
            : `${variableName(this._names, scope, v)}: ${assigned}`
        );
      }
    }
    return comments.length === 0 ? '' : `  # ${comments.join(', ')}`;
  }

  private _isSpent(): boolean {
    return this._budget.lines <= 0 || this._budget.characters <= 0;
  }

  private _equation(
    part: ScopePart,
    scope: number,
    equation: number,
    indent: string
  ): void {
    let line = `${indent}${binders(this._names, part, scope, equation)}${part.primitive(equation)}`;
    const operands = operandTexts(this._names, part, scope, equation);
    const after = operands.length > 0 ? ` ${operands.join(' ')}` : '';
    const parameters = part.parameters(equation);
    if (parameters.length === 0) {
      this._push(`${line}${after}`);
      return;
    }
    const printed = part.printedPrograms(equation);
    const breaks = printed.some(
      ({ inText, scope }) => inText || !this._names.lets.has(scope)
    );
    if (!breaks) {
      const texts = parameters.map(([name, value]) =>
        value === null
          ? `${name}=${this._hoisted(printed, name)}`
          : `${name}=${value}`
      );
      this._push(`${line}[${texts.join(' ')}]${after}`);
      return;
    }
    this._push(`${line}[`);
    const inner = `${indent}  `;
    line = '';
    for (const [name, value] of parameters) {
      const own = printed.filter(({ parameter }) => parameter === name);
      if (value !== null && own.length === 0) {
        line = line ? `${line} ${name}=${value}` : `${inner}${name}=${value}`;
        continue;
      }
      if (
        value === null &&
        own.every(({ scope }) => this._names.lets.has(scope))
      ) {
        const text = `${name}=${this._hoisted(printed, name)}`;
        line = line ? `${line} ${text}` : `${inner}${text}`;
        continue;
      }
      if (line) {
        this._push(line);
        line = '';
      }
      if (value !== null) {
        this._textWithPrograms(name, value, own, inner);
      } else if (own[0].position < 0) {
        this._push(this._body(own[0].scope, `${inner}${name}=`, inner));
      } else {
        this._push(`${inner}${name}=(`);
        const deeper = `${inner}  `;
        for (let i = 0; i < own.length; i++) {
          const { scope } = own[i];
          if (this._isSpent()) {
            this._push(`${deeper}${morePrograms(own.length - i)}`);
            break;
          }
          const hoisted = this._names.lets.get(scope);
          this._push(
            hoisted === undefined
              ? this._body(scope, deeper, deeper)
              : `${deeper}${hoisted}`
          );
        }
        this._push(`${inner})`);
      }
    }
    if (line) {
      this._push(line);
    }
    this._push(`${indent}]${after}`);
  }

  /**
   * The value of a parameter whose programs are all printed before the text: the name of the program, or their tuple.
   */
  private _hoisted(
    printed: readonly { parameter: string; position: number; scope: number }[],
    name: string
  ): string {
    const own = printed.filter(({ parameter }) => parameter === name);
    const names = own.map(({ scope }) => this._names.lets.get(scope) ?? '…');
    return own.length > 0 && own[0].position < 0
      ? names[0]
      : `(${names.join(' ')})`;
  }

  /**
   * Prints a parameter with programs inside its text, such as `f(matvec=<program>)`; each program has its own names.
   */
  private _textWithPrograms(
    name: string,
    value: string,
    own: readonly { scope: number }[],
    indent: string
  ): void {
    const pieces = `${name}=${value}`.split(PROGRAM_SIGN);
    let line = `${indent}${pieces[0]}`;
    pieces.slice(1, own.length + 1).forEach((piece, i) => {
      const child = own[i];
      if (this._isSpent()) {
        line = `${line}…${piece}`;
        return;
      }
      const outer = this._names;
      this._names = this._namedApart(child.scope);
      this.program(child.scope, indent, line);
      this._names = outer;
      line = this._lines.pop() + piece;
    });
    this._push(line);
  }

  private _namedApart(scope: number): IProgramNames {
    let names = this._apart.get(scope);
    if (!names) {
      names = nameProgram(this._equations, scope);
      this._apart.set(scope, names);
      this._budget.characters -=
        namingWork(this._equations, names) * (LIMITS.CHARACTERS / LIMITS.NAMED);
    }
    return names;
  }

  private _lines: string[] = [];
}

/** The line `… 1,200 more equations`, without the separator. */
export function moreEquations(count: number): string {
  return count === 1
    ? '… 1 more equation'
    : `… ${grouped(count)} more equations`;
}

function morePrograms(count: number): string {
  return count === 1 ? '… 1 more program' : `… ${grouped(count)} more programs`;
}

/** The first line of a program: `{ lambda a:f32[3]; b:f32[3]. let`. */
export function lambda(
  equations: ProgramEquations,
  names: IProgramNames,
  scope: number
): string {
  const { constants, inputs } = equations.snapshot.scopes[scope];
  const bound = (from: number, to: number): string => {
    const texts: string[] = [];
    for (let v = from; v < to; v++) {
      texts.push(binder(equations, names, scope, v));
    }
    return texts.join(' ');
  };
  return `{ lambda ${bound(0, constants)}; ${bound(constants, constants + inputs)}. let`;
}

/** The last line of a program: `in (a, b) }`. */
export function results(
  equations: ProgramEquations,
  names: IProgramNames,
  scope: number
): string {
  const part = equations.parts(scope)[0];
  const texts = part.scope.outputs.map(output =>
    operandText(names, part, scope, output)
  );
  return texts.length === 1
    ? `in (${texts[0]},) }`
    : `in (${texts.join(', ')}) }`;
}

/** The binders of an equation: `a:f32[3] b:f32[3] = `, or nothing. */
function binders(
  names: IProgramNames,
  part: ScopePart,
  scope: number,
  equation: number
): string {
  const start = part.outputStart(equation);
  const end = part.outputEnd(equation);
  if (start === end) {
    return '';
  }
  const texts: string[] = [];
  for (let v = start; v < end; v++) {
    texts.push(`${variableName(names, scope, v)}:${part.aval(v)?.text ?? '…'}`);
  }
  return `${texts.join(' ')} = `;
}

function binder(
  equations: ProgramEquations,
  names: IProgramNames,
  scope: number,
  variable: number
): string {
  const part = equations.parts(scope)[0];
  return `${variableName(names, scope, variable)}:${part.aval(variable)?.text ?? '…'}`;
}

function operandTexts(
  names: IProgramNames,
  part: ScopePart,
  scope: number,
  equation: number
): string[] {
  return part
    .operands(equation)
    .map(operand => operandText(names, part, scope, operand));
}

/** A variable's name, or a literal with its type. */
export function operandText(
  names: IProgramNames,
  part: ScopePart,
  scope: number,
  operand: number
): string {
  if (operand >= 0) {
    return variableName(names, scope, operand);
  }
  const [text, aval] = part.pools.literals[-1 - operand];
  const type = part.pools.avals[aval];
  const value = part.pools.strings[text];
  return type.dtype === '' ? value : `${value}:${type.text}`;
}

/** The printed name of a variable; `…` where the document has none. */
export function variableName(
  names: IProgramNames,
  scope: number,
  variable: number
): string {
  return names.variables[scope]?.[variable] ?? '…';
}
