/** Draws the buttons inside a line; they report to the listing's view. */
import { Facet } from '@codemirror/state';
import { EditorView, WidgetType } from '@codemirror/view';
import { TranslationBundle } from '@jupyterlab/translation';

import type {
  IConstruct,
  IListedFold,
  IListedLine,
  IListing,
  ITag
} from './listing';

/** The functions that buttons and decorations call in their view. */
export interface IListingHost {
  readonly listing: IListing;
  readonly trans: TranslationBundle;
  /** Open the chips of the line at this position. */
  openChipsAt(at: number): void;
  /** The folds that can close from a line on, the outer fold first. */
  foldsAt(index: number): readonly IListedFold[];
  toggle(fold: IListedFold): void;
  /** Requests the missing lines, because the line that stands for them was scrolled into view or pressed. */
  more(index: number): void;
  goTo(index: number): void;
  /** The construct of a line whose steps the view can show; null for none. */
  constructAt(index: number): IConstruct | null;
  showSteps(construct: IConstruct): void;
}

/**
 * The host of the listing that an editor shows now.
 *
 * A button asks the editor for the host when the user presses the button: if another listing has the same button at the
 * same place, the editor keeps the button's element.
 */
export const listingHost = Facet.define<IListingHost, IListingHost | null>({
  combine: hosts => hosts[0] ?? null
});

/** A widget in the text that acts when the user presses it. */
abstract class Button extends WidgetType {
  protected button(
    view: EditorView,
    className: string,
    text: string,
    label: string,
    act: (host: IListingHost, node: HTMLElement) => void,
    title = label
  ): HTMLElement {
    const node = document.createElement('span');
    node.className = className;
    node.setAttribute('role', 'button');
    node.setAttribute('aria-label', label);
    node.title = title;
    node.textContent = text;
    node.addEventListener('mousedown', event => {
      event.preventDefault();
      const host = view.state.facet(listingHost);
      if (host) {
        act(host, node);
      }
    });
    return node;
  }
}

/** Stands for a shortened part of a line until the reader opens the part. */
export class Chip extends Button {
  /**
   * @param _label The text of the chip.
   * @param _name The name of the button for a screen reader.
   * @param _hidden The text that the chip stands for; the tooltip shows this text.
   */
  constructor(
    private _label: string,
    private _name: string,
    private _hidden: string
  ) {
    super();
  }

  override eq(other: Chip): boolean {
    return (
      other._label === this._label &&
      other._name === this._name &&
      other._hidden === this._hidden
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    return this.button(
      view,
      'jp-JaxprProgram-chip',
      this._label,
      this._name,
      (host, node) => host.openChipsAt(view.posAtDOM(node)),
      this._hidden
    );
  }
}

/** The button that folds and unfolds lines. */
export class Marker extends Button {
  constructor(
    private _fold: IListedFold,
    private _closed: boolean,
    private _title: string
  ) {
    super();
  }

  override eq(other: Marker): boolean {
    return (
      isSameFold(other._fold, this._fold) &&
      other._closed === this._closed &&
      other._title === this._title
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    const node = this.button(
      view,
      'jp-JaxprProgram-marker',
      '',
      this._title,
      host => {
        const folds = host.foldsAt(this._fold.first);
        host.toggle(
          folds.find(fold => isSameFold(fold, this._fold)) ?? this._fold
        );
      }
    );
    node.setAttribute('aria-expanded', String(!this._closed));
    return node;
  }
}

/** Return whether two folds close the same lines; the folds may belong to different listings. */
function isSameFold(a: IListedFold, b: IListedFold): boolean {
  return (
    a.first === b.first &&
    a.last === b.last &&
    a.whole === b.whole &&
    (a.inner === undefined) === (b.inner === undefined)
  );
}

/** Stands for lines that are still in the kernel. */
export class MoreButton extends Button {
  constructor(private _label: string) {
    super();
  }

  override eq(other: MoreButton): boolean {
    return other._label === this._label;
  }

  override toDOM(view: EditorView): HTMLElement {
    return this.button(
      view,
      'jp-JaxprProgram-more',
      this._label,
      this._label,
      (host, node) =>
        host.more(view.state.doc.lineAt(view.posAtDOM(node)).number - 1)
    );
  }
}

/** The button that leads to another line. */
export class Reference extends Button {
  constructor(private _reference: NonNullable<IListedLine['reference']>) {
    super();
  }

  override eq(other: Reference): boolean {
    return (
      other._reference.text === this._reference.text &&
      other._reference.line === this._reference.line &&
      other._reference.title === this._reference.title
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    return this.button(
      view,
      'jp-JaxprProgram-reference',
      this._reference.text,
      this._reference.title,
      host => host.goTo(this._reference.line)
    );
  }
}

/** The button that records the steps of a control-flow construct and shows them. */
export class StepsButton extends Button {
  constructor(
    private _construct: IConstruct,
    private _label: string,
    private _title: string
  ) {
    super();
  }

  override eq(other: StepsButton): boolean {
    return (
      other._construct.control === this._construct.control &&
      other._label === this._label &&
      other._title === this._title
    );
  }

  override toDOM(view: EditorView): HTMLElement {
    return this.button(
      view,
      'jp-JaxprProgram-steps',
      this._label,
      this._title,
      host => host.showSteps(this._construct)
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
