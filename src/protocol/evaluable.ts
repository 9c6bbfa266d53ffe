/**
 * Marks text that may be evaluated, by who wrote it: the user, the kernel or this extension.
 *
 * A saved notebook may hold any text, and a kernel that evaluates text runs it. So text reaches a kernel to be
 * evaluated, or a cell to be run by the user, as an `EvaluableText` only, and a text of a saved notebook can never
 * become one: what the channel did not receive has no life. README.md, beside, lists the requests.
 */
import type { Snapshot } from './snapshot';

/** The lives in which documents came. A document that was read from a notebook is in none. */
const LIVES = new WeakMap<Snapshot, KernelLife>();

/** From when a page first hears a kernel until that kernel restarts, ends, or is left. Only a channel makes one. */
export class KernelLife {
  get isOver(): boolean {
    return this._isOver;
  }

  /** What the kernel sent until now is of an earlier life from now on. */
  end(): void {
    this._isOver = true;
  }

  /** A document has come from the kernel. */
  received(snapshot: Snapshot): void {
    LIVES.set(snapshot, this);
  }

  private _isOver = false;
}

/** What a text field says when the user has changed it; an event of React fits. */
export interface ITyping {
  readonly currentTarget: HTMLInputElement;
  readonly nativeEvent: Event;
}

/** Text that a kernel may evaluate. A class with a private field: no cast makes one of a string. */
export class EvaluableText {
  private constructor(text: string, life: KernelLife | null) {
    this.#text = text;
    this.#life = life;
  }

  /**
   * What the user has just typed into a field of this page.
   *
   * @throws TypeError where the event is not one of the field.
   */
  static typed({ currentTarget, nativeEvent }: ITyping): EvaluableText {
    const { target, type } = nativeEvent;
    if (target !== currentTarget || !['input', 'change'].includes(type)) {
      throw new TypeError('Not an event of a field that the user has changed');
    }
    return new EvaluableText(currentTarget.value, null);
  }

  /**
   * The text of a cell that the user writes in now; the caller has seen that the user trusts the cell.
   *
   * @param text Of the cell.
   * @param sign The key that the user pressed in the cell, or the click on the command.
   * @throws TypeError where no user made the event.
   */
  static written(
    text: string,
    sign: { readonly isTrusted: boolean }
  ): EvaluableText {
    if (!sign.isTrusted) {
      throw new TypeError('Not an event of the user');
    }
    return new EvaluableText(text, null);
  }

  /** A text of a document that a kernel has sent; null where the document is of no kernel, or its life is over. */
  static sent(
    snapshot: Snapshot,
    read: (snapshot: Snapshot) => string | null
  ): EvaluableText | null {
    const life = LIVES.get(snapshot);
    const text = life === undefined || life.isOver ? null : read(snapshot);
    return text === null || life === undefined
      ? null
      : new EvaluableText(text, life);
  }

  /** A text that stands in the source of this extension, such as EvaluableText.ours`%load_ext jupyter_jaxpr`. */
  static ours(literal: TemplateStringsArray): EvaluableText {
    return new EvaluableText(literal[0], null);
  }

  /** To be shown. */
  get shown(): string {
    return this.#text;
  }

  /** To be put in a cell; null where the kernel that sent it is gone. */
  get inCell(): string | null {
    return this.#life?.isOver === true ? null : this.#text;
  }

  /** To be evaluated by the kernel of a life; null where another one sent it. */
  evaluatedIn(life: KernelLife): string | null {
    const isAnothers = this.#life !== null && this.#life !== life;
    return isAnothers ? null : this.inCell;
  }

  /** Without white space around it. */
  trimmed(): EvaluableText {
    return new EvaluableText(this.#text.trim(), this.#life);
  }

  /** What stands between commas; nothing that is empty. */
  listed(): EvaluableText[] {
    return this.#text
      .split(',')
      .map(part => new EvaluableText(part.trim(), this.#life))
      .filter(part => part.#text !== '');
  }

  readonly #text: string;
  readonly #life: KernelLife | null;
}
