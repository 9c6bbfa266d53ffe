/** Disposes a widget inside plain nodes, even if the nodes have left the page before. */
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';

export function disposeWidget(widget: Widget | null): void {
  if (widget?.isAttached === true && !widget.node.isConnected) {
    // Lumino detaches only widgets that are on the page, and would throw an error.
    MessageLoop.sendMessage(widget, Widget.Msg.BeforeDetach);
    widget.clearFlag(Widget.Flag.IsAttached);
  }
  widget?.dispose();
}
