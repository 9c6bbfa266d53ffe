/** Lists the rows of a program for the listing view. */
import { Text } from '@codemirror/state';
import { TranslationBundle } from '@jupyterlab/translation';
import type { EquationHeat, IHeat } from '../../model/cost-shares';
import type { ILinked, Links } from '../../model/links';
import { constructName } from '../../parts/construct-name';
import { joinedNamesHint } from '../../parts/joined-names';
import { fullText } from '../../program-text/full-text';
import {
  IPart,
  IPrintedRow,
  PartKind,
  RowPrinter
} from '../../program-text/row-printer';
import { nameGroups } from '../../program-text/name-groups';
import type { IFold, IRow } from '../../program-text/row';
import { ProgramRows } from '../../program-text/rows';
import type { ScopePage } from '../../protocol/snapshot';
import type { Selection } from '../../tokens';
import {
  IDescribed,
  badgeText,
  describeEquation,
  describeVariable,
  whereOf
} from '../words/describe';
import { bindersOf } from '../listing/binder-chips';
import type {
  IBadge,
  IConstruct,
  IDescription,
  IListedFold,
  IListedLine,
  IListing,
  ISplice,
  ITag,
  IVariablePlace,
  IVariableRange
} from '../listing/listing';
import { RoleTags, roleTagsOf } from '../words/placed-role-tags';
import { IRowNoise, noiseOfRows } from '../reading/noise-rules';
import { RowTags } from '../words/row-tags';
import { ScopeNames } from '../listing/scope-names';
import { SourceHeads } from '../listing/source-heads';
import { VariableUses, placesIn } from '../listing/variable-uses';
import { ListedFold, ListedGroup } from './program-folds';

const QUIET = 'jp-JaxprProgram-keyword';
const CLASSES: Record<PartKind, string> = {
  binder: '',
  keyword: QUIET,
  label: QUIET,
  literal: '',
  operand: '',
  primitive: 'jp-JaxprProgram-primitive',
  type: 'jp-JaxprProgram-type'
};

/** If a selection binds more variables than this, the uses of the variables are not marked. */
const MOST_BINDERS = 8;

/** The listing of a program, one equation a line. */
export class JaxprListing implements IListing {
  constructor(
    private _links: Links,
    private _trans: TranslationBundle
  ) {
    this._rows = new ProgramRows(_links.equations, _links.spans);
    this._printer = new RowPrinter(this._rows);
    this._uses = new VariableUses(this._rows);
    this._tags = new RowTags(_links, _trans);
    this._roles = roleTagsOf(_links, _trans);
    this.label = this._trans.__('jaxpr of %1', _links.equations.program.name);
    this.heads = new SourceHeads(_links, _trans, index => {
      const row = this._rows.rows[index];
      const origin =
        row?.kind === 'equation' && _links.origin(row.scope, row.equation);
      return origin ? { origin, isInferred: false } : null;
    });
  }

  readonly level = 'jaxpr';
  readonly label: string;
  readonly heads: SourceHeads;

  /** The costs of the equations, while views show heat. */
  equationHeat: EquationHeat | null = null;

  get digits(): number {
    return String(this._rows.equations.program.equations).length;
  }

  get rows(): ProgramRows {
    return this._rows;
  }

  get described(): IDescribed {
    return {
      rows: this._rows,
      printer: this._printer,
      links: this._links,
      names: this._tags.names,
      results: this._tags.results,
      trans: this._trans
    };
  }

  document(): Text {
    return Text.of(this._rows.rows.map(row => this._printer.text(row)));
  }

  line(index: number): IListedLine {
    const row = this._rows.rows[index];
    const printed = this._printer.print(row);
    const { parts, chips, lists, decimals } = printed;
    return {
      kind: row.kind,
      number: row.kind === 'equation' && row.number > 0 ? `${row.number}` : '',
      depth: row.depth,
      badge: row.kind === 'equation' ? this._badge(row) : null,
      parts: parts.map(part => ({
        from: part.from,
        to: part.to,
        className: CLASSES[part.kind],
        variable: variableKey(row, part)
      })),
      chips: row.kind === 'open' ? [] : chips,
      lists: row.kind === 'open' ? [] : lists,
      decimals,
      binders:
        row.kind === 'open'
          ? bindersOf(row, printed, this._rows.equations, (scope, variable) =>
              this._tags.names.of(scope, variable)
            )
          : undefined,
      button: row.kind === 'more' ? this._moreLabel(row) : null,
      reference: this._reference(row),
      tags: [
        ...(this._roles?.of(row, printed) ?? []),
        ...this._tags.of(row, printed),
        ...this._namesOutside(row, printed)
      ]
    };
  }

  heat(first: number, last: number): IHeat | null {
    if (this.equationHeat === null) {
      return null;
    }
    const { rows } = this._rows;
    // The cost of an equation includes the equations inside it, so only the outermost equations of the range are added.
    const { depth } = rows[first];
    return this.equationHeat.of(
      rows
        .slice(first, last + 1)
        .filter(row => row.kind === 'equation' && row.depth === depth)
    );
  }

  folds(index: number): readonly IListedFold[] {
    return (this._rows.rows[index].folds ?? []).map(fold => this._fold(fold));
  }

  *allFolds(): Iterable<IListedFold> {
    for (const fold of this._rows.folds()) {
      yield this._fold(fold);
    }
  }

  /** A group stays the same object as long as it starts and ends at the same rows. */
  nameFolds(): readonly IListedFold[] {
    if (this._nameFolds === null) {
      const before = this._knownGroups;
      this._knownGroups = new Map();
      this._nameFolds = nameGroups(this._rows.rows, this._rows.equations).map(
        group => {
          const { first, last, name } = group;
          const key = `${first.scope}:${first.equation}:${last.equation}:${name}`;
          const earlierGroup = before.get(key);
          const fold =
            earlierGroup?.isOf(group) === true
              ? earlierGroup
              : new ListedGroup(group, this._printer, this._trans);
          this._knownGroups.set(key, fold);
          return fold;
        }
      );
      this._nameFolds.forEach((fold, i, all) => {
        const next = all[i + 1];
        fold.inner = next?.first === fold.first ? next : null;
      });
    }
    return this._nameFolds;
  }

  linkedLines(linked: ILinked): readonly number[] {
    if (linked !== this._linked?.linked) {
      const lines: number[] = [];
      for (const id of linked.equations) {
        const row = this._rows.rowOfId(id);
        if (row) {
          lines.push(row.index);
        }
      }
      this._linked = { linked, lines: lines.sort((a, b) => a - b) };
    }
    return this._linked.lines;
  }

  variables(linked: ILinked): ReadonlySet<string> {
    const variables = new Set<string>();
    if (linked.equations.size > MOST_BINDERS) {
      return variables;
    }
    for (const id of linked.equations) {
      const row = this._rows.rowOfId(id);
      const part = row && this._rows.equations.part(row.scope, row.equation);
      if (row && part) {
        const end = part.outputEnd(row.equation);
        for (let v = part.outputStart(row.equation); v < end; v++) {
          variables.add(`${row.scope}:${v}`);
        }
      }
    }
    return variables;
  }

  selection(first: number, last: number): Selection | null {
    const equations: { scope: number; equation: number }[] = [];
    for (let index = first; index <= last; index++) {
      const { kind, scope, equation } = this._rows.rows[index];
      if (kind === 'equation') {
        equations.push({ scope, equation });
      }
    }
    return equations.length === 0 ? null : { kind: 'equations', equations };
  }

  describe(index: number, column: number): IDescription | null {
    const row = this._rows.rows[index];
    const { parts } = this._printer.print(row);
    const part = parts.find(({ from, to }) => from <= column && column <= to);
    if (!part) {
      return null;
    }
    if (part.kind === 'binder' || part.kind === 'operand') {
      const place = this.variablesIn(index).find(
        ({ from }) => from === part.from
      );
      return place
        ? {
            from: part.from,
            to: part.to,
            node: describeVariable(this.described, this._uses, place)
          }
        : null;
    }
    if (part.kind === 'primitive') {
      return {
        from: part.from,
        to: part.to,
        node: describeEquation(this.described, row, true)
      };
    }
    return null;
  }

  variablesIn(index: number): readonly IVariablePlace[] {
    return placesIn(this._rows.rows[index], this._printer);
  }

  variableRange(place: IVariablePlace): IVariableRange {
    return this._uses.range(place, this._trans);
  }

  construct(index: number): IConstruct | null {
    const { kind, scope, equation } = this._rows.rows[index];
    if (kind !== 'equation') {
      return null;
    }
    this._constructs ??= this._steppable();
    return this._constructs.get(`${scope}:${equation}`) ?? null;
  }

  sourceLine(index: number): number {
    const { kind, scope, equation } = this._rows.rows[index];
    const origin =
      kind === 'equation' ? this._links.origin(scope, equation) : null;
    const span = origin && this._links.cellSpan(origin);
    return span && this._links.inOwnCell(span) ? span.line : -1;
  }

  scopes(index: number): readonly string[] {
    const { kind, scope, equation } = this._rows.rows[index];
    this._scopeNames ??= new ScopeNames(this._links.equations);
    return this._scopeNames.of(scope, kind === 'equation' ? equation : -1);
  }

  *named(): Iterable<readonly [number, string]> {
    for (const { scope, variable, name } of this._tags.results.all()) {
      const index = this._links.equations.has(scope)
        ? this._uses.lineOf(scope, variable)
        : null;
      if (index !== null) {
        yield [index, name];
      }
    }
  }

  arrived(): { arrivedCount: number; total: number } {
    const total = this._links.equations.program.equations;
    let missing = 0;
    for (const index of this.missingBetween(0, Infinity)) {
      missing += this.missing(index)?.count ?? 0;
    }
    return { arrivedCount: Math.max(0, total - missing), total };
  }

  noise(): Uint8Array {
    return (this._noise ??= noiseOfRows(this._rows)).bits;
  }

  indentation(index: number): string {
    return '  '.repeat(this._rows.rows[index].depth);
  }

  wholeText(): string {
    return fullText(this._rows.equations, this._rows.names);
  }

  /** The row of the first linked equation. */
  rowOf(linked: ILinked): IRow | null {
    const [index] = this.linkedLines(linked);
    return index === undefined ? null : this._rows.rows[index];
  }

  /**
   * For a line that stands for missing equations: their scope, the index of the first one, and their number; null for
   * any other line.
   */
  missing(
    index: number
  ): { scope: number; equation: number; count: number } | null {
    const row = this._rows.rows[index];
    return row?.kind === 'more'
      ? {
          scope: row.scope,
          equation: row.equation,
          count: this._rows.missing(row)
        }
      : null;
  }

  /** The lines from first to last that stand for equations which have not arrived. */
  missingBetween(first: number, last: number): number[] {
    const lines: number[] = [];
    const { rows } = this._rows;
    const end = Math.min(last, rows.length - 1);
    for (let index = first; index <= end; index++) {
      if (rows[index].kind === 'more') {
        lines.push(index);
      }
    }
    return lines;
  }

  /** Replace the line that stands for missing equations by a page of equations. */
  insert(scope: number, equation: number, page: ScopePage): ISplice | null {
    const more = this._rows.rows.find(
      row =>
        row.kind === 'more' && row.scope === scope && row.equation === equation
    );
    if (!more) {
      return null;
    }
    const { at, removed, rows, parts } = this._rows.insert(more, page);
    this._links.addParts(parts);
    this._uses.clear();
    this._linked = null;
    this._scopeNames = null;
    this._noise = null;
    this._nameFolds = null;
    return { at, removed, lines: rows.map(row => this._printer.text(row)) };
  }

  /**
   * The tag of an equation in a call that can be hidden because the call holds no other equation: the names of the
   * equation's values inside the call, with the names of the same values outside, such as `r = p`.
   */
  private _namesOutside(row: IRow, { text }: IPrintedRow): ITag[] {
    const names = this._noise?.names.get(row.index);
    return names === undefined
      ? []
      : [
          {
            at: text.length,
            text: names,
            title: joinedNamesHint(this._trans),
            kind: 'fact'
          }
        ];
  }

  /** The constructs of the program that have steps and a primitive, by the place of their equation. */
  private _steppable(): ReadonlyMap<string, IConstruct> {
    const { snapshot, program } = this._links.equations;
    const index = snapshot.programs.indexOf(program);
    const constructs = new Map<string, IConstruct>();
    (snapshot.control_flow ?? []).forEach((card, control) => {
      const { primitive, scope, equation } = card;
      if (
        card.program === index &&
        card.steppable === null &&
        primitive !== ''
      ) {
        const name = constructName(card);
        constructs.set(`${scope}:${equation}`, { control, name });
      }
    });
    return constructs;
  }

  private _moreLabel(row: IRow): string {
    const count = this._rows.missing(row);
    return this._trans._n(
      '… %2 more equation',
      '… %2 more equations',
      count,
      count.toLocaleString('en')
    );
  }

  private _badge(row: IRow): IBadge | null {
    const origin = this._links.origin(row.scope, row.equation);
    const span = origin && this._links.cellSpan(origin);
    if (!span) {
      return null;
    }
    return {
      text: badgeText(this._links, span),
      title: whereOf(this._links, span, this._trans),
      kind: this._links.inOwnCell(span) ? 'own' : 'other'
    };
  }

  private _reference(row: IRow): IListedLine['reference'] {
    const [elsewhere] = row.elsewhere ?? [];
    if (!elsewhere) {
      return null;
    }
    const { number, index } = elsewhere.row;
    return {
      text: this._trans.__('same program as equation %1', number),
      title: this._trans.__(
        'Go to equation %1, which has the same program',
        number
      ),
      line: index
    };
  }

  private _fold(fold: IFold): IListedFold {
    let listed = this._folds.get(fold);
    if (!listed) {
      listed = new ListedFold(fold, this._printer, this._trans);
      this._folds.set(fold, listed);
    }
    return listed;
  }

  private _rows: ProgramRows;
  private _printer: RowPrinter;
  private _uses: VariableUses;
  private _tags: RowTags;
  private _roles: RoleTags | null;
  private _scopeNames: ScopeNames | null = null;
  private _constructs: ReadonlyMap<string, IConstruct> | null = null;
  private _noise: IRowNoise | null = null;
  private _folds = new Map<IFold, IListedFold>();
  private _nameFolds: readonly ListedGroup[] | null = null;
  private _knownGroups = new Map<string, ListedGroup>();
  private _linked: { linked: ILinked; lines: number[] } | null = null;
}

function variableKey(row: IRow, part: IPart): string | undefined {
  return part.kind === 'operand' ? `${row.scope}:${part.variable}` : undefined;
}
