/**
 * Makes the rows of the cost table by line, primitive, scope or name stack.
 *
 * `CostReading` also lists the equations of a row. If all equations of a row run equally often, it gives the row's
 * operations as a product, such as `512 × 100`.
 */
import { amountOf, amountsOf, measured } from '../../model/cost-shares';
import type { Counted, Measure } from '../../model/cost-shares';
import { Links, linksOf } from '../../model/links';
import { ISourceSpan } from '../../program-text/source-spans';
import {
  CostNode,
  CostRow,
  ProgramCost,
  Snapshot
} from '../../protocol/snapshot';
import { IEquationRef } from '../../tokens';

/** The grouping of the table: each row has the cost of one line, one primitive, one scope or one name stack. */
export type Group = 'line' | 'primitive' | 'scope' | 'name_stack';

export const GROUPS: readonly Group[] = [
  'line',
  'primitive',
  'scope',
  'name_stack'
];

/** A row of the cost table: a line, a primitive, a scope or a name stack. */
export interface IRow {
  key: string;
  group: Group;
  /** The index of the row in the list of its group in the document's cost. */
  index: number;
  label: string;
  frame: number;
  /** The nesting level in a tree, from 1. */
  level: number;
  amounts: Record<Counted, number>;
  /** The fewest operations of the row, if a branch depends on the data; else equal to the most. */
  flopsLeast: number;
  flopsMost: number;
  perTrip: boolean;
  /** For a scope, the number of times that the scope runs; 1 for other rows. */
  runs: number;
}

/** The amount that a row's bar and share show: weighted operations, or the column by which the table is sorted. */
export function amountIn(row: IRow, measure: Measure): number {
  return measured(row.amounts, measure);
}

/** The column by which the table is sorted; null for the order of the program. */
export type Order = { column: Counted; descending: boolean } | null;

/** An amount as a product: the amount of one run, and the number of runs, as in `512 × 100`. */
export interface IProduct {
  amountOfRun: number;
  runs: number;
}

export class CostReading {
  constructor(
    readonly snapshot: Snapshot,
    readonly program: number,
    readonly cost: ProgramCost
  ) {
    this.links = linksOf(snapshot, program);
  }

  readonly links: Links;

  /** The rows of the cost table for a grouping, sorted. */
  rows(group: Group, order: Order): IRow[] {
    switch (group) {
      case 'line':
        return sorted(this.cost.by_line.map(flatRow('line')), order);
      case 'primitive':
        return sorted(this.cost.by_primitive.map(flatRow('primitive')), order);
      case 'scope':
        return treeRows(this.cost.by_scope, 'scope', order);
      case 'name_stack':
        return treeRows(this.cost.by_name_stack, 'name_stack', order);
    }
  }

  nodes(group: 'scope' | 'name_stack'): readonly CostNode[] {
    return group === 'scope' ? this.cost.by_scope : this.cost.by_name_stack;
  }

  /** True if the grouping has a row besides the root; always true for the groupings without a tree. */
  has(group: Group): boolean {
    return group === 'scope' || group === 'name_stack'
      ? this.nodes(group).length > 1
      : true;
  }

  total(measure: Measure): number {
    return amountOf(this.cost, measure);
  }

  /** The equations that a row sums up, as far as the kernel has sent them. */
  equationsOf(group: Group, index: number): IEquationRef[] {
    switch (group) {
      case 'line':
        return this._ofLine(this.cost.by_line[index]);
      case 'primitive': {
        const { label } = this.cost.by_primitive[index];
        return this._equations(
          (part, equation) => part.primitive(equation) === label
        );
      }
      case 'scope':
        return this._ofScope(this.cost.by_scope[index]);
      case 'name_stack':
        return this._ofNameStack(index);
    }
  }

  /** The operations of a line as a product, if all equations of the line run equally often. */
  product(row: CostRow): IProduct | null {
    const runs = new Set<number>();
    for (const { scope, equation } of this._ofLine(row)) {
      const columns = this.cost.scopes.find(
        scopeCost => scopeCost.scope === scope
      );
      if (columns === undefined) {
        return null;
      }
      const part = this.links.equations.part(scope, equation);
      const isLeaf = part !== null && !part.hasChildren(equation);
      if (isLeaf && columns.flops[equation] > 0) {
        runs.add(columns.runs);
      }
    }
    const [only] = runs;
    return runs.size !== 1 || row.per_trip || row.flops % only !== 0
      ? null
      : { amountOfRun: row.flops / only, runs: only };
  }

  /** The source span of a frame; null for the frame -1. */
  span(frame: number): ISourceSpan | null {
    const { spans } = this.links;
    return frame < 0 ? null : spans.span(spans.frame(this.snapshot, frame));
  }

  private _ofLine(row: CostRow): IEquationRef[] {
    const place = this.span(row.frame);
    this._lines ??= this._equationsOfLines();
    return this._lines.get(place === null ? '' : lineKey(place)) ?? [];
  }

  /**
   * line -> its equations, including equations of inner scopes that get the line of their caller; the key '' has the
   * equations without a line
   */
  private _equationsOfLines(): Map<string, IEquationRef[]> {
    const { links } = this;
    const lines = new Map<string, IEquationRef[]>();
    for (const ref of this._equations(() => true)) {
      const origin = links.origin(ref.scope, ref.equation);
      const key = origin === null ? '' : lineKey(links.spans.span(origin.span));
      const refsOfLine = lines.get(key);
      if (refsOfLine === undefined) {
        lines.set(key, [ref]);
      } else {
        refsOfLine.push(ref);
      }
    }
    return lines;
  }

  /** The equations of a scope; if the kernel has sent none, the equations that call it. */
  private _ofScope({ scope }: CostNode): IEquationRef[] {
    return scope < 0
      ? []
      : this._equations((_part, _equation, of) => of === scope);
  }

  private _ofNameStack(index: number): IEquationRef[] {
    const nodes = this.cost.by_name_stack;
    const path: string[] = [];
    for (let at = index; at > 0; at = nodes[at].parent) {
      path.unshift(nodes[at].label);
    }
    if (path.length === 0) {
      return this._equations(() => true);
    }
    const whole = path.join('/');
    const outer = this._outerNames();
    return this._equations((part, equation, scope) =>
      (outer.get(scope) ?? []).some(prefix => {
        const stack = below(prefix, part.nameStack(equation));
        return stack === whole || stack.startsWith(`${whole}/`);
      })
    );
  }

  /** scope -> the name stacks of its calls; the name stacks of its equations continue these */
  private _outerNames(): Map<number, string[]> {
    const { equations } = this.links;
    const prefixesByScope = new Map<number, string[]>();
    const pending: [number, string][] = [[equations.root, '']];
    while (pending.length > 0) {
      const [scope, prefix] = pending.pop() as [number, string];
      const prefixes = prefixesByScope.get(scope) ?? [];
      if (prefixes.includes(prefix) || prefixes.length >= MOST_CALLERS) {
        continue;
      }
      prefixesByScope.set(scope, [...prefixes, prefix]);
      for (const part of equations.parts(scope)) {
        for (const [equation, , , inner] of part.scope.children) {
          if (part.holds(equation)) {
            pending.push([inner, below(prefix, part.nameStack(equation))]);
          }
        }
      }
    }
    return prefixesByScope;
  }

  private _equations(
    isIt: (
      part: ReturnType<Links['equations']['parts']>[number],
      equation: number,
      scope: number
    ) => boolean
  ): IEquationRef[] {
    const refs: IEquationRef[] = [];
    const { equations } = this.links;
    for (const scope of equations.scopes) {
      for (const part of equations.parts(scope)) {
        for (let equation = part.first; equation < part.end; equation++) {
          if (isIt(part, equation, scope)) {
            refs.push({ scope, equation });
          }
        }
      }
    }
    return refs;
  }

  private _lines: Map<string, IEquationRef[]> | null = null;
}

/** If a scope is called from more name stacks than this, only the first ones count. */
const MOST_CALLERS = 50;

/** Joins the name stack of a call and a name stack inside the called program. */
function below(prefix: string, name: string): string {
  return prefix !== '' && name !== '' ? `${prefix}/${name}` : prefix || name;
}

export function lineKey({ file, line }: ISourceSpan): string {
  return `${line}:${file.path}`;
}

function flatRow(group: Group): (row: CostRow, index: number) => IRow {
  return (row, index) => ({
    key: `${group} ${index}`,
    group,
    index,
    label: row.label,
    frame: row.frame,
    level: 1,
    amounts: amountsOf(row),
    flopsLeast: Math.min(row.flops, row.flops_min),
    // `if_taken` is the cost of the row if each cond takes the branch with the most operations of this row. The most
    // expensive run and the cheapest run of the program may take other branches, so `if_taken` may be the largest.
    flopsMost: Math.max(row.flops, row.flops_min, row.if_taken ?? 0),
    perTrip: row.per_trip,
    runs: 1
  });
}

function sorted(rows: IRow[], order: Order): IRow[] {
  if (order === null) {
    return rows;
  }
  const { column, descending } = order;
  const sign = descending ? -1 : 1;
  return [...rows].sort(
    (a, b) => sign * (a.amounts[column] - b.amounts[column])
  );
}

/** Lists the nodes of a tree: parents before children, siblings in the order of the table. */
function treeRows(
  nodes: readonly CostNode[],
  group: 'scope' | 'name_stack',
  order: Order
): IRow[] {
  const children = new Map<number, IRow[]>();
  nodes.forEach((node, index) => {
    const row: IRow = {
      key: `${group} ${index}`,
      group,
      index,
      label: node.label,
      frame: node.frame,
      level: 1,
      amounts: {
        flops: node.flops,
        transcendentals: node.transcendentals,
        bytes: node.bytes
      },
      flopsLeast: node.flops,
      flopsMost: node.flops,
      perTrip: node.per_trip,
      runs: node.runs
    };
    const siblings = children.get(node.parent) ?? [];
    siblings.push(row);
    children.set(node.parent, siblings);
  });
  const rows: IRow[] = [];
  const pending = sorted(children.get(-1) ?? [], order).reverse();
  while (pending.length > 0) {
    const row = pending.pop() as IRow;
    rows.push(row);
    for (const child of sorted(
      children.get(row.index) ?? [],
      order
    ).reverse()) {
      pending.push({ ...child, level: row.level + 1 });
    }
  }
  return rows;
}

const READINGS = new WeakMap<ProgramCost, CostReading>();

/** The data of the Cost view for a cost; every call returns the same object. */
export function readingOf(
  snapshot: Snapshot,
  program: number,
  cost: ProgramCost
): CostReading {
  let reading = READINGS.get(cost);
  if (!reading || reading.snapshot !== snapshot) {
    reading = new CostReading(snapshot, program, cost);
    READINGS.set(cost, reading);
  }
  return reading;
}
