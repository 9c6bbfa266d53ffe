/**
 * Folds lines of a listing to one line; a click, a key or a search result opens a fold.
 *
 * CodeMirror's own folding takes one fold at a time, which is slow for the ten thousand library calls of a large
 * program; this folding takes all of them in one step.
 */
import {
  EditorState,
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
  WidgetType
} from '@codemirror/view';

import type { IListedFold } from './listing';

/** Close some folds, or open them. */
export const setFolds = StateEffect.define<{
  folds: readonly IListedFold[];
  closed: boolean;
}>();

/** A closed fold and its present position. */
export interface IClosedFold {
  fold: IListedFold;
  from: number;
  to: number;
}

/** The widget that stands for the folded lines. */
class Placeholder extends WidgetType {
  constructor(readonly fold: IListedFold) {
    super();
  }

  override eq(other: Placeholder): boolean {
    return other.fold === this.fold;
  }

  override toDOM(view: EditorView): HTMLElement {
    const node = this.fold.placeholder();
    node.addEventListener('mousedown', event => {
      if ((event.target as Element).closest('.jp-mod-chip')) {
        event.preventDefault();
        view.dispatch({
          effects: setFolds.of({ folds: [this.fold], closed: false })
        });
      }
    });
    return node;
  }

  override ignoreEvent(event: Event): boolean {
    const target = event.target as Element | null;
    // Pointing at the button also points at its line.
    return (
      event.type !== 'mousemove' && target?.closest?.('.jp-mod-chip') !== null
    );
  }
}

function decorate(
  doc: Text,
  before: DecorationSet,
  folds: readonly IListedFold[]
): DecorationSet {
  const oldFolds = new Set<IListedFold>();
  before.between(0, doc.length, (_from, _to, value) => {
    oldFolds.add((value.spec.widget as Placeholder).fold);
  });
  const ranges: { from: number; to: number; fold: IListedFold }[] = [];
  for (const fold of folds) {
    const { from, to } = foldRange(doc, fold);
    if (!oldFolds.has(fold) && to > from) {
      ranges.push({ from, to, fold });
    }
  }
  // An outer fold comes first if two folds start at the same place.
  ranges.sort((a, b) => a.from - b.from || b.to - a.to);
  const inside = groupsInside([...oldFolds, ...folds]);
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to, fold } of ranges) {
    if (!inside.has(fold)) {
      const widget = new Placeholder(fold);
      // A group comes before a call that starts on the group's first line.
      const inclusiveStart = isGroup(fold);
      builder.add(from, to, Decoration.replace({ widget, inclusiveStart }));
    }
  }
  const added = builder.finish();
  if (before.size === 0) {
    return added;
  }
  const all: ReturnType<Decoration['range']>[] = [];
  for (const iterator = added.iter(); iterator.value; iterator.next()) {
    all.push(iterator.value.range(iterator.from, iterator.to));
  }
  const filter =
    inside.size === 0
      ? undefined
      : (_from: number, _to: number, value: Decoration) =>
          !inside.has((value.spec.widget as Placeholder).fold);
  return before.update({ add: all, sort: true, filter });
}

function isGroup(fold: IListedFold): boolean {
  return fold.inner !== undefined;
}

/**
 * The groups that start on the same line as a group that contains them. The editor could not tell which group is the
 * outer one.
 */
function groupsInside(folds: readonly IListedFold[]): Set<IListedFold> {
  const outermost = new Map<number, IListedFold>();
  const inside = new Set<IListedFold>();
  for (const fold of folds) {
    if (!isGroup(fold)) {
      continue;
    }
    const outer = outermost.get(fold.first);
    if (outer === undefined || outer === fold) {
      outermost.set(fold.first, fold);
    } else if (outer.last >= fold.last) {
      inside.add(fold);
    } else {
      inside.add(outer);
      outermost.set(fold.first, fold);
    }
  }
  return inside;
}

/** The text range that a fold hides. */
export function foldRange(
  doc: Text,
  fold: IListedFold
): { from: number; to: number } {
  const first = doc.line(fold.first + 1);
  return {
    from: fold.whole ? first.from : first.to,
    to: doc.line(fold.last + 1).to
  };
}

/** The closed folds. */
export const closedFolds = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(folds, transaction) {
    folds = folds.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setFolds)) {
        if (effect.value.closed) {
          folds = decorate(transaction.newDoc, folds, effect.value.folds);
        } else {
          const opened = new Set(effect.value.folds);
          folds = folds.update({
            filter: (_from, _to, value) =>
              !opened.has((value.spec.widget as Placeholder).fold)
          });
          const [only] = effect.value.folds;
          if (opened.size === 1 && only.inner) {
            folds = decorate(transaction.newDoc, folds, [only.inner]);
          }
        }
      }
    }
    if (transaction.selection) {
      const { from, to } = transaction.newSelection.main;
      let inside = false;
      folds.between(from, to, (start, end) => {
        inside ||= start < to && from < end && !(from <= start && to >= end);
      });
      if (inside) {
        folds = folds.update({
          filter: (start, end) =>
            !(start < to && from < end && !(from <= start && to >= end)),
          filterFrom: from,
          filterTo: to
        });
      }
    }
    return folds;
  },
  provide: field => EditorView.decorations.from(field)
});

/** Every closed fold that touches a range, outer folds first. */
export function closedBetween(
  state: EditorState,
  from: number,
  to: number
): IClosedFold[] {
  const folds: IClosedFold[] = [];
  state.field(closedFolds).between(from, to, (start, end, value) => {
    folds.push({
      fold: (value.spec.widget as Placeholder).fold,
      from: start,
      to: end
    });
  });
  return folds.sort((a, b) => a.from - b.from || b.to - a.to);
}

/** The lines inside of closed folds, including the first line of each; outer folds only, ascending. */
export function closedLines(
  state: EditorState
): { first: number; last: number }[] {
  const lines: { first: number; last: number }[] = [];
  for (const { fold } of closedBetween(state, 0, state.doc.length)) {
    const before = lines[lines.length - 1];
    if (!before || fold.first > before.last) {
      lines.push({ first: fold.first, last: fold.last });
    }
  }
  return lines;
}

/** True if the closed folds differ between two states. */
export function foldsChanged(before: EditorState, after: EditorState): boolean {
  return before.field(closedFolds) !== after.field(closedFolds);
}

/** The folding extension of a listing; the folds that are marked as closed start closed. */
export function folding(doc: Text, folds: Iterable<IListedFold>): Extension {
  const closed = [...folds].filter(fold => fold.closed);
  return closedFolds.init(() => decorate(doc, Decoration.none, closed));
}
