/** Remembers whether the user wants to see types beside the code, and where. */
import { ISignal, Signal } from '@lumino/signaling';

class TypesChoice {
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get shown(): boolean {
    return this._shown;
  }

  /** True if the types stand after their names, false if they stand at the ends of the lines. */
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

/** The choice of types beside the code, which all notebooks of the page share; the settings store the choice. */
export const typesChoice = new TypesChoice();
