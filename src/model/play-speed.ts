/** Remembers across sessions how fast the stepper plays. */
import { ISignal, Signal } from '@lumino/signaling';

const KEY = 'jupyter-jaxpr:play-speed';

/** Steps per second; at speed 0, every recording takes the same time. */
export const SPEEDS = [0, 1, 2, 5, 10, 25] as const;
export type Speed = (typeof SPEEDS)[number];

class PlaySpeed {
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get speed(): Speed {
    this._speed ??= read();
    return this._speed;
  }

  set speed(speed: Speed) {
    if (speed !== this.speed) {
      this._speed = speed;
      write(speed);
      this._changed.emit();
    }
  }

  private _speed: Speed | null = null;
  private _changed = new Signal<this, void>(this);
}

// Browser storage may be forbidden; then the speed lasts until the page is closed.
function read(): Speed {
  try {
    const kept = Number(window.localStorage.getItem(KEY));
    return SPEEDS.find(speed => speed === kept) ?? 0;
  } catch {
    return 0;
  }
}

function write(speed: Speed): void {
  try {
    window.localStorage.setItem(KEY, String(speed));
  } catch {
    // The browser forbids its storage: then the speed ends with the page.
  }
}

/** The speed at which all steppers of the page play. */
export const playSpeed = new PlaySpeed();
