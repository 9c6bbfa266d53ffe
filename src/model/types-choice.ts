/** Remembers whether and where the user wants to see types beside the code. */
import { ISignal, Signal } from '@lumino/signaling';

class TypesChoice {
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get shown(): boolean {
    return this._shown;
  }

  /** Whether the types stand after their names; else at the ends of the lines. */
  get afterNames(): boolean {
    return this._afterNames;
  }

  set(shown: boolean, afterNames: boolean): void {
    if (shown !== this._shown || afterNames !== this._afterNames) {
      this._shown = shown;
      this._afterNames = afterNames;
      this._changed.emit();
    }
  }

  private _shown = true;
  private _afterNames = false;
  private _changed = new Signal<this, void>(this);
}

/** One for the page; the settings keep the choice. */
export const typesChoice = new TypesChoice();
