/** Draws the headings of the parts of a text in an editor. */
import { Extension, Range, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  DecorationSet,
  EditorView,
  WidgetType
} from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../parts/dom';
import type { ISourcePart } from './source-text';

/** Asks the kernel for the text of a file once more. */
export type Retry = (path: string) => void;

/** The heading above the first line of each file. */
class Heading extends WidgetType {
  constructor(
    private _part: ISourcePart,
    private _retry: Retry,
    private _trans: TranslationBundle
  ) {
    super();
  }

  override eq(other: Heading): boolean {
    return JSON.stringify(other._part) === JSON.stringify(this._part);
  }

  override toDOM(): HTMLElement {
    const { path, title, hint, missing, canRetry } = this._part;
    const node = element('div', 'jp-JaxprWide-heading', title);
    node.title = hint;
    if (missing) {
      const why = element('div', 'jp-JaxprWide-missing', missing);
      if (canRetry) {
        const button = element(
          'button',
          'jp-JaxprProgram-link',
          this._trans.__('Try again')
        );
        button.addEventListener('click', () => this._retry(path));
        why.append(' ', button);
      }
      node.append(why);
    }
    return node;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

/** Sets the parts of the text that the editor shows. */
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

/**
 * Draws the headings.
 * @param isTitled True if the title of the column names the first part: then the part has no heading.
 */
export function headings(
  retry: Retry,
  isTitled: boolean,
  trans: TranslationBundle
): Extension {
  return StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(set, transaction) {
      for (const effect of transaction.effects) {
        if (effect.is(setParts)) {
          const { doc } = transaction.state;
          const ranges: Range<Decoration>[] = [];
          effect.value.forEach((part, index) => {
            if (isTitled && index === 0 && part.missing === '') {
              return;
            }
            const after = part.first >= doc.lines;
            const line = doc.line(Math.min(part.first + 1, doc.lines));
            ranges.push(
              Decoration.widget({
                widget: new Heading(part, retry, trans),
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
}
