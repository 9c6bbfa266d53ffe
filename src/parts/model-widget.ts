/** The base of a React view that follows a model, and does nothing while it is hidden. */
import { ReactWidget } from '../host';
import { Message } from '@lumino/messaging';

import { IJaxprModel, ModelChange } from '../tokens';

export abstract class ModelWidget extends ReactWidget {
  /** @param _follows The kinds of changes of the model after which this view is redrawn. */
  constructor(private _follows: readonly ModelChange[]) {
    super();
  }

  get model(): IJaxprModel | null {
    return this._model;
  }

  set model(model: IJaxprModel | null) {
    if (model === this._model) {
      return;
    }
    this._model?.changed.disconnect(this._onChanged, this);
    this._model = model;
    model?.changed.connect(this._onChanged, this);
    this.update();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._model?.changed.disconnect(this._onChanged, this);
      this._model = null;
      super.dispose();
    }
  }

  protected override onUpdateRequest(message: Message): void {
    if (this.isVisible) {
      super.onUpdateRequest(message);
    }
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.update();
  }

  private _onChanged(_: unknown, change: ModelChange): void {
    if (this._follows.includes(change)) {
      this.update();
    }
  }

  private _model: IJaxprModel | null = null;
}
