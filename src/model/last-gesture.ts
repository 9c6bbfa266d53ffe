/** Remembers the user's last key press or click in this page; events that a script makes are ignored. */

/** A key press or a click of the user. */
export interface ISign {
  readonly isTrusted: boolean;
}

const KINDS = ['keydown', 'pointerdown', 'pointerup', 'click'] as const;

/** The most milliseconds between a gesture of the user and the command that it causes. */
const AT_MOST = 1000;

/** The last gesture of the user in a page. */
export class UsersSigns {
  /** @param page The event target whose events are observed, before any other listener. */
  constructor(page: EventTarget) {
    for (const kind of KINDS) {
      page.addEventListener(kind, event => this._hear(event), {
        capture: true,
        passive: true
      });
    }
  }

  /** The gesture that the user has just made; null if there was none, for example if an extension runs a command. */
  get latest(): ISign | null {
    return performance.now() - this._at <= AT_MOST ? this._sign : null;
  }

  /**
   * True while the page handles a key of the user for undo or redo: an editor reports the change by this key as a
   * change by other code.
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
