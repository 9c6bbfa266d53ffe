/** Keeps the marked and the opened lines in the editor's state. */
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, DecorationSet, WidgetType } from '@codemirror/view';

/** The marked lines and variables. */
export interface IMarks {
  lines: readonly number[];
  variables: ReadonlySet<string>;
}

export const setMarks = StateEffect.define<IMarks>();
export const NO_MARKS: IMarks = { lines: [], variables: new Set() };

export const marks = StateField.define<IMarks>({
  create: () => NO_MARKS,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) {
        value = effect.value;
      }
    }
    return value;
  }
});

/** Open or close the chips of the line at a position. */
export const setChips = StateEffect.define<{ at: number; open: boolean }>({
  map: (value, change) => ({ ...value, at: change.mapPos(value.at) })
});

class OpenLine extends WidgetType {
  override toDOM(): HTMLElement {
    return document.createElement('span');
  }
}

/** The lines whose chips are open, as decorations that show nothing but move with the text. */
export const openChips = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(open, transaction) {
    open = open.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setChips)) {
        const { from } = transaction.newDoc.lineAt(effect.value.at);
        const isOpen = startsAt(open, from);
        if (effect.value.open && !isOpen) {
          open = open.update({ add: [OPEN_LINE.range(from)], sort: true });
        } else if (!effect.value.open && isOpen) {
          open = open.update({
            filter: at => at !== from,
            filterFrom: from,
            filterTo: from
          });
        }
      }
    }
    return open;
  }
});

const OPEN_LINE = Decoration.widget({ widget: new OpenLine() });

/** The lines with open chips, from 0. */
export function openLines(state: EditorState): number[] {
  const lines: number[] = [];
  state.field(openChips).between(0, state.doc.length, from => {
    lines.push(state.doc.lineAt(from).number - 1);
  });
  return lines;
}

/** True if a decoration starts at a position. */
export function startsAt(set: DecorationSet, at: number): boolean {
  let isFound = false;
  set.between(at, at, () => {
    isFound = true;
    return false;
  });
  return isFound;
}
