/**
 * Makes the texts of the tags beside a row: Python names of arguments and results, weak types, effects, and promotions
 * of dtypes that the user did not write.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import type { Links } from '../../model/links';
import type { ScopePart } from '../../program-text/equations';
import type { IPrintedRow } from '../../program-text/row-printer';
import type { IRow } from '../../program-text/row';
import {
  AssignedNames,
  assignedNames
} from '../../program-text/assigned-names';
import type { Aval, Control, Program, Snapshot } from '../../protocol/snapshot';
import type { ITag } from '../listing/listing';

/** Matches the names that change a dtype in the user's code. */
const DTYPES =
  /\b(?:astype|as_?array|array|float|int|bool|bool_|complex|\w*(?:float|int|complex)\d+\w*|\w*dtype\w*|\w*element_type\w*)\b/;

/** True if an expression of Python, or the name of a function, names the dtype of its result. */
export function asksForDtype(text: string): boolean {
  return DTYPES.test(text);
}

/** The Python names of the inputs of a program's scopes. */
export class ArgumentNames {
  constructor(snapshot: Snapshot, program: Program) {
    this._take(snapshot, program.scope, program.input_names);
    const index = snapshot.programs.indexOf(program);
    for (const control of snapshot.control_flow ?? []) {
      if (control.program === index) {
        this._takeCard(snapshot, control);
      }
    }
  }

  /** The name of an input variable of a scope; null if unknown. */
  of(scope: number, variable: number): string | null {
    return this._names.get(scope)?.get(variable) ?? null;
  }

  private _takeCard(snapshot: Snapshot, control: Control): void {
    const { slots, body, condition, branches } = control;
    const paths = (...roles: string[]): string[] =>
      slots.filter(({ role }) => roles.includes(role)).map(({ path }) => path);
    const inputs = (scope: number): number =>
      snapshot.scopes[scope]?.inputs ?? 0;
    for (const branch of branches) {
      const operands = paths('operand');
      if (branch.scope >= 0 && operands.length === inputs(branch.scope)) {
        this._take(snapshot, branch.scope, operands);
      }
    }
    if (body < 0) {
      return;
    }
    const going = paths('const', 'carry', 'xs');
    const carried = paths('carry');
    if (going.length > 0 && condition < 0 && going.length === inputs(body)) {
      this._take(snapshot, body, going);
    } else if (condition >= 0) {
      // The condition and the body of a while have constants before the carries, so the carries are counted from the
      // end.
      for (const scope of [body, condition]) {
        const before = inputs(scope) - carried.length;
        if (before >= 0) {
          this._take(snapshot, scope, [
            ...new Array<string>(before).fill(''),
            ...carried
          ]);
        }
      }
    }
  }

  private _take(
    snapshot: Snapshot,
    scope: number,
    names: readonly string[]
  ): void {
    const { constants, inputs } = snapshot.scopes[scope];
    if (names.length !== inputs || this._names.has(scope)) {
      return;
    }
    const nameOfVariable = new Map<number, string>();
    names.forEach((name, i) => {
      if (name !== '') {
        nameOfVariable.set(constants + i, name);
      }
    });
    this._names.set(scope, nameOfVariable);
  }

  private _names = new Map<number, Map<number, string>>();
}

/** Makes the tags of one program's rows. */
export class RowTags {
  constructor(
    private _links: Links,
    private _trans: TranslationBundle
  ) {
    const { snapshot, program } = _links.equations;
    this.names = new ArgumentNames(snapshot, program);
    this.results = assignedNames(snapshot);
    const index = snapshot.programs.indexOf(program);
    const call = snapshot.raised_calls?.find(
      raisedCall => raisedCall.program === index
    );
    this._scope = program.scope;
    this._raised = new Set(call?.operands);
  }

  readonly names: ArgumentNames;
  readonly results: AssignedNames;

  of(row: IRow, printed: IPrintedRow): ITag[] {
    const tags: ITag[] = [];
    if (row.kind !== 'open' && row.kind !== 'equation') {
      return tags;
    }
    const { equations } = this._links;
    const { parts } = printed;
    parts.forEach(({ kind, variable }, i) => {
      if (kind !== 'binder') {
        return;
      }
      const type = parts[i + 1];
      const at = type?.kind === 'type' ? type.to : parts[i].to;
      const name =
        row.kind === 'open' ? this.names.of(row.scope, variable) : null;
      if (name !== null) {
        tags.push(this._nameTag(at, name));
      }
      if (row.kind === 'equation') {
        tags.push(...this._resultTag(at, this.results.of(row.scope, variable)));
      }
      if (row.scope === this._scope && this._raised.has(variable)) {
        tags.push(this._raisedTag(at));
      }
      const aval = equations.aval(row.scope, variable);
      if (aval?.weak && aval.dtype !== 'bool') {
        tags.push(this._weakTag(at));
      }
    });
    const part =
      row.kind === 'equation' ? equations.part(row.scope, row.equation) : null;
    if (part) {
      tags.push(...this._equation(row, part, printed));
    }
    return tags;
  }

  private _nameTag(at: number, name: string): ITag {
    return {
      at,
      text: name,
      title: this._trans.__('This input is %1 in the Python function.', name),
      kind: 'name'
    };
  }

  private _resultTag(at: number, names: readonly string[]): ITag[] {
    return names.length === 0
      ? []
      : [
          {
            at,
            text: resultName(names),
            title: this._trans.__(
              'This value is %1 in the Python function.',
              names.join(', ')
            ),
            kind: 'name'
          }
        ];
  }

  private _raisedTag(at: number): ITag {
    return {
      at,
      text: this._trans.__('failing operand'),
      title: this._trans.__(
        'The call that raised the error received this value.'
      ),
      kind: 'raised'
    };
  }

  private _weakTag(at: number): ITag {
    return {
      at,
      text: this._trans.__('weak'),
      title: weakTypeWords(this._trans),
      kind: 'fact'
    };
  }

  private _equation(
    row: IRow,
    part: ScopePart,
    { parts, text }: IPrintedRow
  ): ITag[] {
    const { _trans: trans } = this;
    const tags: ITag[] = [];
    const primitive = parts.find(({ kind }) => kind === 'primitive');
    const at = primitive?.to ?? text.length;
    const promotion = this._promotion(row, part);
    if (promotion !== null) {
      const { from, to } = promotion;
      tags.push({
        at,
        text: trans.__('promoted %1 → %2', from, to),
        title: trans.__(
          'JAX promoted the dtype of an operand here, because the operands have different dtypes or the called function widens its input. To avoid the promotion, set the dtype where your code makes the operand.'
        ),
        kind: 'fact'
      });
    }
    const effects = this._effects(part, row.equation);
    if (effects.length > 0) {
      tags.push({
        at,
        text: trans.__('effect: %1', effects.join(', ')),
        title: effectTitle(effects, trans),
        kind: 'fact'
      });
    }
    return tags;
  }

  /** The tag of a conversion to a wider dtype that the user did not write; null for any other equation. */
  private _promotion(
    row: IRow,
    part: ScopePart
  ): { from: string; to: string } | null {
    if (part.primitive(row.equation) !== 'convert_element_type') {
      return null;
    }
    const { equations } = this._links;
    const [operand] = part.operands(row.equation);
    const before =
      operand === undefined || operand < 0
        ? null
        : equations.aval(row.scope, operand);
    const after = part.aval(part.outputStart(row.equation));
    if (!before || !after || !isWider(before.dtype, after.dtype)) {
      return null;
    }
    return this._isAsked(row, part)
      ? null
      : { from: shortDtype(before), to: shortDtype(after) };
  }

  /** True if the user wrote the conversion, or may have; an operator of Python has no frame of a library. */
  private _isAsked(row: IRow, part: ScopePart): boolean {
    const { spans } = this._links;
    const [called] = spans.libraryFrames(part.pools, part.stack(row.equation));
    const origin = this._links.origin(row.scope, row.equation);
    const text = origin && spans.text(spans.span(origin.span));
    // Without the text of the source nothing is known about the conversion, so it gets no tag.
    return (
      !text ||
      asksForDtype(text) ||
      asksForDtype(called?.function.split('.').pop() ?? '')
    );
  }

  private _effects(part: ScopePart, equation: number): readonly string[] {
    let actingEquations = this._acting.get(part);
    if (!actingEquations) {
      actingEquations = new Set(part.scope.effects.map(([of]) => of));
      this._acting.set(part, actingEquations);
    }
    return actingEquations.has(equation) ? part.effects(equation) : [];
  }

  private _acting = new Map<ScopePart, ReadonlySet<number>>();

  private _scope: number;
  /** The variables that the call which ended the trace received. */
  private _raised: ReadonlySet<number>;
}

/**
 * A tag shows at most the first number of names of one value, each cut to the second number of characters; the tooltip
 * has all names in full.
 */
const MOST_NAMES = 2;
const LONGEST_NAME = 24;

/** The tag beside the variable of a result. */
export function resultName(names: readonly string[]): string {
  const shown = names
    .slice(0, MOST_NAMES)
    .map(name =>
      name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name
    );
  return [...shown, ...(names.length > MOST_NAMES ? ['…'] : [])].join(', ');
}

/** The meaning of a weak type. */
export function weakTypeWords(trans: TranslationBundle): string {
  return trans.__(
    'Weak type: the value comes from a Python number and takes the dtype of the other operand.'
  );
}

/** The meaning of an effect for the order of equations, as far as JAX promises an order. */
function effectTitle(
  effects: readonly string[],
  trans: TranslationBundle
): string {
  if (effects.some(effect => /^(?:Ordered|Write|Accum)/.test(effect))) {
    return trans.__(
      'The equation has an ordered effect, so JAX keeps the equation and its order.'
    );
  }
  if (effects.every(effect => effect.startsWith('Read'))) {
    return trans.__(
      'The equation reads a mutable reference, so JAX keeps the equation after the earlier writes to the reference.'
    );
  }
  if (effects.some(effect => effect === 'Debug' || effect === 'IO')) {
    return trans.__(
      'The equation has a side effect, so JAX keeps the equation even if nothing uses its result. The equation may run before or after other equations with side effects. Pass ordered=True to keep the order.'
    );
  }
  return trans.__(
    'The equation has a side effect, so JAX keeps the equation even if nothing uses its result.'
  );
}

function shortDtype({ text }: Aval): string {
  return text.replace(/\[.*$/, '');
}

/** The kinds of dtypes from narrow to wide; within a kind, the dtype with more bits is wider. */
const KINDS = ['bool', 'uint', 'int', 'bfloat', 'float', 'complex'];

/** True if a change of dtype goes up in JAX's promotion lattice. */
export function isWider(before: string, after: string): boolean {
  const [from, to] = [before, after].map(dtype => {
    const [, kind, bits] = /^([a-z]+)(\d*)/.exec(dtype) ?? [];
    return { rank: KINDS.indexOf(kind ?? ''), bits: Number(bits || 1) };
  });
  if (from.rank < 0 || to.rank < 0) {
    return false;
  }
  const float = KINDS.indexOf('bfloat');
  const isFloat = (rank: number): boolean =>
    rank === float || rank === float + 1;
  if (from.rank === to.rank || (isFloat(from.rank) && isFloat(to.rank))) {
    return to.bits > from.bits;
  }
  return to.rank > from.rank;
}
