/** Tells the style sheet how wide the visible text of an editor is, so that signs at the ends of lines fit beside code. */
import { EditorView, ViewPlugin } from '@codemirror/view';

export const signRoom = ViewPlugin.define(view => {
  const key = {};
  let before = '';
  const measure = (): void =>
    view.requestMeasure({
      key,
      read: ({ scrollDOM, contentDOM, defaultCharacterWidth }) => ({
        room: scrollDOM.clientWidth - contentDOM.offsetLeft,
        character: defaultCharacterWidth
      }),
      write: ({ room, character }, { dom }: EditorView) => {
        // A style that is set again makes the browser look at the whole editor again.
        if (before === `${room} ${character}`) {
          return;
        }
        before = `${room} ${character}`;
        dom.style.setProperty('--jjx-room', `${room}px`);
        dom.style.setProperty('--jjx-character', `${character}px`);
      }
    });
  measure();
  return {
    update: ({ geometryChanged }) => {
      if (geometryChanged) {
        measure();
      }
    }
  };
});
