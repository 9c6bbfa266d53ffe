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

/** The matches in a document, ascending: the start and the end of each. */
export interface IMatches {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

export const NO_MATCHES: IMatches = { from: [], to: [] };

/**
 * Finds all matches in a document: in the text, and, as matches of whole lines, in the text beside the lines.
 *
 * A line of source, a scope and a Python name count once each, at the line where they start.
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

/** The lines at which a text beside the lines (a name, a scope or a line of source) starts that matches the pattern. */
function linesBeside(
  document: Text,
  facts: ILineFacts,
  pattern: RegExp
): ReadonlySet<number> {
  const matchingLines = new Set<number>();
  for (const [index, name] of facts.named?.() ?? []) {
    if (pattern.test(name)) {
      matchingLines.add(index);
    }
  }
  // Most lines share their list of scopes with their neighbours, so the result for each list is cached.
  const scopes = new Map<readonly string[], boolean>();
  const sources = new Map<string, number>();
  const announcedScopes = new Set<string>();
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
      matchingLines.add(index);
    }
    wasInScope = isInScope;
    const head = facts.heads?.of(index) ?? null;
    if (head !== null && pattern.test(head.text)) {
      if (!sources.has(head.key)) {
        sources.set(head.key, index);
      }
      if (pattern.test(next.value)) {
        announcedScopes.add(head.key); // the program's line matches itself, so its source line is not counted again
      }
    }
    index++;
  }
  for (const [key, first] of sources) {
    if (!announcedScopes.has(key)) {
      matchingLines.add(first);
    }
  }
  return matchingLines;
}

export const setMatches = StateEffect.define<IMatches>();

/** The matches; empty while no search is open. */
export const matchesFound = StateField.define<IMatches>({
  create: () => NO_MATCHES,
  update(value, transaction) {
    if (transaction.docChanged) {
      // The document has new lines, so the matches have other positions; the view searches again.
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

/** The index of the selected match; -1 if none is selected. */
export function currentMatch({ from, to }: IMatches, view: EditorView): number {
  const { main } = view.state.selection;
  const at = firstAtLeast(from, main.from);
  return from[at] === main.from && to[at] === main.to ? at : -1;
}

/** Select the next match, or the previous one; the first match follows the last. */
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
 * Scroll to a match if no match is on screen: to the first match after the top of the screen, or to the first of all. A
 * hidden match is opened only if there is no other.
 * @param isCut - True if the match is in a part of its line that is shortened to a "…".
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

/**
 * At most this many lines are read in order to find their shortened parts: reading takes a while, and a large HLO has
 * 80,000 lines.
 */
const LINES_READ = 1_000;

/** True if a match is visible in a part of the window, neither hidden nor scrolled away. */
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

/**
 * Returns, for each match of an ascending list, true if the match is outside of all closed folds and on no hidden line.
 */
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

/** The index of the first member of an ascending list that is at least this value. */
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
