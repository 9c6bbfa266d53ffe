/**
 * Draws the types of a line's names at the end of the line, and shows them in full to a resting pointer.
 *
 * CSS draws the types from an attribute of the line. An element for each line would make each key slower in a long
 * cell, because the browser looks for the places of the caret around elements that the user cannot edit.
 */
import {
  EditorState,
  Extension,
  Line,
  Range,
  StateEffect,
  StateField
} from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';

/** The attribute with the types that CSS draws. */
const TYPES = 'data-jaxpr-types';
/** The attribute with the types in whole sentences; a screen reader reads this description on request only. */
const SENTENCES = 'aria-description';

/**
 * The decoration of a line whose names have types.
 *
 * @param sentences The types in whole sentences.
 */
export function typesOfLine(
  { from }: Line,
  text: string,
  sentences: string,
  drawn: {
    /** True if the line was edited since the cell ran. */
    isChanged: boolean;
    /** True if the types fit beside the code in a roomy editor, so that the browser need not clip them. */
    isShort: boolean;
    /** True if no sign stands at the end of the line; else a sign draws the types. */
    isAlone: boolean;
  }
): Range<Decoration> {
  const names = ['jp-JaxprCell-typed'];
  if (drawn.isChanged) {
    names.push('jp-mod-changed');
  }
  if (drawn.isShort) {
    names.push('jp-mod-short');
  }
  if (drawn.isAlone) {
    names.push('jp-mod-alone');
  }
  return Decoration.line({
    class: names.join(' '),
    attributes: { [TYPES]: text, [SENTENCES]: sentences }
  }).range(from);
}

/** Returns the types at the end of the line at a position, in whole sentences; null without types. */
export function typesOfLineAt(state: EditorState, at: number): string | null {
  const { from } = state.doc.lineAt(at);
  for (const marks of state.facet(EditorView.decorations)) {
    if (typeof marks === 'function') {
      continue;
    }
    let sentences: unknown;
    marks.between(from, from, (_from, _to, { spec }) => {
      sentences ??= spec.attributes?.[SENTENCES];
    });
    if (typeof sentences === 'string') {
      return sentences;
    }
  }
  return null;
}

/** A line, by its first position, with the title that the browser shows to a pointer that rests on the line. */
interface IPointedLine {
  from: number;
  title: string;
}

const setPointedLine = StateEffect.define<IPointedLine | null>();

/** The line whose types the pointer is at. */
const pointedLine = StateField.define<IPointedLine | null>({
  create: () => null,
  update(pointed, { effects, docChanged }) {
    for (const effect of effects) {
      if (effect.is(setPointedLine)) {
        return effect.value;
      }
    }
    // After an edit, the next move of the pointer tells the line.
    return docChanged ? null : pointed;
  },
  provide: field =>
    EditorView.decorations.from(field, pointed =>
      pointed === null
        ? Decoration.none
        : Decoration.set(
            Decoration.line({ attributes: { title: pointed.title } }).range(
              pointed.from
            )
          )
    )
});

/** Returns the line at whose types the pointer is; null beside the types. */
function lineOfPointer(
  { target, clientX, clientY }: MouseEvent,
  view: EditorView
): IPointedLine | null {
  // The types belong to the element of the line; most of the code has elements of its own.
  const title =
    target instanceof HTMLElement ? target.getAttribute(SENTENCES) : null;
  if (title === null) {
    return null;
  }
  const line = view.state.doc.lineAt(view.posAtDOM(target as HTMLElement));
  const end = view.coordsAtPos(line.to);
  return end !== null &&
    clientY > end.top &&
    (clientX > end.right || clientY > end.bottom)
    ? { from: line.from, title }
    : null;
}

function point(view: EditorView, pointed: IPointedLine | null): void {
  const before = view.state.field(pointedLine);
  if (before?.from !== pointed?.from || before?.title !== pointed?.title) {
    view.dispatch({ effects: setPointedLine.of(pointed) });
  }
}

/** Shows the types at the end of a line in full while the pointer is at them. */
export const typesUnderPointer: Extension = [
  pointedLine,
  EditorView.domEventHandlers({
    mousemove: (event, view) => point(view, lineOfPointer(event, view)),
    mouseleave: (_, view) => point(view, null)
  })
];
