/** The panel's views, with a column for the source, in the output of a cell. */
import { Message, MessageLoop } from '@lumino/messaging';
import { Panel, Widget } from '@lumino/widgets';

import { IWidgetMessages, WidgetChannel } from '../kernel/widget-channel';
import { JaxprModel } from '../model/model';
import { unreadableTitle, whyUnreadable } from '../model/error-words';
import { Shell } from '../panel/shell/shell';
import { element } from '../parts/dom';
import { isUnreadable, readSnapshot } from '../protocol/document';
import type { Announcement } from '../protocol/messages';
import { IWidgetActions, widgetActions } from './actions';
import type { ModelChange } from '../tokens';
import { dress, undress } from './widget-styles';
import { keepKeys } from './kept-keys';
import { SourceColumn } from './source-column';
import { ITraits, Traits } from './traits';
import { english as trans } from './words';

/** The model that anywidget gives to `render`. */
export type WidgetModel = ITraits & IWidgetMessages;

/** If the kernel does not send the run within this time, in milliseconds, the saved document is shown until it does. */
const KERNEL_ANSWERS_WITHIN = 1500;

let made = 0;

export class WidgetView extends Panel {
  constructor(private _widget: WidgetModel) {
    super();
    made += 1;
    this.id = `jupyter-jaxpr-widget-${made}`;
    this.node.setAttribute('role', 'region');
    // A page may have several widgets; their numbered labels let a user of a screen reader tell the widgets apart.
    this.node.setAttribute('aria-label', trans.__('Jaxpr, widget %1', made));
    dress(this.node);
    keepKeys(this.node);
    this._model = new JaxprModel(trans);
    this._actions = widgetActions(
      this._model,
      {
        tell: notice => {
          this._shell.notice = notice;
        },
        open: widget => this._open(widget)
      },
      trans
    );
    const panel = new Panel();
    panel.id = `${this.id}-panel`;
    panel.addClass('jp-JaxprPanel');
    this._shell = new Shell(panel.id, trans, this._actions.actions);
    panel.addWidget(this._shell);
    this._source = new SourceColumn(trans);
    this._columns = new Panel();
    this._columns.addClass('jp-JaxprWidget-columns');
    this._columns.addWidget(this._source);
    this._columns.addWidget(panel);
    this._columns.addClass('jp-mod-waiting');
    this.addWidget(this._columns);
    this._traits = new Traits(_widget, this._model, this._shell);
    this._shell.model = this._model;
    this._source.model = this._model;
    this._channel = new WidgetChannel(_widget);
    this._model.setChannel(this._channel);
    this._model.arrived.connect(this._onArrived, this);
    this._model.changed.connect(this._onModel, this);
    this._channel.received.connect(this._onReceived, this);
    this._waiting = setTimeout(() => this._showSaved(), KERNEL_ANSWERS_WITHIN);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    clearTimeout(this._waiting);
    this._traits.dispose();
    this._model.arrived.disconnect(this._onArrived, this);
    this._model.changed.disconnect(this._onModel, this);
    this._opened?.dispose();
    super.dispose();
    this._channel.dispose();
    this._actions.dispose();
    this._model.dispose();
    undress(this.node);
  }

  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    this._observer.observe(this.node);
  }

  protected override onBeforeDetach(message: Message): void {
    super.onBeforeDetach(message);
    this._observer.disconnect();
  }

  private _onReceived(_: unknown, { type }: Announcement): void {
    if (type !== 'snapshot') {
      return; // only a snapshot ends the wait: a kernel that answers may have dropped the run
    }
    clearTimeout(this._waiting);
    if (this._refusal !== null) {
      this._refusal.remove();
      this._refusal = null;
      this._columns.show();
    }
  }

  private _onArrived(): void {
    if (this._traits.take()) {
      this._reveal();
    }
  }

  private _onModel(_: unknown, change: ModelChange): void {
    if (change === 'failure') {
      this._reveal();
    }
  }

  /**
   * Shows the views, which are hidden until the widget's run is in view: before, they would say that there is no
   * program, or show an earlier run. Each view draws the run in the browser's next frame, so the views appear one frame
   * later.
   */
  private _reveal(): void {
    requestAnimationFrame(() =>
      requestAnimationFrame(() => this._columns.removeClass('jp-mod-waiting'))
    );
  }

  /**
   * No kernel has answered: show the document that the host has saved, which is checked because anyone may have made
   * it.
   */
  private _showSaved(): void {
    const read = readSnapshot(this._widget.get('document'));
    if (isUnreadable(read)) {
      this._refuse(whyUnreadable(read, trans));
    } else {
      this._model.show(read, true);
      this._traits.take();
      this._reveal();
    }
  }

  private _refuse(reason: string): void {
    this._refusal = element('div', 'jp-JaxprPanel jp-JaxprWidget-refusal');
    this._refusal.setAttribute('role', 'alert');
    this._refusal.append(
      element('b', '', unreadableTitle(trans)),
      element('p', '', reason)
    );
    this._columns.hide();
    this.node.append(this._refusal);
  }

  /** Show a view in the whole widget; its button goes back to the tabs. */
  private _open(widget: Widget): void {
    this._opened?.dispose();
    const opened = new Panel();
    opened.addClass('jp-JaxprWidget-opened');
    const bar = new Widget();
    bar.addClass('jp-JaxprPanel');
    bar.addClass('jp-JaxprWidget-bar');
    const back = element('button', 'jp-JaxprPanel-button');
    back.textContent = trans.__('Back to the tabs of the widget');
    back.addEventListener('click', () => {
      opened.dispose();
      this._opened = null;
      this._columns.show();
      this._shell.focusFirst();
    });
    bar.node.append(back, element('span', '', widget.title.label));
    opened.addWidget(bar);
    opened.addWidget(widget);
    this._opened = opened;
    this._columns.hide();
    this.addWidget(opened);
    back.focus();
  }

  private _model: JaxprModel;
  private _channel: WidgetChannel;
  private _actions: IWidgetActions;
  private _shell: Shell;
  private _source: SourceColumn;
  private _columns: Panel;
  private _opened: Panel | null = null;
  private _refusal: HTMLElement | null = null;
  private _traits: Traits;
  private _waiting: ReturnType<typeof setTimeout>;
  /** Observes the size of the node, because the notebook front end sends no resize message of Lumino. */
  private _observer = new ResizeObserver(() => {
    MessageLoop.postMessage(this, Widget.ResizeMessage.UnknownSize);
  });
}
