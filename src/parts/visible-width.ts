/**
 * Tells the style sheet the width of the visible part of an editor, so that signs at the ends of lines fit beside the
 * code.
 */
import { StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  ViewPlugin
} from '@codemirror/view';

/** In a roomy editor, this many characters of code, counts and types fit into the visible part of a line. */
export const ROOMY = 50;

const changed = StateEffect.define<string>();

/**
 * A decoration of the first line that changes with the width. The width decides where lines with signs wrap; by
 * redrawing a line, the editor is made to measure its line heights again.
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
        // Setting the same style again would make the browser lay out the whole editor again.
        if (before === now) {
          return;
        }
        before = now;
        dom.style.setProperty('--jjx-room', `${room}px`);
        dom.style.setProperty('--jjx-character', `${character}px`);
        dom.toggleAttribute('data-jaxpr-roomy', room > (ROOMY + 8) * character);
        // An editor accepts no state effect while it measures.
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
