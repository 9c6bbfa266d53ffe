/** The base of a view that reports whether it is visible, so that the cells show the marks of the visible view. */
import { Message } from '@lumino/messaging';

import { ScreenState, screenStateOf } from '../model/screen-state';
import { ModelWidget } from './model-widget';

export abstract class VisibilityReportingWidget extends ModelWidget {
  override dispose(): void {
    this._leave();
    super.dispose();
  }

  /**
   * Reports whether this view is visible. The base calls this method after each drawing, and when the view is hidden or
   * removed.
   */
  protected abstract reportVisibility(
    screenState: ScreenState,
    isSeen: boolean
  ): void;

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
    const screenState = this.model && screenStateOf(this.model);
    if (screenState !== this._screenState) {
      this._leave();
      this._screenState = screenState;
    }
    if (screenState) {
      this.reportVisibility(screenState, this.isVisible);
    }
  }

  private _leave(): void {
    if (this._screenState) {
      this.reportVisibility(this._screenState, false);
      this._screenState = null;
    }
  }

  private _screenState: ScreenState | null = null;
}
