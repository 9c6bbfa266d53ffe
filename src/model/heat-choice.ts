/** Remembers across sessions whether the user wants to see the cost beside lines and equations. */
import { ISignal, Signal } from '@lumino/signaling';

const KEY = 'jupyter-jaxpr:heat';

class HeatChoice {
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get shown(): boolean {
    this._shown ??= read();
    return this._shown;
  }

  set shown(shown: boolean) {
    if (shown !== this.shown) {
      this._shown = shown;
      write(shown);
      this._changed.emit();
    }
  }

  private _shown: boolean | null = null;
  private _changed = new Signal<this, void>(this);
}

// Browser storage may be forbidden; then the choice lasts until the page is closed.
function read(): boolean {
  try {
    return window.localStorage.getItem(KEY) === 'shown';
  } catch {
    return false;
  }
}

function write(shown: boolean): void {
  try {
    if (shown) {
      window.localStorage.setItem(KEY, 'shown');
    } else {
      window.localStorage.removeItem(KEY);
    }
  } catch {
    // The browser forbids its storage: then the choice ends with the page.
  }
}

/** The choice of heat, which all notebooks of the page share: all show heat, or none does. */
export const heatChoice = new HeatChoice();
