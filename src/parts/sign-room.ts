/** Tells the style sheet how wide the visible text of an editor is, so that signs at the ends of lines fit beside code. */
import { EditorView, ViewPlugin } from '@codemirror/view';

export const signRoom = ViewPlugin.define(view => {
  const key = {};
  const measure = (): void =>
    view.requestMeasure({
      key,
      read: ({ scrollDOM, contentDOM, defaultCharacterWidth }) => ({
        room: scrollDOM.clientWidth - contentDOM.offsetLeft,
        character: defaultCharacterWidth
      }),
      write: ({ room, character }, { dom }: EditorView) => {
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
