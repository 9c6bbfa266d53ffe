/** Draws signs at the end of a line, which are no part of the text. */
import { WidgetType } from '@codemirror/view';

/** A number with its noun, such as `1 compile`. */
export interface ILineCount {
  kind: 'calls' | 'compiles' | 'hits' | 'cost';
  text: string;
}

/** The class of what is of a text that ran and is not here any more. */
const CHANGED = 'jp-mod-changed';

/** Shown at the right of a line that calls jitted functions. */
export class LineCounts extends WidgetType {
  constructor(
    private _parts: readonly ILineCount[],
    private _isChanged: boolean
  ) {
    super();
  }

  override eq(other: LineCounts): boolean {
    return (
      other._isChanged === this._isChanged &&
      JSON.stringify(other._parts) === JSON.stringify(this._parts)
    );
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-JaxprCell-counts';
    node.classList.toggle(CHANGED, this._isChanged);
    node.setAttribute('role', 'img');
    node.setAttribute(
      'aria-label',
      this._parts.map(({ text }) => text).join(', ')
    );
    for (const { kind, text } of this._parts) {
      const part = document.createElement('span');
      part.className = `jp-JaxprCell-count jp-mod-${kind}`;
      part.textContent = text;
      node.append(part);
    }
    return node;
  }

  /** A press leads to the calls, or to the cost. */
  override ignoreEvent(): boolean {
    return false;
  }
}

/** Shown behind names that had traced values. */
export class LineTypes extends WidgetType {
  constructor(
    private _text: string,
    private _title: string,
    private _isChanged: boolean
  ) {
    super();
  }

  override eq(other: LineTypes): boolean {
    return (
      other._text === this._text &&
      other._title === this._title &&
      other._isChanged === this._isChanged
    );
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-JaxprCell-types';
    node.classList.toggle(CHANGED, this._isChanged);
    // Read on request: who types hears the code alone.
    node.setAttribute('role', 'note');
    node.setAttribute('aria-label', this._title);
    node.title = this._title;
    // Drawn from the attribute: the text of the line stays the user's.
    node.dataset.jaxprTypes = this._text;
    return node;
  }

  /** A click on the types puts the caret there, as a click beside the text does. */
  override ignoreEvent(): boolean {
    return false;
  }
}

/** Shown at the end of a line that has a note. */
export class NoteSign extends WidgetType {
  constructor(
    private _text: string,
    private _isChanged: boolean
  ) {
    super();
  }

  override eq(other: NoteSign): boolean {
    return other._text === this._text && other._isChanged === this._isChanged;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-JaxprCell-note';
    node.classList.toggle(CHANGED, this._isChanged);
    node.setAttribute('role', 'img');
    node.setAttribute('aria-label', this._text);
    node.title = this._text;
    return node;
  }

  /** A press leads to the note. */
  override ignoreEvent(): boolean {
    return false;
  }
}
