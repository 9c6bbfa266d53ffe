/** Draws the values of a step at the end of a line; they are no part of the text. */
import { WidgetType } from '@codemirror/view';

export class StepSign extends WidgetType {
  constructor(
    private _text: string,
    private _title: string
  ) {
    super();
  }

  override eq(other: StepSign): boolean {
    return other._text === this._text && other._title === this._title;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-JaxprCell-step';
    this._fill(node);
    return node;
  }

  /** The next step writes into the same sign: nothing blinks while steps are played. */
  override updateDOM(node: HTMLElement): boolean {
    if (!node.classList.contains('jp-JaxprCell-step')) {
      return false;
    }
    this._fill(node);
    return true;
  }

  /** A click puts the caret there, as a click beside the text does. */
  override ignoreEvent(): boolean {
    return false;
  }

  private _fill(node: HTMLElement): void {
    // Read on request: who types hears the code alone.
    node.setAttribute('role', 'note');
    node.setAttribute('aria-label', this._title);
    node.title = this._title;
    // Drawn from the attribute: the text of the line stays the user's.
    node.dataset.jaxprStep = this._text;
  }
}
