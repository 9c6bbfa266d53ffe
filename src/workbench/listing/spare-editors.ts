/**
 * Keeps the editors of closed listings, empty, for the next listings.
 *
 * The CodeMirror of JupyterLab writes all its style rules into the page again whenever an editor is made or gets a
 * whole new state, and the browser then styles every editor of the page again (measured with a cell of 100 lines: 2,000
 * elements, 25 to 45 ms). A transaction that brings another text and other extensions does not do that.
 */
import { EditorState, Extension, StateEffect, Text } from '@codemirror/state';
import { EditorView, hoverTooltip } from '@codemirror/view';

/** The most editors that are kept: the panel shows one text, the wide view one for each level. */
const MOST_KEPT = 4;

/**
 * The extension of an empty editor. It has the style rules of a listing's extensions: with a change of its rules, an
 * editor writes all rules again.
 */
const EMPTY: Extension = hoverTooltip(() => null);

const spareEditors: EditorView[] = [];

/** Return an editor that shows a text; its element is in no document. */
export function takeEditor(
  root: Document | ShadowRoot,
  doc: Text,
  extensions: Extension
): EditorView {
  // An editor cannot leave a shadow tree, whose styles are its own.
  const view = root === document ? spareEditors.pop() : undefined;
  if (view === undefined) {
    return new EditorView({
      root,
      state: EditorState.create({ doc, extensions })
    });
  }
  const filled = view.state.update({
    changes: { from: 0, insert: doc },
    selection: { anchor: 0 }
  });
  // The extensions are set after the text, because their state fields are computed from the text when they are created.
  const configured = filled.state.update({
    effects: StateEffect.reconfigure.of(extensions)
  });
  view.update([filled, configured]);
  return view;
}

/**
 * Empty an editor and keep it for the next listing, or destroy it.
 *
 * JupyterLab keeps the last key event, and so the editor's element; an empty editor does not hold the text.
 */
export function giveBackEditor(view: EditorView): void {
  if (view.root !== document || spareEditors.length >= MOST_KEPT) {
    view.setState(EditorState.create());
    view.destroy();
    return;
  }
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length },
    effects: StateEffect.reconfigure.of(EMPTY)
  });
  view.dom.remove();
  spareEditors.push(view);
}
