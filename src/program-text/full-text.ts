/**
 * A program and its names come in; the whole text goes out, as the Python side's `text("jaxpr")` prints it.
 *
 * This is what a copy gives. The layout is specified in jupyter_jaxpr/document/FORMAT.md, "The text of a program".
 */
import { PROGRAM_SIGN, ProgramEquations, ScopePart } from './equations';
import { IProgramNames, nameProgram } from './names';

/** Programs inside programs inside programs: beyond this depth the text says so instead of going on. */
const DEEPEST = 1000;

/** The whole text of a program, its lines separated by newlines. */
export function fullText(
  equations: ProgramEquations,
  names: IProgramNames = nameProgram(equations)
): string {
  const printer = new FullText(equations, names);
  printer.program(equations.root, '');
  return printer.text();
}

class FullText {
  constructor(
    private _equations: ProgramEquations,
    private _names: IProgramNames
  ) {}

  text(): string {
    return this._lines.join('\n');
  }

  /** A program with its own lets; the first line continues `start`, every later one has `indent` before it. */
  program(root: number, indent: string, start = indent): string {
    let first = start;
    for (const [scope, name] of this._names.lets) {
      first = this._body(scope, `${first}let ${name} = `, indent);
      this._lines.push(`${first} in`);
      first = indent;
    }
    return this._body(root, first, indent, true);
  }

  /** Lambda, equations and outputs; the last line is handed back unless it is to be pushed. */
  private _body(
    scope: number,
    start: string,
    indent: string,
    push = false
  ): string {
    this._depth++;
    const equations = this._equations;
    this._lines.push(`${start}${lambda(equations, this._names, scope)}`);
    const inner = `${indent}  `;
    if (this._depth > DEEPEST) {
      this._lines.push(`${inner}…`);
    } else {
      const held = equations.held(scope);
      for (const part of equations.parts(scope)) {
        for (
          let equation = part.first;
          equation < Math.min(part.end, held);
          equation++
        ) {
          this._equation(part, scope, equation, inner);
        }
      }
      const missing = equations.count(scope) - held;
      if (missing > 0) {
        this._lines.push(`${inner}${moreEquations(missing)}`);
      }
    }
    const last = `${indent}${results(equations, this._names, scope)}`;
    this._depth--;
    if (push) {
      this._lines.push(last);
      return '';
    }
    return last;
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
      this._lines.push(`${line}${after}`);
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
      this._lines.push(`${line}[${texts.join(' ')}]${after}`);
      return;
    }
    this._lines.push(`${line}[`);
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
        this._lines.push(line);
        line = '';
      }
      if (value !== null) {
        this._textWithPrograms(name, value, own, inner);
      } else if (own[0].position < 0) {
        this._lines.push(this._body(own[0].scope, `${inner}${name}=`, inner));
      } else {
        this._lines.push(`${inner}${name}=(`);
        const deeper = `${inner}  `;
        for (const { scope } of own) {
          const hoisted = this._names.lets.get(scope);
          this._lines.push(
            hoisted === undefined
              ? this._body(scope, deeper, deeper)
              : `${deeper}${hoisted}`
          );
        }
        this._lines.push(`${inner})`);
      }
    }
    if (line) {
      this._lines.push(line);
    }
    this._lines.push(`${indent}]${after}`);
  }

  /** The value of a parameter whose programs are all hoisted. */
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

  /** A text such as `f(matvec=<program>)`: each program is printed in place, with names of its own. */
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
      const printer = new FullText(
        this._equations,
        nameProgram(this._equations, child.scope)
      );
      printer._depth = this._depth;
      printer.program(child.scope, indent, line);
      const last = printer._lines.length - 1;
      for (let j = 0; j < last; j++) {
        this._lines.push(printer._lines[j]);
      }
      line = printer._lines[last] + piece;
    });
    this._lines.push(line);
  }

  private _lines: string[] = [];
  private _depth = 0;
}

/** `… 1,200 more equations`, without the separator. */
export function moreEquations(count: number): string {
  return count === 1 ? '… 1 more equation' : `… ${count} more equations`;
}

/** `{ lambda a:f32[3]; b:f32[3]. let` */
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

/** `in (a, b) }` */
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

/** `a:f32[3] b:f32[3] = `, or nothing. */
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
