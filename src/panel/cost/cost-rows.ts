/**
 * Makes the rows of the cost table by line, primitive, scope or name stack, each with its equations and, where
 * they all run equally often, with the parts of its sum.
 */
import { amountOf, amountsOf, measured } from '../../model/heat';
import type { Counted, Measure } from '../../model/heat';
import { Links, linksOf } from '../../model/links';
import { ISourceSpan } from '../../program-text/source-spans';
import {
  CostNode,
  CostRow,
  ProgramCost,
  Snapshot
} from '../../protocol/snapshot';
import { IEquationRef } from '../../tokens';

/** What sums are made of. */
export type Group = 'line' | 'primitive' | 'scope' | 'name_stack';

export const GROUPS: readonly Group[] = [
  'line',
  'primitive',
  'scope',
  'name_stack'
];

/** A row of the table. */
export interface IRow {
  key: string;
  group: Group;
  /** Place in its list of the cost. */
  index: number;
  label: string;
  frame: number;
  /** From 1; greater in a tree. */
  level: number;
  amounts: Record<Counted, number>;
  /** Where it depends on the data which branch is taken; else both are the same. */
  flopsLeast: number;
  flopsMost: number;
  perTrip: boolean;
  /** Of a scope: how often it runs; 1 elsewhere. */
  runs: number;
}

/** What a bar and a share are of: work, or what the table is sorted by. */
export function amountIn(row: IRow, measure: Measure): number {
  return measured(row.amounts, measure);
}

/** What is sorted by; null for the order of the program. */
export type Order = { column: Counted; descending: boolean } | null;

/** A number for each run: `512 × 100`. */
export interface IProduct {
  each: number;
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

  /** The rows of a table, in its order. */
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

  /** Whether a table of this kind says anything. */
  has(group: Group): boolean {
    return group === 'scope' || group === 'name_stack'
      ? this.nodes(group).length > 1
      : true;
  }

  total(measure: Measure): number {
    return amountOf(this.cost, measure);
  }

  /** The equations that a row is the sum of, as far as they are here. */
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

  /** How the sum of a line is made, where everything on it runs equally often. */
  product(row: CostRow): IProduct | null {
    const runs = new Set<number>();
    for (const { scope, equation } of this._ofLine(row)) {
      const columns = this.cost.scopes.find(one => one.scope === scope);
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
      : { each: row.flops / only, runs: only };
  }

  /** The place of a frame. */
  span(frame: number): ISourceSpan | null {
    const { spans } = this.links;
    return frame < 0 ? null : spans.span(spans.frame(this.snapshot, frame));
  }

  private _ofLine(row: CostRow): IEquationRef[] {
    const place = this.span(row.frame);
    this._lines ??= this._equationsOfLines();
    return this._lines.get(place === null ? '' : lineKey(place)) ?? [];
  }

  /** The equations of each line, those that an inner scope has from its caller included; '' for those of none. */
  private _equationsOfLines(): Map<string, IEquationRef[]> {
    const { links } = this;
    const lines = new Map<string, IEquationRef[]>();
    for (const one of this._equations(() => true)) {
      const origin = links.origin(one.scope, one.equation);
      const key = origin === null ? '' : lineKey(links.spans.span(origin.span));
      const known = lines.get(key);
      if (known === undefined) {
        lines.set(key, [one]);
      } else {
        known.push(one);
      }
    }
    return lines;
  }

  /** The equations of a scope; those that call it where it has none here. */
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

  /** The name stacks that each scope is called from: those of its equations stand below them. */
  private _outerNames(): Map<number, string[]> {
    const { equations } = this.links;
    const found = new Map<number, string[]>();
    const pending: [number, string][] = [[equations.root, '']];
    while (pending.length > 0) {
      const [scope, prefix] = pending.pop() as [number, string];
      const known = found.get(scope) ?? [];
      if (known.includes(prefix) || known.length >= MOST_CALLERS) {
        continue;
      }
      found.set(scope, [...known, prefix]);
      for (const part of equations.parts(scope)) {
        for (const [equation, , , inner] of part.scope.children) {
          if (part.holds(equation)) {
            pending.push([inner, below(prefix, part.nameStack(equation))]);
          }
        }
      }
    }
    return found;
  }

  private _equations(
    isIt: (
      part: ReturnType<Links['equations']['parts']>[number],
      equation: number,
      scope: number
    ) => boolean
  ): IEquationRef[] {
    const found: IEquationRef[] = [];
    const { equations } = this.links;
    for (const scope of equations.scopes) {
      for (const part of equations.parts(scope)) {
        for (let equation = part.first; equation < part.end; equation++) {
          if (isIt(part, equation, scope)) {
            found.push({ scope, equation });
          }
        }
      }
    }
    return found;
  }

  private _lines: Map<string, IEquationRef[]> | null = null;
}

/** A scope that is called from more name stacks is found by the first of them. */
const MOST_CALLERS = 50;

/** A name stack inside another. */
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
    // More than both: in a branch that neither the dearest run takes nor the cheapest.
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

/** Parents before their children; siblings in the order that is asked for. */
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

/** The reading of a cost; the same object each time it is asked for. */
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
