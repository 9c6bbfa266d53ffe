/** The base of a view that reports whether it is visible, so that the cells show the marks of the visible view. */
import { Message } from '@lumino/messaging';

import { Attention, attentionOf } from '../model/attention';
import { ModelWidget } from './model-widget';

export abstract class AttentiveWidget extends ModelWidget {
  override dispose(): void {
    this._leave();
    super.dispose();
  }

  /** Reports whether this view is visible; called after each drawing, and when the view is hidden or removed. */
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
