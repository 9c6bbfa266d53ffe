/** Disposes a Lumino widget inside a plain element, even if the element was removed from the page before. */
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

export function disposeWidget(widget: Widget | null): void {
  if (widget?.isAttached === true && !widget.node.isConnected) {
    // Lumino's own method only detaches widgets that are on the page, and throws an error for others.
    MessageLoop.sendMessage(widget, Widget.Msg.BeforeDetach);
    widget.clearFlag(Widget.Flag.IsAttached);
  }
  widget?.dispose();
}
