/** A view that says when it is on the screen, so that cells are marked for what the user looks at. */
import { Message } from '@lumino/messaging';

import { Attention, attentionOf } from '../model/attention';
import { ModelWidget } from './model-widget';

export abstract class AttentiveWidget extends ModelWidget {
  override dispose(): void {
    this._leave();
    super.dispose();
  }

  /** Say whether this view is seen; called after each drawing, and when it is hidden or taken away. */
  protected abstract attend(attention: Attention, isSeen: boolean): void;

  protected override onUpdateRequest(message: Message): void {
    super.onUpdateRequest(message);
    this._tell();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._tell();
  }

  protected override onBeforeDetach(message: Message): void {
    this._leave();
    super.onBeforeDetach(message);
  }

  private _tell(): void {
    const attention = this.model && attentionOf(this.model);
    if (attention !== this._attention) {
      this._leave();
      this._attention = attention;
    }
    if (attention) {
      this.attend(attention, this.isVisible);
    }
  }

  private _leave(): void {
    if (this._attention) {
      this.attend(this._attention, false);
      this._attention = null;
    }
  }

  private _attention: Attention | null = null;
}
