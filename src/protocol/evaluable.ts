/**
 * Marks text that may be evaluated, by who wrote it: the user, the kernel or this extension.
 *
 * A saved notebook may hold any text, and a kernel that evaluates a text runs the text as code. Therefore only an
 * `EvaluableText` can be sent to a kernel for evaluation or be put into a cell. Text of a saved notebook never becomes
 * an `EvaluableText`, because its document did not arrive from a kernel in a kernel life. README.md in this folder
 * lists the requests.
 */
import type { Snapshot } from './snapshot';

/**
 * The kernel life (from the kernel's start to its end or restart) in which each document arrived. A document from a
 * notebook has no life.
 */
const LIVES = new WeakMap<Snapshot, KernelLife>();

/**
 * The time from a page's first contact with a kernel until the kernel restarts, ends, or is exchanged. Only a channel
 * makes one.
 */
export class KernelLife {
  get isOver(): boolean {
    return this._isOver;
  }

  /** Ends the life: documents that the kernel has sent until now belong to an earlier life. */
  end(): void {
    this._isOver = true;
  }

  /** Records that a document has arrived from the kernel. */
  received(snapshot: Snapshot): void {
    LIVES.set(snapshot, this);
  }

  private _isOver = false;
}

/** The event of a text field that the user has changed. The events of React have these fields. */
export interface ITyping {
  readonly currentTarget: HTMLInputElement;
  readonly nativeEvent: Event;
}

/** Text that a kernel may evaluate. The class has a private field, so no cast can turn a string into such a text. */
export class EvaluableText {
  private constructor(text: string, life: KernelLife | null) {
    this.#text = text;
    this.#life = life;
  }

  /**
   * The text that the user has just typed into a field of this page.
   * @throws TypeError if the event is not an event of the field.
   */
  static typed({ currentTarget, nativeEvent }: ITyping): EvaluableText {
    const { target, type } = nativeEvent;
    if (target !== currentTarget || !['input', 'change'].includes(type)) {
      throw new TypeError('Not an event of a field that the user has changed');
    }
    return new EvaluableText(currentTarget.value, null);
  }

  /**
   * The text of a cell that the user writes in now. The caller has checked that the user trusts the cell.
   *
   * @param text The text of the cell.
   * @param sign The event of the key that the user pressed in the cell, or of the click on the command.
   * @throws TypeError if a script made the event.
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

  /**
   * A text that may be evaluated, of a document that a kernel sent; null if no kernel sent it, or the kernel has
   * ended or restarted.
   */
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

  /** The text as a plain string, which is only for the screen. */
  get shown(): string {
    return this.#text;
  }

  /** The text for a cell; null if the kernel that sent the text is gone. */
  get inCell(): string | null {
    return this.#life?.isOver === true ? null : this.#text;
  }

  /**
   * The text if the kernel of this life may evaluate it; null if another kernel sent the text, or the same kernel
   * before a restart.
   */
  evaluatedIn(life: KernelLife): string | null {
    const isAnothers = this.#life !== null && this.#life !== life;
    return isAnothers ? null : this.inCell;
  }

  /** The text without white space at its ends. */
  trimmed(): EvaluableText {
    return new EvaluableText(this.#text.trim(), this.#life);
  }

  /** The parts of the text between commas, without empty parts, each as an `EvaluableText`. */
  listed(): EvaluableText[] {
    return this.#text
      .split(',')
      .map(part => new EvaluableText(part.trim(), this.#life))
      .filter(part => part.#text !== '');
  }

  readonly #text: string;
  readonly #life: KernelLife | null;
}
