/**
 * Listens for the keys of a presentation wherever the keyboard focus is: a remote control sends Page Up and Page Down.
 */
import { KeyHandlers, dispatchKey } from '../view-keys';

const NOT_NOW = (): boolean => false;

export class RemoteControl {
  constructor(private _handlers: KeyHandlers<'presenting'>) {}

  start(): void {
    // The handler runs in the capture phase, before an editor scrolls by a page.
    window.addEventListener('keydown', this._goOn, true);
    // The handler runs in the bubble phase, after a dialog, a menu or an editor has used Escape for itself.
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
