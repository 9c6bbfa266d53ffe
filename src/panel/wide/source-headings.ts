/**
 * The parts of a text come in as an effect; the editor's state keeps them, and their headings go out.
 */
import { Range, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';

import { element } from '../program/describe';
import type { ISourcePart } from './source-text';

/** Above the first line of each file. */
class Heading extends WidgetType {
  constructor(private _part: ISourcePart) {
    super();
  }

  override eq(other: Heading): boolean {
    return JSON.stringify(other._part) === JSON.stringify(this._part);
  }

  override toDOM(): HTMLElement {
    return headingOf(this._part);
  }
}

function headingOf({ title, hint, missing }: ISourcePart): HTMLElement {
  const node = element('div', 'jp-JaxprWide-heading', title);
  node.title = hint;
  if (missing) {
    node.append(element('div', 'jp-JaxprWide-missing', missing));
  }
  return node;
}

/** The parts of the text in the editor. */
export const setParts = StateEffect.define<readonly ISourcePart[]>();

export const partsField = StateField.define<readonly ISourcePart[]>({
  create: () => [],
  update(parts, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setParts)) {
        parts = effect.value;
      }
    }
    return parts;
  }
});

/** The title of the first part is that of the column. */
export const headings = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setParts)) {
        const { doc } = transaction.state;
        const ranges: Range<Decoration>[] = [];
        effect.value.forEach((part, index) => {
          if (index === 0 && part.missing === '') {
            return;
          }
          const after = part.first >= doc.lines;
          const line = doc.line(Math.min(part.first + 1, doc.lines));
          ranges.push(
            Decoration.widget({
              widget: new Heading(part),
              block: true,
              side: after ? index + 1 : -100 + index
            }).range(after ? line.to : line.from)
          );
        });
        set = Decoration.set(ranges, true);
      }
    }
    return set;
  },
  provide: field => EditorView.decorations.from(field)
});
