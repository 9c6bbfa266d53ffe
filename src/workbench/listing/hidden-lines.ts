/**
 * Hides noise lines in an editor and marks each gap.
 *
 * A line that the user chooses in another way (a link, a search, a definition) is shown although it is noise. Inside a
 * closed fold nothing more is hidden, so that two replacements never overlap.
 */
import {
  EditorState,
  Extension,
  RangeSetBuilder,
  StateEffect,
  StateField,
  Text
} from '@codemirror/state';
import {
  BlockInfo,
  BlockType,
  Decoration,
  DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';

import { closedFolds, closedLines } from './folding';

/** The hidden lines: lines with a bit of `mask`, except the lines in `shown`. */
export interface IHidden {
  bits: Uint8Array;
  mask: number;
  shown: ReadonlySet<number>;
}

const NOTHING: IHidden = {
  bits: new Uint8Array(0),
  mask: 0,
  shown: new Set()
};

/** Hide other lines; lines that were shown as exceptions are hidden again. */
export const setHidden = StateEffect.define<{
  bits: Uint8Array;
  mask: number;
}>();
/** Show some lines although they are noise. */
export const showLines = StateEffect.define<readonly number[]>();

export const hiddenLines = StateField.define<IHidden>({
  create: () => NOTHING,
  update(value, transaction) {
    if (transaction.docChanged) {
      // The text has changed, so the old line numbers are wrong; the same transaction also sets the new hidden lines.
      value = NOTHING;
    }
    for (const effect of transaction.effects) {
      if (effect.is(setHidden)) {
        value = { ...effect.value, shown: new Set() };
      } else if (effect.is(showLines)) {
        value = withShown(value, effect.value);
      }
    }
    if (transaction.selection && value.mask !== 0) {
      const { newDoc, newSelection } = transaction;
      const { from, head, empty } = newSelection.main;
      if (empty || newDoc.lineAt(from).to >= head) {
        value = withShown(value, [newDoc.lineAt(head).number - 1]);
      }
    }
    return value;
  }
});

function withShown(value: IHidden, lines: readonly number[]): IHidden {
  const added = lines.filter(line => isHidden(value, line));
  return added.length === 0
    ? value
    : { ...value, shown: new Set([...value.shown, ...added]) };
}

/** True if a line is noise and hidden. */
export function isHidden(
  { bits, mask, shown }: IHidden,
  line: number
): boolean {
  return (bits[line] & mask) !== 0 && !shown.has(line);
}

/** The widget in the place of hidden lines. */
class Gap extends WidgetType {
  override eq(): boolean {
    return true;
  }

  override get estimatedHeight(): number {
    return 5;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('div');
    node.className = 'jp-JaxprProgram-gap';
    node.setAttribute('aria-hidden', 'true');
    return node;
  }
}

const GAP = Decoration.replace({ widget: new Gap(), block: true });

function decorate(state: EditorState): DecorationSet {
  const hidden = state.field(hiddenLines);
  const { bits, mask } = hidden;
  if (mask === 0) {
    return Decoration.none;
  }
  const { doc } = state;
  const builder = new RangeSetBuilder<Decoration>();
  const folds = closedLines(state);
  let fold = 0;
  for (let line = 0; line < bits.length; line++) {
    while (fold < folds.length && folds[fold].last < line) {
      fold++;
    }
    if (fold < folds.length && folds[fold].first <= line) {
      line = folds[fold].last;
      continue;
    }
    if ((bits[line] & mask) === 0 || hidden.shown.has(line)) {
      continue;
    }
    const end = fold < folds.length ? folds[fold].first : bits.length;
    let last = line;
    while (last + 1 < end && isHidden(hidden, last + 1)) {
      last++;
    }
    add(builder, doc, line, last);
    line = last;
  }
  return builder.finish();
}

function add(
  builder: RangeSetBuilder<Decoration>,
  doc: Text,
  first: number,
  last: number
): void {
  builder.add(doc.line(first + 1).from, doc.line(last + 1).to, GAP);
}

/** True if a block on screen stands for hidden lines. */
export function isGap(block: BlockInfo): boolean {
  return block.type === BlockType.WidgetRange;
}

/** The extension that hides lines; it needs the folding extension. */
export const hiding: Extension = [
  hiddenLines,
  EditorView.decorations.compute([closedFolds, hiddenLines, 'doc'], decorate)
];
