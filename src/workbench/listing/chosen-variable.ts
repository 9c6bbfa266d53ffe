/**
 * Marks the variable that the user chose by mouse or key: the lines in which the variable is alive, its definition and
 * its uses.
 */
import { EditorState, StateField, Text, Transaction } from '@codemirror/state';
import { EditorView, Panel, ViewUpdate } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../../parts/dom';
import type { IListing, IVariablePlace, IVariableRange } from './listing';

/** The chosen variable, and the lines that define and use it. */
export interface IChosen {
  place: IVariablePlace;
  range: IVariableRange;
}

/** The state of the chosen variable at a line; null if the variable is not alive there. */
export type Life = 'start' | 'through' | 'use' | 'end';

/** The field of the editor that holds the variable at the selection; null if no variable is selected. */
export type ChosenField = StateField<IChosen | null>;

export function chosenField(listing: IListing): ChosenField {
  return StateField.define<IChosen | null>({
    create: () => null,
    update(value, transaction) {
      if (transaction.docChanged) {
        return null;
      }
      return transaction.selection ? chosenBy(transaction, listing) : value;
    }
  });
}

function chosenBy(transaction: Transaction, listing: IListing): IChosen | null {
  const { main } = transaction.newSelection;
  const byMouse = transaction.isUserEvent('select.pointer');
  if (main.empty && !byMouse) {
    return null; // the keys that move between lines do not choose a variable
  }
  const place = placeAt(transaction.newDoc, listing, main.from, main.to);
  return place && listing.variableRange
    ? { place, range: listing.variableRange(place) }
    : null;
}

/** The place of the variable at a range of the text; null if there is none. */
function placeAt(
  doc: Text,
  listing: IListing,
  from: number,
  to: number
): IVariablePlace | null {
  const line = doc.lineAt(from);
  if (to > line.to) {
    return null;
  }
  const places = listing.variablesIn?.(line.number - 1) ?? [];
  return (
    places.find(
      place => place.from <= from - line.from && to - line.from <= place.to
    ) ?? null
  );
}

/** The state of a variable at the lines from first to last, which are shown as one line. */
export function lifeOf(
  { first, last, uses }: IVariableRange,
  from: number,
  to: number
): Life | null {
  if (to < first || from > last) {
    return null;
  }
  if (from <= first && first <= to) {
    return 'start';
  }
  if (from <= last && last <= to) {
    return 'end';
  }
  return hasBetween(uses, from, to) ? 'use' : 'through';
}

function hasBetween(
  list: readonly number[],
  from: number,
  to: number
): boolean {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < list.length && list[low] <= to;
}

/**
 * The place that binds the selected variable; if none is selected, the place that binds the first operand of the line.
 */
export function definitionFrom(
  state: EditorState,
  field: ChosenField,
  listing: IListing
): IVariablePlace | null {
  const chosen = state.field(field) ?? inLine(state, listing, 'operand');
  return chosen && placeIn(listing, chosen.range.first, chosen.place.key);
}

/**
 * The next place that reads the selected variable; after the last such place, the first one. If no variable is
 * selected, the search is for the variable that the line of the caret binds.
 */
export function nextUseFrom(
  state: EditorState,
  field: ChosenField,
  listing: IListing
): IVariablePlace | null {
  const chosen = state.field(field) ?? inLine(state, listing, 'binder');
  if (!chosen || chosen.range.uses.length === 0) {
    return null;
  }
  const { uses } = chosen.range;
  const next = uses.find(line => line > chosen.place.line) ?? uses[0];
  return placeIn(listing, next, chosen.place.key, true);
}

/** The variable before or after the chosen variable in a line. */
export function nextVariable(
  state: EditorState,
  field: ChosenField,
  listing: IListing,
  step: 1 | -1
): IVariablePlace | null {
  const line = state.doc.lineAt(state.selection.main.head);
  const places = listing.variablesIn?.(line.number - 1) ?? [];
  const chosen = state.field(field)?.place;
  const at = places.findIndex(
    ({ from, line }) => from === chosen?.from && line === chosen.line
  );
  return (
    places[
      at < 0
        ? step === 1
          ? 0
          : places.length - 1
        : (at + step + places.length) % places.length
    ] ?? null
  );
}

function inLine(
  state: EditorState,
  listing: IListing,
  kind: 'binder' | 'operand'
): IChosen | null {
  const index = state.doc.lineAt(state.selection.main.head).number - 1;
  const places = listing.variablesIn?.(index) ?? [];
  for (const place of places) {
    const range = listing.variableRange?.(place);
    if (range && (range.first === index) === (kind === 'binder')) {
      return { place, range };
    }
  }
  return null;
}

/**
 * The first or the last place of a variable in a line. If a line binds and also reads the variable, its last place is a
 * read.
 */
function placeIn(
  listing: IListing,
  line: number,
  key: string,
  last = false
): IVariablePlace | null {
  const places = (listing.variablesIn?.(line) ?? []).filter(
    place => place.key === key
  );
  return places[last ? places.length - 1 : 0] ?? null;
}

/** The panel below the code that describes the chosen variable; its buttons lead to the places of the variable. */
export class VariablePanel implements Panel {
  constructor(
    private _field: ChosenField,
    trans: TranslationBundle,
    acts: { definition(): void; nextUse(): void }
  ) {
    this.dom = element('div', 'jp-JaxprProgram-variable');
    this._words = element('span', 'jp-JaxprProgram-variableWords');
    this._words.setAttribute('role', 'status');
    this._buttons = element('span', 'jp-JaxprProgram-variableActs');
    this._buttons.append(
      button(trans.__('Go to definition'), 'F12', acts.definition),
      ' ',
      button(trans.__('Go to next use'), 'Shift+F12', acts.nextUse)
    );
    this.dom.append(this._words, ' ', this._buttons);
    this._show(null);
  }

  readonly dom: HTMLElement;
  readonly top = false;

  update(update: ViewUpdate): void {
    const chosen = update.state.field(this._field);
    if (chosen !== update.startState.field(this._field)) {
      this._show(chosen);
    }
  }

  private _show(chosen: IChosen | null): void {
    this._words.textContent = chosen?.range.words ?? '';
    this._buttons.hidden = chosen === null;
    this.dom.classList.toggle('jp-mod-empty', chosen === null);
  }

  private _words: HTMLElement;
  private _buttons: HTMLElement;
}

function button(
  label: string,
  key: string,
  act: () => void
): HTMLButtonElement {
  const node = element('button', 'jp-JaxprProgram-link', label);
  node.title = `${label} (${key})`;
  node.addEventListener('click', act);
  return node;
}

/** Select the characters of a variable's name, which makes it the chosen variable. */
export function choose(view: EditorView, place: IVariablePlace): void {
  const { from } = view.state.doc.line(place.line + 1);
  view.dispatch({
    selection: { anchor: from + place.from, head: from + place.to },
    effects: EditorView.scrollIntoView(from + place.from, {
      y: 'nearest',
      // The panel that describes the variable has just appeared below the code; the margin keeps the line above it.
      yMargin: 64
    })
  });
}
