/** Finds and marks the matches of a query in an editor, and moves between them. */
import {
  Extension,
  RangeSetBuilder,
  StateEffect,
  StateField,
  Text
} from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  ViewPlugin,
  ViewUpdate
} from '@codemirror/view';

import type { LevelName } from '../../tokens';
import { closedBetween } from '../listing/folding';
import { hiddenLines, isHidden } from '../listing/hidden-lines';
import { ILineFacts, LineMatcher, Query, besidePattern } from './query';

/** Places in a document, ascending: where each starts and ends. */
export interface IMatches {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export const NO_MATCHES: IMatches = { from: [], to: [] };

/**
 * Every place in a document: the text itself, and, as whole lines, what stands beside the text. A line of source, a
 * scope and a name of the user's Python are one place each, where they begin.
 */
export function findMatches(
  document: Text,
  facts: ILineFacts,
  query: Query,
  level: LevelName
): IMatches {
  if (query.kind !== 'terms') {
    return NO_MATCHES;
  }
  const matcher = new LineMatcher(query.terms, query.caseSensitive, level);
  const matches = { from: [] as number[], to: [] as number[] };
  const pattern = besidePattern(query);
  const beside =
    pattern === null ? NO_LINES : linesBeside(document, facts, pattern);
  let start = 0;
  let index = 0;
  const lines = document.iterLines();
  for (let next = lines.next(); !next.done; next = lines.next()) {
    const text = next.value;
    const before = matches.from.length;
    matcher.find(text, index, facts, (from, to) => {
      matches.from.push(start + from);
      matches.to.push(start + to);
    });
    if (matches.from.length === before && beside.has(index) && text !== '') {
      matches.from.push(start);
      matches.to.push(start + text.length);
    }
    index++;
    start += text.length + 1;
  }
  return matches;
}

const NO_LINES: ReadonlySet<number> = new Set();

/** The lines at which something beside the text begins that has a pattern. */
function linesBeside(
  document: Text,
  facts: ILineFacts,
  pattern: RegExp
): ReadonlySet<number> {
  const found = new Set<number>();
  for (const [index, name] of facts.named?.() ?? []) {
    if (pattern.test(name)) {
      found.add(index);
    }
  }
  // Most lines share their scopes and their line of source.
  const scopes = new Map<readonly string[], boolean>();
  const sources = new Map<string, number>();
  const said = new Set<string>();
  let wasInScope = false;
  let index = 0;
  const lines = document.iterLines();
  for (let next = lines.next(); !next.done; next = lines.next()) {
    const names = facts.scopes(index);
    let isInScope = scopes.get(names);
    if (isInScope === undefined) {
      isInScope = names.some(name => pattern.test(name));
      scopes.set(names, isInScope);
    }
    if (isInScope && !wasInScope) {
      found.add(index);
    }
    wasInScope = isInScope;
    const head = facts.heads?.of(index) ?? null;
    if (head !== null && pattern.test(head.text)) {
      if (!sources.has(head.key)) {
        sources.set(head.key, index);
      }
      if (pattern.test(next.value)) {
        said.add(head.key); // the program says so itself
      }
    }
    index++;
  }
  for (const [key, first] of sources) {
    if (!said.has(key)) {
      found.add(first);
    }
  }
  return found;
}

export const setMatches = StateEffect.define<IMatches>();

/** The places found; none while they are not looked for. */
export const matchesFound = StateField.define<IMatches>({
  create: () => NO_MATCHES,
  update(value, transaction) {
    if (transaction.docChanged) {
      // The view looks again: a page has arrived.
      value = NO_MATCHES;
    }
    for (const effect of transaction.effects) {
      if (effect.is(setMatches)) {
        value = effect.value;
      }
    }
    return value;
  }
});

const MATCH = Decoration.mark({ class: 'cm-searchMatch' });
const CURRENT = Decoration.mark({
  class: 'cm-searchMatch cm-searchMatch-selected'
});

class Highlight {
  constructor(view: EditorView) {
    this.decorations = this._build(view);
  }

  decorations: DecorationSet;

  update(update: ViewUpdate): void {
    if (
      update.docChanged ||
      update.viewportChanged ||
      update.selectionSet ||
      update.startState.field(matchesFound) !== update.state.field(matchesFound)
    ) {
      this.decorations = this._build(update.view);
    }
  }

  private _build(view: EditorView): DecorationSet {
    const { from, to } = view.state.field(matchesFound);
    const { main } = view.state.selection;
    const builder = new RangeSetBuilder<Decoration>();
    for (const range of view.visibleRanges) {
      for (
        let i = firstAtLeast(from, range.from);
        i < from.length && from[i] < range.to;
        i++
      ) {
        builder.add(
          from[i],
          to[i],
          from[i] === main.from && to[i] === main.to ? CURRENT : MATCH
        );
      }
    }
    return builder.finish();
  }
}

export const highlighting: Extension = [
  matchesFound,
  ViewPlugin.fromClass(Highlight, {
    decorations: highlight => highlight.decorations
  })
];

/** Which match is selected, from 0; -1 for none. */
export function currentMatch({ from, to }: IMatches, view: EditorView): number {
  const { main } = view.state.selection;
  const at = firstAtLeast(from, main.from);
  return from[at] === main.from && to[at] === main.to ? at : -1;
}

/** Select the next match, or the one before; after the last comes the first. */
export function goToMatch(view: EditorView, step: 1 | -1): boolean {
  const matches = view.state.field(matchesFound);
  const { from } = matches;
  if (from.length === 0) {
    return false;
  }
  const current = currentMatch(matches, view);
  const after = firstAtLeast(from, view.state.selection.main.from);
  const wanted = current >= 0 ? current + step : step === 1 ? after : after - 1;
  select(view, matches, (wanted + from.length) % from.length);
  return true;
}

/**
 * Bring a match on screen where none is: the first from the top of the screen on, and after the last the first. One
 * that is hidden is opened only where no other is.
 *
 * @param isCut - Whether a place is in a part of its line that is collapsed to a "…".
 */
export function showAMatch(
  view: EditorView,
  isCut: (place: number) => boolean
): void {
  const matches = view.state.field(matchesFound);
  const { from } = matches;
  const screen = view.scrollDOM.getBoundingClientRect();
  if (from.length === 0 || screen.height === 0 || isAnyIn(screen, view)) {
    return;
  }
  const top = view.lineBlockAtHeight(screen.top - view.documentTop).from;
  const start = firstAtLeast(from, top);
  const inOrder = from.map((_, index) => (start + index) % from.length);
  const isOpen = openPlaces(view, from);
  const open = inOrder.filter(index => isOpen[index]);
  const uncut = open.slice(0, LINES_READ).find(index => !isCut(from[index]));
  select(view, matches, uncut ?? open[0] ?? inOrder[0]);
}

/** What is collapsed is known once a line is read, which takes a while: the 80,000 lines of a large HLO are not. */
const LINES_READ = 1_000;

/** Whether a match is drawn in a part of the window: not one that is hidden, or that is a scroll away. */
function isAnyIn(screen: DOMRect, view: EditorView): boolean {
  return [...view.contentDOM.querySelectorAll('.cm-searchMatch')].some(mark =>
    [...mark.getClientRects()].some(
      rect =>
        rect.bottom > screen.top &&
        rect.top < screen.bottom &&
        rect.right > screen.left &&
        rect.left < screen.right
    )
  );
}

function select(view: EditorView, { from, to }: IMatches, at: number): void {
  view.dispatch({
    selection: { anchor: from[at], head: to[at] },
    effects: EditorView.scrollIntoView(from[at], { y: 'center' }),
    userEvent: 'select.search'
  });
}

/** Which places of an ascending list are outside all closed folds and on lines that are not hidden. */
function openPlaces(view: EditorView, from: readonly number[]): boolean[] {
  const { doc } = view.state;
  const folds = closedBetween(view.state, 0, doc.length);
  const hidden = view.state.field(hiddenLines, false);
  let next = 0;
  let closedTo = -1;
  return from.map(place => {
    while (next < folds.length && folds[next].from <= place) {
      closedTo = Math.max(closedTo, folds[next++].to);
    }
    return (
      place >= closedTo &&
      !(hidden?.mask && isHidden(hidden, doc.lineAt(place).number - 1))
    );
  });
}

/** The place of the first member of an ascending list that is not less. */
function firstAtLeast(list: readonly number[], least: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < least) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
