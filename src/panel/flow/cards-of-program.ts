/** Collects what the cards of a program need: the tree of cards, the printed names, the rows. */
import { ILinked, Links, linksOf } from '../../model/links';
import { RowPrinter } from '../../program-text/row-printer';
import type { IRow } from '../../program-text/row';
import { ProgramRows } from '../../program-text/rows';
import { ISourceSpan } from '../../program-text/source-spans';
import { Control, Slot, Snapshot } from '../../protocol/snapshot';
import { IEquationRef } from '../../tokens';

/** A construct with the constructs inside it. */
export interface ICard {
  /** The index of the construct in the document's `control_flow`. */
  index: number;
  control: Control;
  /** The number of cards that contain this card. */
  level: number;
  children: ICard[];
}

/** Deeper cards are ignored; no document of the kernel has such a depth. */
const DEEPEST = 100;

/**
 * The outermost cards of a program, in the order of the user's code, as the kernel sends them; a card's children are
 * the constructs inside it.
 */
export function cardsOf(snapshot: Snapshot, program: number): ICard[] {
  const controls = snapshot.control_flow ?? [];
  const cards = new Map<number, ICard>();
  controls.forEach((control, index) => {
    if (control.program === program) {
      cards.set(index, { index, control, level: 0, children: [] });
    }
  });
  const top: ICard[] = [];
  for (const card of cards.values()) {
    const around = cards.get(card.control.parent);
    (around && around !== card ? around.children : top).push(card);
  }
  const level = (card: ICard, at: number): void => {
    card.level = at;
    if (at < DEEPEST) {
      card.children.forEach(child => level(child, at + 1));
    }
  };
  top.forEach(card => level(card, 0));
  return top;
}

/** All cards, a card before the cards inside it. */
export function allCards(cards: readonly ICard[]): ICard[] {
  return cards.flatMap(card => [card, ...allCards(card.children)]);
}

export class Reading {
  constructor(
    readonly snapshot: Snapshot,
    readonly program: number
  ) {
    this.links = linksOf(snapshot, program);
    this.cards = cardsOf(snapshot, program);
    this.all = allCards(this.cards);
  }

  readonly links: Links;
  readonly cards: readonly ICard[];
  readonly all: readonly ICard[];

  /** The text of the type with the index `aval` in the document's pool of types. */
  type(aval: number): string {
    return this.snapshot.avals[aval]?.text ?? '?';
  }

  /** The text of a type, with the mark of a weak type. */
  wholeType(aval: number): string {
    return this.snapshot.avals[aval]?.weak
      ? `${this.type(aval)} weak`
      : this.type(aval);
  }

  /** The name of a variable in the program, or the text of a literal; null if there is no operand. */
  operand(control: Control, operand: number): string | null {
    if (operand <= control.no_operand) {
      return null;
    }
    if (operand < 0) {
      const literal = this.snapshot.literals[-1 - operand];
      return literal ? this.snapshot.strings[literal[0]] : null;
    }
    return this._printed.rows.names.variables[control.scope]?.[operand] ?? null;
  }

  /** The name of a value: its path, or else its variable; null for a literal. */
  nameOf(control: Control, slot: Slot): string | null {
    const { path, operand, role } = slot;
    const changes = role === 'carry' || role === 'xs';
    return (
      path || (operand < 0 && changes ? null : this.operand(control, operand))
    );
  }

  /** The equations that belong to the construct itself, without those of its body, condition or branches. */
  equationsOf(control: Control): IEquationRef[] {
    return Array.from({ length: Math.max(1, control.equations) }, (_, i) => ({
      scope: control.scope,
      equation: control.equation + i
    }));
  }

  /** True if the selection is linked to a construct: to one of its own equations, or to its place in the code. */
  isLinked(control: Control, linked: ILinked): boolean {
    const { equations } = this.links;
    if (
      this.equationsOf(control).some(({ scope, equation }) =>
        linked.equations.has(equations.id(scope, equation))
      )
    ) {
      return true;
    }
    const span = this.span(control.frame);
    return (
      span !== null &&
      linked.precision === 'line' &&
      linked.spans.some(
        linkedSpan =>
          linkedSpan.file.path === span.file.path &&
          linkedSpan.line === span.line
      )
    );
  }

  /** The source span of a frame; null for the frame -1. */
  span(frame: number): ISourceSpan | null {
    const { spans } = this.links;
    return frame < 0 ? null : spans.span(spans.frame(this.snapshot, frame));
  }

  /** The rows of a body, from its `lambda` line to its results; empty if the kernel has not sent the body yet. */
  rowsOf(scope: number): readonly IRow[] {
    const { rows, opened } = this._printed;
    const first = opened.get(scope);
    if (first === undefined) {
      return [];
    }
    let last = first + 1;
    while (
      last < rows.rows.length - 1 &&
      !(rows.rows[last].kind === 'close' && rows.rows[last].scope === scope)
    ) {
      last++;
    }
    return rows.rows.slice(first, last + 1);
  }

  /** The rows of a construct that has several equations and no inner program. */
  ownRows(control: Control): readonly IRow[] {
    const rows = this.equationsOf(control)
      .map(({ scope, equation }) => this.rowOf(scope, equation))
      .filter(row => row !== undefined);
    return rows.length === 0
      ? []
      : this._printed.rows.rows.slice(
          rows[0].index,
          rows[rows.length - 1].index + 1
        );
  }

  /** The row of an equation; undefined if it has not arrived. */
  rowOf(scope: number, equation: number): IRow | undefined {
    return this._printed.rows.rowOf(scope, equation);
  }

  get printer(): RowPrinter {
    return this._printed.printer;
  }

  /** The rows of the program: made when a card first needs them, and again when the kernel has sent more. */
  private get _printed(): IPrinted {
    const { pages } = this.links.equations;
    if (this._made?.pages !== pages) {
      const rows = new ProgramRows(this.links.equations, this.links.spans);
      const opened = new Map<number, number>();
      rows.rows.forEach((row, index) => {
        if (row.kind === 'open') {
          opened.set(row.scope, index);
        }
      });
      this._made = { rows, opened, printer: new RowPrinter(rows), pages };
    }
    return this._made;
  }

  private _made: IPrinted | null = null;
}

interface IPrinted {
  rows: ProgramRows;
  printer: RowPrinter;
  /** For each body, the index of the body's first row. */
  opened: ReadonlyMap<number, number>;
  /** The number of pages of equations that had arrived when the rows were made. */
  pages: number;
}

const READINGS = new WeakMap<Links, Reading>();

/** The `Reading` of a program, which has its cards, names and rows; every call returns the same object. */
export function readingOf(snapshot: Snapshot, program: number): Reading {
  const links = linksOf(snapshot, program);
  let reading = READINGS.get(links);
  if (!reading) {
    reading = new Reading(snapshot, program);
    READINGS.set(links, reading);
  }
  return reading;
}
