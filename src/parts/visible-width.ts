/** Tells the style sheet how wide the visible text of an editor is, so that signs at the ends of lines fit beside code. */
import { StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  ViewPlugin
} from '@codemirror/view';

const changed = StateEffect.define<string>();

/**
 * Marks the first line with the room. The room decides where lines with signs wrap, after the editor has measured the
 * heights of its lines; an editor measures them again when a line is drawn again.
 */
const mark = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) =>
    effects.reduce(
      (before, effect) =>
        effect.is(changed)
          ? Decoration.set(
              Decoration.line({
                attributes: { 'data-room': effect.value }
              }).range(0)
            )
          : before,
      marks.map(changes)
    ),
  provide: field => EditorView.decorations.from(field)
});

const measures = ViewPlugin.define(view => {
  const key = {};
  let before = '';
  let isGone = false;
  const measure = (): void =>
    view.requestMeasure({
      key,
      read: ({ scrollDOM, contentDOM, defaultCharacterWidth }) => ({
        room: scrollDOM.clientWidth - contentDOM.offsetLeft,
        character: defaultCharacterWidth
      }),
      write: ({ room, character }, { dom }: EditorView) => {
        const now = `${room} ${character}`;
        // A style that is set again makes the browser look at the whole editor again.
        if (before === now) {
          return;
        }
        before = now;
        dom.style.setProperty('--jjx-room', `${room}px`);
        dom.style.setProperty('--jjx-character', `${character}px`);
        // No editor takes an effect while it measures.
        queueMicrotask(() => {
          if (!isGone) {
            view.dispatch({ effects: changed.of(now) });
          }
        });
      }
    });
  measure();
  return {
    update: ({ geometryChanged }) => {
      if (geometryChanged) {
        measure();
      }
    },
    destroy: () => {
      isGone = true;
    }
  };
});

export const signRoom = [mark, measures];
