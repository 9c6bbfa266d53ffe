/** Listens for the keys of a presentation wherever the keyboard is: a remote control sends Page Up and Page Down. */
import { KeyHandlers, dispatchKey } from './key-table';

const NOT_NOW = (): boolean => false;

export class PresentingKeys {
  constructor(private _handlers: KeyHandlers<'presenting'>) {}

  start(): void {
    // Before an editor scrolls by a page.
    window.addEventListener('keydown', this._goOn, true);
    // After what Escape closes or leaves first: a dialog, a menu, an editor.
    document.addEventListener('keydown', this._end);
  }

  stop(): void {
    window.removeEventListener('keydown', this._goOn, true);
    document.removeEventListener('keydown', this._end);
  }

  private _goOn = (event: KeyboardEvent): void => {
    dispatchKey(event, 'presenting', { ...this._handlers, end: NOT_NOW });
  };

  private _end = (event: KeyboardEvent): void => {
    dispatchKey(event, 'presenting', {
      ...this._handlers,
      next: NOT_NOW,
      previous: NOT_NOW
    });
  };
}
