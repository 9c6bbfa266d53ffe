/** Remembers the last key or press of the user in this page; what a script does is none. */

/** A key, a press or a click of the user. */
export interface ISign {
  readonly isTrusted: boolean;
}

const KINDS = ['keydown', 'pointerdown', 'pointerup', 'click'] as const;

/** The milliseconds from the user's sign to the command: a menu, a chord of two keys and the palette take less. */
const AT_MOST = 1000;

/** The signs of the user in a page. */
export class UsersSigns {
  /**
   * @param page Whose events are heard, before any other listener of the page hears them.
   */
  constructor(page: EventTarget) {
    for (const kind of KINDS) {
      page.addEventListener(kind, event => this._hear(event), {
        capture: true,
        passive: true
      });
    }
  }

  /** The sign that the user has just given; null without a sign, for example if an extension runs a command. */
  get latest(): ISign | null {
    return performance.now() - this._at <= AT_MOST ? this._sign : null;
  }

  /**
   * True while the page handles a key of the user's that takes a change back or makes it again: such a change reaches an
   * editor as a change of somebody else's does.
   */
  get undoes(): boolean {
    return this._undoes;
  }

  private _hear(event: Event): void {
    if (event.isTrusted) {
      this._sign = event;
      this._at = performance.now();
      if (isUndo(event)) {
        this._undoes = true;
        window.setTimeout(() => (this._undoes = false));
      }
    }
  }

  private _undoes = false;

  private _sign: ISign | null = null;
  private _at = -Infinity;
}

function isUndo(event: Event): boolean {
  return (
    event instanceof KeyboardEvent &&
    event.type === 'keydown' &&
    (event.ctrlKey || event.metaKey) &&
    /^[zy]$/i.test(event.key)
  );
}
