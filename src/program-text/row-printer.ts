/** Prints a row: only its text, or the text with the positions of its parts and of all that can be shortened. */
import { PROGRAM_SIGN, Pools, ScopePart } from './equations';
import { moreEquations, variableName } from './full-text';
import { parameterLabel } from './parameter-labels';
import { shorterDecimal } from './shorter-decimals';
import type { IFold, IRow } from './row';
import { ProgramRows } from './rows';

/** The kind of a part of a row. */
export type PartKind =
  'binder' | 'keyword' | 'label' | 'literal' | 'operand' | 'primitive' | 'type';

/** A part of a row's text. */
export interface IPart {
  from: number;
  to: number;
  kind: PartKind;
  /** For a binder or an operand, the number of the variable in the row's scope; else -1. */
  variable: number;
}

/** A part of a row's text that is shown as a few letters until the reader opens it. */
export interface IChip {
  from: number;
  to: number;
  label: string;
  /** The label in a line with little room; the label itself if undefined. */
  short?: string;
}

/** The results or the operands of an equation, if there are many. */
export interface IList {
  /** The position in the row's text where each member starts. */
  starts: readonly number[];
  /** The position in the row's text after the last member. */
  to: number;
}

/** The text of a row, with the positions of its parts. */
export interface IPrintedRow {
  text: string;
  parts: IPart[];
  chips: IChip[];
  /** The long lists, which may be shortened further than to a chip where the row is narrow. */
  lists: IList[];
  /** The long decimals, which may be shortened where the row is narrow. */
  decimals: IChip[];
}

/** The text of the line that stands for a folded library call. */
export interface IPrintedCall {
  /** The names of variables that the call reads from earlier equations. */
  inputs: string[];
  /** The names and types of variables of the call that later equations read. */
  outputs: { name: string; type: string }[];
}

/** Lists with more members than this are shortened to a chip. */
export const LONG_LIST = 12;
/** Lists with fewer members than this are never shortened. */
const SHORT_LIST = 4;

/** Prints the rows of one program, without indentation. */
export class RowPrinter {
  constructor(private _program: ProgramRows) {}

  /** Prints only the text, which is faster; the editor's document of a large program is made from it. */
  text(row: IRow): string {
    return row.kind === 'equation'
      ? this._equationText(row)
      : this._print(row, false).text;
  }

  /** Prints the text and its parts, for the rows on screen. */
  print(row: IRow): IPrintedRow {
    return this._print(row, true);
  }

  /** The line behind which a library call's equations are folded. */
  call(fold: IFold): IPrintedCall {
    const { scope, names } = fold.first;
    const { equations, rows } = this._program;
    const inside = new Set<number>();
    const inputs = new Map<number, string>();
    let last = fold.first.equation;
    for (let i = fold.first.index; i <= fold.last.index; i++) {
      const row = rows[i];
      if (row.kind !== 'equation' || row.scope !== scope) {
        continue;
      }
      const part = equations.part(scope, row.equation) as ScopePart;
      last = row.equation;
      for (const operand of part.operands(row.equation)) {
        if (operand >= 0 && !inside.has(operand)) {
          inputs.set(operand, variableName(names, scope, operand));
        }
      }
      const end = part.outputEnd(row.equation);
      for (let v = part.outputStart(row.equation); v < end; v++) {
        inside.add(v);
      }
    }
    const lastRead = this._lastRead(scope);
    const read = [...inside].filter(variable => lastRead[variable] > last);
    return {
      inputs: [...inputs.values()],
      outputs: read
        .sort((a, b) => a - b)
        .map(variable => ({
          name: variableName(names, scope, variable),
          type: equations.aval(scope, variable)?.text ?? '…'
        }))
    };
  }

  private _equationText(row: IRow): string {
    const { scope, equation } = row;
    const part = this._program.equations.part(scope, equation) as ScopePart;
    const operands = part.operands(equation);
    const start = part.outputStart(equation);
    const end = part.outputEnd(equation);
    const names = row.names.variables[scope];
    let text = '';
    for (let v = start; v < end; v++) {
      text += `${names?.[v] ?? '…'}:${part.aval(v)?.text ?? '…'} `;
    }
    if (start < end) {
      text += '= ';
    }
    text += part.primitive(equation);
    if (part.hasParameters(equation)) {
      text += this._parametersText(row, part);
    }
    for (const operand of operands) {
      text += ' ';
      text +=
        operand >= 0 ? (names?.[operand] ?? '…') : literalText(part, operand);
    }
    return text;
  }

  /**
   * The parameters in brackets; the text is cached, because most equations of a program share a few parameter lists.
   */
  private _parametersText(row: IRow, part: ScopePart): string {
    if (part.hasChildren(row.equation)) {
      return brackets(this._shownParameters(row, part));
    }
    const list = part.scope.parameters[row.equation - part.first];
    let texts = this._lists.get(part.pools);
    if (!texts) {
      texts = [];
      this._lists.set(part.pools, texts);
    }
    return (texts[list] ??= brackets(this._shownParameters(row, part)));
  }

  /** For each variable of a scope, the last equation that reads it; a result counts as read after all equations. */
  private _lastRead(scope: number): number[] {
    const { equations } = this._program;
    const parts = equations.parts(scope);
    const cached = this._lastReads.get(scope);
    if (cached?.parts === parts.length) {
      return cached.last;
    }
    const last: number[] = [];
    for (const part of parts) {
      for (let equation = part.first; equation < part.end; equation++) {
        for (const operand of part.operands(equation)) {
          if (operand >= 0) {
            last[operand] = equation;
          }
        }
      }
    }
    for (const output of equations.snapshot.scopes[scope].outputs) {
      if (output >= 0) {
        last[output] = Infinity;
      }
    }
    this._lastReads.set(scope, { parts: parts.length, last });
    return last;
  }

  private _print(row: IRow, detailed: boolean): IPrintedRow {
    const out = new Pieces(detailed);
    switch (row.kind) {
      case 'open':
        this._open(row, out);
        break;
      case 'close':
        this._close(row, out);
        break;
      case 'more':
        out.text += moreEquations(this._program.missing(row));
        break;
      case 'equation':
        this._equation(row, out);
        break;
    }
    return out;
  }

  private _open(row: IRow, out: Pieces): void {
    const { equations } = this._program;
    const part = equations.parts(row.scope)[0];
    const { constants, inputs } = part.scope;
    out.add(row.label, 'label');
    out.text += '{ ';
    out.add('lambda', 'keyword');
    out.text += ' ';
    this._binders(row, part, 0, constants, out);
    out.text += '; ';
    this._binders(row, part, constants, constants + inputs, out);
    out.text += '. ';
    out.add('let', 'keyword');
  }

  private _close(row: IRow, out: Pieces): void {
    const part = this._program.equations.parts(row.scope)[0];
    const { outputs } = part.scope;
    out.add('in', 'keyword');
    out.text += ' (';
    this._operands(row, part, outputs, ', ', out);
    out.text += outputs.length === 1 ? ',) }' : ') }';
  }

  private _equation(row: IRow, out: Pieces): void {
    const { equations } = this._program;
    const part = equations.part(row.scope, row.equation) as ScopePart;
    const start = part.outputStart(row.equation);
    const end = part.outputEnd(row.equation);
    if (start < end) {
      this._binders(row, part, start, end, out);
      out.text += ' = ';
    }
    const primitive = part.primitive(row.equation);
    out.add(primitive, 'primitive');
    if (part.hasParameters(row.equation)) {
      this._parameters(row, part, primitive, out);
    }
    const operands = part.operands(row.equation);
    if (operands.length > 0) {
      out.text += ' ';
      this._operands(row, part, operands, ' ', out);
    }
  }

  private _parameters(
    row: IRow,
    part: ScopePart,
    primitive: string,
    out: Pieces
  ): void {
    const shown = this._shownParameters(row, part);
    if (shown.length > 0) {
      const from = out.text.length;
      out.text += brackets(shown);
      const plain = shown.filter(([, , isProgram]) => !isProgram);
      out.chip(from, () => parameterLabel(primitive, plain), '…');
    }
  }

  /** The parameters without programs, which stand on rows of their own. */
  private _shownParameters(row: IRow, part: ScopePart): ShownParameter[] {
    const shown: ShownParameter[] = [];
    for (const [name, value] of part.parameters(row.equation)) {
      if (value !== null) {
        shown.push([name, value.split(PROGRAM_SIGN).join('{…}'), false]);
        continue;
      }
      const own = part
        .printedPrograms(row.equation)
        .filter(({ parameter }) => parameter === name);
      const lets = own.map(({ scope }) => row.names.lets.get(scope));
      if (lets.length > 0 && lets.every(let_ => let_ !== undefined)) {
        const single = own.length === 1 && own[0].position < 0;
        const text = single ? `${lets[0]}` : `(${lets.join(' ')})`;
        shown.push([name, text, true]);
      }
    }
    return shown;
  }

  private _binders(
    row: IRow,
    part: ScopePart,
    from: number,
    to: number,
    out: Pieces
  ): void {
    let cut = -1;
    const starts: number[] = [];
    for (let variable = from; variable < to; variable++) {
      if (variable > from) {
        out.text += ' ';
      }
      starts.push(out.text.length);
      if (variable - from === LONG_LIST && to - variable > 1) {
        cut = out.text.length;
      }
      out.add(variableName(row.names, row.scope, variable), 'binder', variable);
      out.text += ':';
      out.add(part.aval(variable)?.text ?? '…', 'type');
    }
    out.list(starts);
    if (cut >= 0) {
      out.chip(cut, () => `+${to - from - LONG_LIST}`);
    }
  }

  private _operands(
    row: IRow,
    part: ScopePart,
    operands: readonly number[],
    separator: string,
    out: Pieces
  ): void {
    let cut = -1;
    const starts: number[] = [];
    operands.forEach((operand, i) => {
      if (i > 0) {
        out.text += separator;
      }
      starts.push(out.text.length);
      if (i === LONG_LIST && operands.length - i > 1) {
        cut = out.text.length;
      }
      if (operand >= 0) {
        out.add(
          variableName(row.names, row.scope, operand),
          'operand',
          operand
        );
        return;
      }
      const [text, aval] = part.pools.literals[-1 - operand];
      const type = part.pools.avals[aval];
      out.decimal(part.pools.strings[text], type.dtype);
      out.add(part.pools.strings[text], 'literal');
      if (type.dtype !== '') {
        out.text += ':';
        out.add(type.text, 'type');
      }
    });
    out.list(starts);
    if (cut >= 0) {
      out.chip(cut, () => `+${operands.length - LONG_LIST}`);
    }
  }

  private _lists = new Map<Pools, string[]>();
  private _lastReads = new Map<number, { parts: number; last: number[] }>();
}

/** A parameter of an equation: its name, its text, and true if the text is the name of a program. */
type ShownParameter = readonly [string, string, boolean];

function brackets(shown: readonly ShownParameter[]): string {
  return shown.length === 0
    ? ''
    : `[${shown.map(([name, value]) => `${name}=${value}`).join(' ')}]`;
}

function literalText(part: ScopePart, operand: number): string {
  const [text, aval] = part.pools.literals[-1 - operand];
  const type = part.pools.avals[aval];
  const value = part.pools.strings[text];
  return type.dtype === '' ? value : `${value}:${type.text}`;
}

/** The text of a row under construction; each call of a method adds a part. */
class Pieces implements IPrintedRow {
  constructor(private _detailed: boolean) {}

  text = '';
  parts: IPart[] = [];
  chips: IChip[] = [];
  lists: IList[] = [];
  decimals: IChip[] = [];

  add(text: string, kind: PartKind, variable = -1): void {
    if (this._detailed && text !== '') {
      const from = this.text.length;
      this.parts.push({ from, to: from + text.length, kind, variable });
    }
    this.text += text;
  }

  /** Makes a chip of the text from a position to the end of the text that is printed so far. */
  chip(from: number, label: () => string, short?: string): void {
    if (this._detailed) {
      const to = this.text.length;
      this.chips.push({ from, to, label: label(), short });
    }
  }

  /** Records the literal that is printed next as a long decimal, if a shorter decimal stands for the same number. */
  decimal(text: string, dtype: string): void {
    const label = this._detailed ? shorterDecimal(text, dtype) : null;
    if (label !== null) {
      const from = this.text.length;
      this.decimals.push({ from, to: from + text.length, label });
    }
  }

  /**
   * Records a long list of results or operands: the positions of its members; the list ends where the text ends now.
   */
  list(starts: readonly number[]): void {
    if (this._detailed && starts.length >= SHORT_LIST) {
      this.lists.push({ starts, to: this.text.length });
    }
  }
}
