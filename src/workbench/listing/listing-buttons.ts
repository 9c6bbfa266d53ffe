/** Draws buttons inside a line, which tell the listing's view. */
import { EditorView, WidgetType } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import type { IListedFold, IListedLine, IListing, ITag } from './listing';

/** What buttons and decorations ask of the view they are in. */
export interface IListingHost {
  readonly listing: IListing;
  readonly trans: TranslationBundle;
  /** Open the chips of the line at this place. */
  openChipsAt(at: number): void;
  /** What can be folded from a line on, the outer one first. */
  foldsAt(index: number): readonly IListedFold[];
  toggle(fold: IListedFold): void;
  /** A line that stands for more was seen or pressed. */
  more(index: number): void;
  goTo(index: number): void;
}

/** Something in the text that acts when it is pressed. */
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

/** Stands for a part of a line until it is opened. */
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

/** Folds and unfolds. */
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

/** Stands for what is still in the kernel. */
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

/** Leads to another line. */
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

/** A word beside the text; it is not copied with it. */
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

  /** A click on the word is a click on its line. */
  override ignoreEvent(): boolean {
    return false;
  }
}
