/**
 * Keeps the editors of closed listings, empty, for the next listings.
 *
 * The CodeMirror of JupyterLab writes all its style rules into the page again whenever an editor is made or gets a
 * whole new state, and the browser then styles every editor of the page again (measured with a cell of 100 lines: 2,000
 * elements, 25 to 45 ms). A transaction that brings another text and other extensions does not do that.
 */
import {
  ChangeSpec,
  EditorState,
  Extension,
  StateEffect,
  Text
} from '@codemirror/state';
import { EditorView, hoverTooltip } from '@codemirror/view';

/** The most editors that are kept: the panel shows one text, the wide view one for each level. */
const MOST_KEPT = 4;

/**
 * The extension of an empty editor. It has the style rules of a listing's extensions: with a change of its rules, an
 * editor writes all rules again.
 */
const EMPTY: Extension = hoverTooltip(() => null);

const spareEditors: EditorView[] = [];

/**
 * Return an editor that shows a text.
 *
 * @param before The editor of a listing that this text replaces, with its text and in its place on the page: the lines
 * that both texts have keep their elements. Without it, the editor's element is in no document.
 */
export function takeEditor(
  root: Document | ShadowRoot,
  doc: Text,
  extensions: Extension,
  before: EditorView | null
): EditorView {
  // An editor cannot leave a shadow tree, whose styles are its own.
  const view =
    before ?? (root === document ? spareEditors.pop() : undefined) ?? null;
  if (view === null) {
    return new EditorView({
      root,
      state: EditorState.create({ doc, extensions })
    });
  }
  // The fields of the listing before end with its extensions: the next listing does not inherit marks or open chips.
  const filled = view.state.update({
    changes: changedPart(view.state.doc, doc),
    selection: { anchor: 0 },
    effects: StateEffect.reconfigure.of(EMPTY)
  });
  // The extensions are set after the text, because their state fields are computed from the text when they are created.
  const configured = filled.state.update({
    effects: StateEffect.reconfigure.of(extensions)
  });
  view.update([filled, configured]);
  return view;
}

/** The change from one text to another, without the lines that both have at their start and at their end. */
function changedPart(before: Text, after: Text): ChangeSpec {
  const fewer = Math.min(before.lines, after.lines);
  const linesBefore = before.iterLines();
  const linesAfter = after.iterLines();
  let start = 0;
  while (
    start < fewer &&
    linesBefore.next().value === linesAfter.next().value
  ) {
    start++;
  }
  if (start === before.lines && start === after.lines) {
    return [];
  }
  let end = 0;
  while (
    end < fewer - start &&
    before.line(before.lines - end).text === after.line(after.lines - end).text
  ) {
    end++;
  }
  const partOf = (text: Text): [number, number] => {
    if (start > 0) {
      return [text.line(start).to, text.line(text.lines - end).to];
    }
    return [0, end > 0 ? text.line(text.lines - end + 1).from : text.length];
  };
  const [from, to] = partOf(before);
  return { from, to, insert: after.slice(...partOf(after)) };
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
