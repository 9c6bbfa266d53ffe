/**
 * Shows the facts that a run has about the expression below the pointer, or about the expression at the caret after a
 * key.
 */
import {
  EditorState,
  Extension,
  StateEffect,
  StateField
} from '@codemirror/state';
import {
  EditorView,
  Rect,
  Tooltip,
  hoverTooltip,
  showTooltip
} from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { IExpressionFacts, expressionFacts } from '../model/expressions';
import { movedText } from '../parts/moved-text';
import { typesOfLineAt } from '../parts/types-at-line-ends';
import type { IJaxprModel } from '../tokens';
import { dispatchKey } from '../view-keys';
import type { IExpressionCard } from './expression-card';
import type { IRanCell } from './ran-cells';

/** The pointer has to rest this many milliseconds before the card appears. */
const HOVER_TIME = 350;

/** The model with the run, and the cell as it ran, in which an expression is searched. */
export interface IRanIn {
  model: IJaxprModel;
  cell: IRanCell;
}

/** The editor extension that shows a card with the facts about an expression. */
export function expressionHover(
  ranIn: () => IRanIn | null,
  trans: TranslationBundle
): Extension {
  return [
    hoverTooltip(
      async (view, at) => {
        const ran = ranIn();
        const facts = ran && factsAt(view.state, at, ran);
        if (!facts) {
          return null;
        }
        const { expressionCard } = await load();
        if (view.state.field(cardOfKey) !== null) {
          return null; // a card that the user has opened by the key stays; only one card is shown at a time
        }
        return tooltip(facts, at, expressionCard(facts.facts, trans));
      },
      {
        hoverTime: HOVER_TIME,
        hideOnChange: true,
        hideOn: transaction =>
          transaction.effects.some(
            effect => effect.is(setAsked) && effect.value !== null
          )
      }
    ),
    cardOfKey,
    EditorView.domEventHandlers({
      keydown: (event, view) =>
        dispatchKey(event, 'code', {
          showExpression: () => {
            const ran = ranIn();
            if (ran === null) {
              return false;
            }
            void show(view, ran, trans);
            return true;
          }
        }),
      blur: (_, view) => {
        if (view.state.field(cardOfKey) !== null) {
          // The call is deferred: the focus may change during an update of the editor, when `dispatch` is forbidden.
          queueMicrotask(() => view.dispatch({ effects: setAsked.of(null) }));
        }
      }
    })
  ];
}

/** Shows the facts about the place of the caret, also to a screen reader. */
async function show(
  view: EditorView,
  ran: IRanIn,
  trans: TranslationBundle
): Promise<void> {
  const { state } = view;
  const at = state.selection.main.head;
  const facts = factsAt(state, at, ran);
  const { expressionCard, typesCard, unknownCard } = await load();
  // The user has edited the text, moved the caret or left the editor while the code was loaded: show no card.
  if (
    view.state.doc !== state.doc ||
    view.state.selection.main.head !== at ||
    !view.hasFocus
  ) {
    return;
  }
  const types = typesOfLineAt(state, at);
  const card = facts
    ? expressionCard(facts.facts, trans)
    : types !== null
      ? typesCard(types)
      : unknownCard(ran.cell.snapshot, trans);
  view.dispatch({
    effects: [
      setAsked.of(tooltip(facts ?? { from: at, to: at }, at, card)),
      EditorView.announce.of(card.words)
    ]
  });
}

function load(): Promise<typeof import('./expression-card')> {
  return import('./expression-card');
}

interface IFound {
  from: number;
  to: number;
  facts: IExpressionFacts;
}

/** The facts about a place of the present text, if the expression there is unchanged. */
function factsAt(
  state: EditorState,
  at: number,
  { model, cell }: IRanIn
): IFound | null {
  const moved = state.field(movedText, false) ?? null;
  const place = moved?.ranPlace(at) ?? null;
  if (moved === null || place === null) {
    return null;
  }
  const { snapshot, path } = cell;
  const inView = snapshot === model.snapshot ? [model.program] : [];
  const facts = expressionFacts(snapshot, [...inView, snapshot.focus], {
    path,
    ...place
  });
  if (facts === null) {
    return null;
  }
  const { line, column, endLine, endColumn } = facts.span;
  const range = moved.range(line, column, endLine, endColumn);
  return range === null || range.isChanged || at < range.from || range.to < at
    ? null
    : { from: range.from, to: range.to, facts };
}

/** The tooltip with the card of an expression, at the position `at` of the text. */
function tooltip(
  { from, to }: { from: number; to: number },
  at: number,
  { node }: IExpressionCard
): Tooltip {
  return {
    pos: from,
    end: to,
    above: true,
    create: view => ({
      dom: node,
      getCoords: () => keptFree(view, from, at)
    })
  };
}

/**
 * The rectangle that the card must not cover: the expression, its line and the line below. The editor puts the card
 * above this rectangle, or below it.
 */
function keptFree(view: EditorView, from: number, at: number): Rect {
  const start = view.coordsAtPos(from) ?? view.coordsAtPos(at);
  // The editor hides a card whose expression is nowhere on the page.
  if (start === null) {
    return null as unknown as Rect;
  }
  const { state, documentTop, scaleY } = view;
  const line = view.lineBlockAt(Math.min(at, state.doc.length));
  const next =
    line.to < state.doc.length ? view.lineBlockAt(line.to + 1) : line;
  return {
    left: start.left,
    right: start.right,
    top: start.top,
    bottom: Math.max(start.bottom, documentTop + next.bottom * scaleY)
  };
}

const setAsked = StateEffect.define<Tooltip | null>();

/** The card that a key has opened; it closes when the caret moves or the text changes. */
const cardOfKey = StateField.define<Tooltip | null>({
  create: () => null,
  update(shown, transaction) {
    if (transaction.docChanged || transaction.selection) {
      shown = null;
    }
    for (const effect of transaction.effects) {
      if (effect.is(setAsked)) {
        shown = effect.value;
      }
    }
    return shown;
  },
  provide: field => showTooltip.from(field)
});
