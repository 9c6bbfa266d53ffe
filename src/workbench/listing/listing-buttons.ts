/** Draws the buttons inside a line; they report to the listing's view. */
import { EditorView, WidgetType } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import type { IListedFold, IListedLine, IListing, ITag } from './listing';

/** The functions that buttons and decorations call in their view. */
export interface IListingHost {
  readonly listing: IListing;
  readonly trans: TranslationBundle;
  /** Open the chips of the line at this position. */
  openChipsAt(at: number): void;
  /** The folds that can close from a line on, the outer fold first. */
  foldsAt(index: number): readonly IListedFold[];
  toggle(fold: IListedFold): void;
  /** A line that stands for missing lines was scrolled into view or pressed. */
  more(index: number): void;
  goTo(index: number): void;
}

/** A widget in the text that acts when the user presses it. */
abstract class Button extends WidgetType {
  constructor(protected owner: IListingHost) {
    super();
  }

  protected button(
    className: string,
    text: string,
    label: string,
    act: (view: EditorView, node: HTMLElement) => void,
    view: EditorView
  ): HTMLElement {
    const node = document.createElement('span');
    node.className = className;
    node.setAttribute('role', 'button');
    node.setAttribute('aria-label', label);
    node.title = label;
    node.textContent = text;
    node.addEventListener('mousedown', event => {
      event.preventDefault();
      act(view, node);
    });
    return node;
  }
}

/** Stands for a shortened part of a line until the reader opens the part. */
export class Chip extends Button {
  constructor(
    owner: IListingHost,
    private _label: string
  ) {
    super(owner);
  }

  override eq(other: Chip): boolean {
    return other._label === this._label;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { trans } = this.owner;
    return this.button(
      'jp-JaxprProgram-chip',
      this._label,
      trans.__('%1: show all', this._label),
      (_, node) => this.owner.openChipsAt(view.posAtDOM(node)),
      view
    );
  }
}

/** The button that folds and unfolds lines. */
export class Marker extends Button {
  constructor(
    owner: IListingHost,
    private _fold: IListedFold,
    private _closed: boolean
  ) {
    super(owner);
  }

  override eq(other: Marker): boolean {
    return other._fold === this._fold && other._closed === this._closed;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { trans } = this.owner;
    const node = this.button(
      'jp-JaxprProgram-marker',
      '',
      this._closed
        ? trans.__('Unfold %1', this._fold.label)
        : trans.__('Fold %1', this._fold.label),
      () => this.owner.toggle(this._fold),
      view
    );
    node.setAttribute('aria-expanded', String(!this._closed));
    return node;
  }
}

/** Stands for lines that are still in the kernel. */
export class MoreButton extends Button {
  constructor(
    owner: IListingHost,
    private _label: string
  ) {
    super(owner);
  }

  override eq(other: MoreButton): boolean {
    return other._label === this._label;
  }

  override toDOM(view: EditorView): HTMLElement {
    return this.button(
      'jp-JaxprProgram-more',
      this._label,
      this._label,
      (_, node) =>
        this.owner.more(view.state.doc.lineAt(view.posAtDOM(node)).number - 1),
      view
    );
  }
}

/** The button that leads to another line. */
export class Reference extends Button {
  constructor(
    owner: IListingHost,
    private _reference: NonNullable<IListedLine['reference']>
  ) {
    super(owner);
  }

  override eq(other: Reference): boolean {
    return (
      other._reference.text === this._reference.text &&
      other._reference.line === this._reference.line
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    return this.button(
      'jp-JaxprProgram-reference',
      this._reference.text,
      this._reference.title,
      () => this.owner.goTo(this._reference.line),
      view
    );
  }
}

/** A word beside the text; a copy of the text leaves it out. */
export class Tag extends WidgetType {
  constructor(private _tag: ITag) {
    super();
  }

  override eq({ _tag: other }: Tag): boolean {
    return other.text === this._tag.text && other.title === this._tag.title;
  }

  override toDOM(): HTMLElement {
    const { text, title, kind } = this._tag;
    const node = document.createElement('span');
    node.className = `jp-JaxprProgram-tag jp-mod-${kind}`;
    node.title = title;
    node.textContent = text;
    return node;
  }

  /** A click on the word counts as a click on the line. */
  override ignoreEvent(): boolean {
    return false;
  }
}
