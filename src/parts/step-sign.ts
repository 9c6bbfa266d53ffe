/** Draws the values of a step at the end of a line; they are not part of the text. */
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

  /** The same element gets the values of the next step, so that nothing flickers while the steps are played. */
  override updateDOM(node: HTMLElement): boolean {
    if (!node.classList.contains('jp-JaxprCell-step')) {
      return false;
    }
    this._fill(node);
    return true;
  }

  /** A click on the values moves the caret, as a click beside the text does. */
  override ignoreEvent(): boolean {
    return false;
  }

  private _fill(node: HTMLElement): void {
    // A note is read on request only, so a screen reader reads only the code while the user types.
    node.setAttribute('role', 'note');
    node.setAttribute('aria-label', this._title);
    node.title = this._title;
    // CSS draws the values from the attribute, so that the text of the line stays the user's.
    node.dataset.jaxprStep = this._text;
  }
}
