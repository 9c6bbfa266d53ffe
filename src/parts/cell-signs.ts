/** Draws signs at the end of a line of code; a sign is not part of the text. */
import { WidgetType } from '@codemirror/view';

/** A count with its noun, such as `1 compile`. */
export interface ILineCount {
  kind: 'calls' | 'compiles' | 'hits' | 'cost';
  text: string;
}

/** The CSS class of a sign whose line was edited since the cell ran. */
const CHANGED = 'jp-mod-changed';

/** Counts at the end of a line that calls jitted functions. */
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

  /** The editor handles a press on the counts, and then shows the calls or the cost. */
  override ignoreEvent(): boolean {
    return false;
  }
}

/**
 * The types of names that held traced arrays: directly after a name, or at the end of a line before other signs.
 *
 * At the end of a line without other signs, `types-at-line-ends.ts` draws the types.
 */
export class TypesSign extends WidgetType {
  /**
   * @param _isShort True if the types fit beside the code in a roomy editor, so that the browser need not clip them.
   */
  constructor(
    private _text: string,
    private _title: string,
    private _isChanged: boolean,
    private _isShort: boolean
  ) {
    super();
  }

  override eq(other: TypesSign): boolean {
    return (
      other._text === this._text &&
      other._title === this._title &&
      other._isChanged === this._isChanged &&
      other._isShort === this._isShort
    );
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'jp-JaxprCell-types';
    node.classList.toggle(CHANGED, this._isChanged);
    node.classList.toggle('jp-mod-short', this._isShort);
    // A note is read on request only, so a screen reader reads only the code while the user types.
    node.setAttribute('role', 'note');
    node.setAttribute('aria-label', this._title);
    node.title = this._title;
    // CSS draws the types from the attribute, so that the text of the line stays the user's.
    node.dataset.jaxprTypes = this._text;
    return node;
  }

  /** The editor handles a click on the types as it handles a click beside the text: the caret moves. */
  override ignoreEvent(): boolean {
    return false;
  }
}

/** The sign at the end of a line that has a note. */
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

  /** The editor handles a press on the sign, and then shows the note. */
  override ignoreEvent(): boolean {
    return false;
  }
}
