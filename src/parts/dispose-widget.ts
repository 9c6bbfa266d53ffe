/** Disposes a widget in plain nodes, also where the nodes left the page before. */
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

export function disposeWidget(widget: Widget | null): void {
  if (widget?.isAttached === true && !widget.node.isConnected) {
    // Lumino detaches only what is on the page, and would throw.
    MessageLoop.sendMessage(widget, Widget.Msg.BeforeDetach);
    widget.clearFlag(Widget.Flag.IsAttached);
  }
  widget?.dispose();
}
