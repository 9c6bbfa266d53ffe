/**
 * Connects a model with the kernel side of this extension: checked messages, in order.
 *
 * `Channel` is the only place that talks to a kernel; a model sees its interface `IChannel` (channel-interface.ts). The
 * hub is the comm on which the kernel announces its runs.
 *
 * Only this file deals with three peculiarities of kernels and pages.
 *
 * Only the first connection that a page has to a kernel handles comms: on a second one (a console beside its notebook,
 * two notebooks on one kernel) `createComm` throws. Every connection sees every message though, and can send any; so
 * messages are read from `iopubMessage` and sent as they are, with no comm object in between.
 *
 * Messages that were sent while the websocket was down are lost: after each connect the page requests everything.
 *
 * A kernel that restarts keeps its id and forgets its comms: the page rejects its pending requests at once, and
 * searches for the hub again.
 */
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject, UUID } from '@lumino/coreutils';
import { ISignal, Signal } from '@lumino/signaling';

import { IDocumentSizes } from '../protocol/document-sizes';
import { Unreadable, isUnreadable } from '../protocol/document';
import { KernelLife } from '../protocol/evaluable';
import {
  Announcement,
  PROTOCOL,
  REQUESTS_TARGET,
  TARGET,
  VERSION,
  readAnnouncement,
  sequence
} from '../protocol/messages';
import type { KernelRequest, RequestName } from '../protocol/request-types';
import type { Working } from '../protocol/snapshot';
import {
  ChannelState,
  IAsked,
  IChannel,
  KernelConnection,
  LastReply,
  Loss,
  Unanswered
} from './channel-interface';
import { PendingRequests } from './pending-requests';
import { Subshell } from './subshell';
import { whenUnanswered } from './unanswered-by-kernel';
import { Buffers, decode, isOurs } from './wire-form';

/** The name of the kernel of JupyterLite that runs Python in the browser; Pyodide has no jaxlib. */
const IN_BROWSER = 'pyodide';

export class Channel implements IChannel {
  constructor(readonly kernel: KernelConnection) {
    this._subshell = new Subshell(kernel);
    // JupyterLab closes a comm that the kernel opens if no callback is registered for its target. So the hub, which the
    // kernel opens, needs a callback, although the callback does nothing.
    kernel.registerCommTarget(TARGET, this._welcome);
    kernel.iopubMessage.connect(this._onMessage, this);
    kernel.statusChanged.connect(this._onStatus, this);
    kernel.connectionStatusChanged.connect(this._onConnection, this);
    kernel.disposed.connect(this.dispose, this);
    void this._look();
  }

  get state(): ChannelState {
    return this._state;
  }

  get stateChanged(): ISignal<this, ChannelState> {
    return this._stateChanged;
  }

  get received(): ISignal<this, Announcement> {
    return this._received;
  }

  get unreadable(): ISignal<this, Unreadable> {
    return this._unreadable;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  ask<Name extends RequestName>(
    request: KernelRequest<Name>,
    sizes: IDocumentSizes,
    working: (working: Working) => void = () => undefined
  ): IAsked<Name> {
    const id = ++this._lastId;
    let comm: string | null = null;
    let stopped = false;
    const ask = async (): Promise<LastReply<Name>> => {
      const opened = await this._requestsComm();
      if (stopped) {
        throw new Unanswered('stopped');
      }
      comm = opened;
      return this._pending.ask(id, request, sizes, working, opened);
    };
    return {
      reply: ask(),
      stop: () => {
        stopped = true;
        if (comm !== null && this._pending.has(id)) {
          this._send('comm_msg', comm, { type: 'stop', id });
        }
      }
    };
  }

  trace(snapshot: string): void {
    if (this._hub !== null && this._state.kind === 'joined') {
      // This message goes to the kernel's main shell, not to the subshell of the requests, because the trace must not
      // run at the same time as a cell.
      this._send('comm_msg', this._hub, { type: 'trace', snapshot });
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._life.end();
    if (!this.kernel.isDisposed) {
      this.kernel.removeCommTarget(TARGET, this._welcome);
      // The hub stays open, because other pages listen to the hub; the requests comm and its subshell belong to this
      // page.
      if (this.kernel.connectionStatus === 'connected') {
        if (this._requests !== null) {
          this._send('comm_close', this._requests.id, {});
        }
        this._subshell.delete();
      }
    }
    this._pending.rejectAll();
    Signal.clearData(this);
  }

  /**
   * Finds the hub (the kernel's comm for announcements) that an earlier page, or an earlier cell, left open; then asks
   * for all runs.
   */
  private async _look(): Promise<void> {
    const look = ++this._looks;
    let hub: string | undefined;
    let endOfWatch: (() => void) | undefined;
    try {
      const { implementation } = await this.kernel.info;
      this._hasNoJax = implementation === IN_BROWSER;
      // No kernel of JupyterLite answers this request (https://github.com/jupyterlite/jupyterlite/issues/155).
      endOfWatch = whenUnanswered(this.kernel, () => {
        if (look === this._looks && !this._isDisposed && this._hub === null) {
          this._setNotLoaded();
        }
      });
      const reply = await this.kernel.requestCommInfo({ target_name: TARGET });
      if (reply.content.status === 'ok') {
        hub = Object.keys(reply.content.comms).pop();
      }
    } catch {
      // The connection was lost meanwhile. JupyterLab signals the change of its status, and when the page is connected
      // again, the channel searches for the hub again.
      return;
    } finally {
      endOfWatch?.();
    }
    if (look !== this._looks || this._isDisposed) {
      return;
    }
    if (hub === undefined) {
      if (this._hub === null) {
        this._setNotLoaded();
      }
      return;
    }
    if (hub !== this._hub) {
      this._join(hub);
    }
    this._setState({ kind: 'joined' });
    await this._subshell.started();
    if (look === this._looks && !this._isDisposed) {
      this._send('comm_msg', hub, {
        type: 'resend',
        protocol: PROTOCOL,
        version: VERSION
      });
    }
  }

  private _join(hub: string): void {
    if (this._hubOfLife !== null && this._hubOfLife !== hub) {
      // Another hub (comm for announcements) means that the kernel restarted while this page was disconnected, or has
      // dropped all its runs.
      this._newLife();
    }
    this._hubOfLife = hub;
    this._hub = hub;
    this._lastSequence = -1;
  }

  private _onMessage(_: unknown, message: KernelMessage.IIOPubMessage): void {
    this._signed(message.header.session);
    if (KernelMessage.isCommOpenMsg(message)) {
      if (message.content.target_name === TARGET) {
        this._looks++; // ends an earlier search for the hub (the kernel's comm for announcements)
        this._join(message.content.comm_id);
        this._setState({ kind: 'joined' });
        this._announce(message.content.data, message.buffers ?? []);
      }
    } else if (KernelMessage.isCommMsgMsg(message)) {
      const { comm_id: comm, data } = message.content;
      if (comm === this._requests?.id) {
        this._pending.answer(data, message.buffers ?? []);
        return;
      }
      if (this._hub === null && isOurs(data)) {
        // If the page is loaded while a cell runs, the cell's progress arrives before the kernel can answer which comms
        // it has, so the first message shows the hub's id.
        this._join(comm);
      }
      if (comm === this._hub) {
        this._announce(data, message.buffers ?? []);
      }
    } else if (KernelMessage.isCommCloseMsg(message)) {
      if (message.content.comm_id === this._hub) {
        this._hub = null;
        this._setNotLoaded();
      } else if (message.content.comm_id === this._requests?.id) {
        this._requests = null;
        this._pending.rejectAll();
      }
    }
  }

  /**
   * Handles a message that the kernel has sent on the hub, its comm for announcements. A message that arrives a second
   * time, or after a later message, is ignored.
   */
  private _announce(data: unknown, buffers: Buffers): void {
    const message = decode(data, buffers);
    if (
      typeof message === 'object' &&
      message !== null &&
      !('type' in message)
    ) {
      return; // the message that opened the comm carries no announcement
    }
    const number = sequence(message);
    if (number !== null) {
      if (number <= this._lastSequence) {
        return;
      }
      this._lastSequence = number;
    }
    const read = readAnnouncement(message);
    if (isUnreadable(read)) {
      this._unreadable.emit(read);
    } else {
      if (read.type === 'snapshot') {
        this._life.received(read.snapshot);
      }
      this._received.emit(read);
    }
  }

  /** The comm for requests; it is opened at the first request, on a subshell if the kernel has subshells. */
  private async _requestsComm(): Promise<string> {
    if (this._state.kind === 'lost' || this._isDisposed) {
      throw new Unanswered('closed');
    }
    await this._subshell.started();
    if (this._isDisposed) {
      throw new Unanswered('closed');
    }
    if (this._requests === null) {
      this._requests = { id: UUID.uuid4() };
      this._send('comm_open', this._requests.id, {});
    }
    return this._requests.id;
  }

  private _onStatus(_: unknown, status: KernelMessage.Status): void {
    if (status === 'restarting' || status === 'autorestarting') {
      this._lose('restarting');
    } else if (status === 'starting') {
      this._onStarting();
    } else if (status === 'dead') {
      this._lose('dead');
    }
  }

  /**
   * Compares the session id in the header of a message with that of the previous message. Another page may restart the
   * kernel while this page is connected: then the kernel's messages have another session id.
   *
   * The Jupyter server also sends messages, with its own session id. So after a change of the session id, this page
   * asks the kernel for its comms: the kernel was restarted if it no longer knows the hub.
   */
  private _signed(session: string): void {
    const before = this._session;
    this._session = session;
    if (before !== null && before !== session && this._hub !== null) {
      void this._askForTheHub(this._hub);
    }
  }

  private async _askForTheHub(hub: string): Promise<void> {
    try {
      const { content } = await this.kernel.requestCommInfo({
        target_name: TARGET
      });
      const isForgotten = content.status === 'ok' && !(hub in content.comms);
      if (isForgotten && hub === this._hub && !this._isDisposed) {
        this._onStarting();
      }
    } catch {
      // The connection was lost meanwhile. JupyterLab signals the change of its status, and when the page is connected
      // again, the channel searches for the hub again.
    }
  }

  /** If another page restarts the kernel, this page stays connected, and may receive only the status `starting`. */
  private _onStarting(): void {
    if (this._state.kind === 'joined' || this._state.kind === 'not-loaded') {
      this._lose('restarting');
    }
    if (
      this._state.kind === 'lost' &&
      this.kernel.connectionStatus === 'connected'
    ) {
      void this._look();
    }
  }

  private _onConnection(_: unknown, status: Kernel.ConnectionStatus): void {
    const { _state: state } = this;
    if (status === 'connected') {
      void this._look();
    } else if (state.kind !== 'lost' || state.loss === 'disconnected') {
      this._lose(status === 'disconnected' ? 'cut-off' : 'disconnected');
    }
  }

  private _lose(loss: Loss): void {
    this._looks++;
    this._hub = null;
    this._requests = null;
    if (loss === 'restarting' || loss === 'dead') {
      this._newLife();
      this._subshell.forget();
    }
    this._setState({ kind: 'lost', loss });
    this._pending.rejectAll();
  }

  private _newLife(): void {
    this._life.end();
    this._life = new KernelLife();
    this._hubOfLife = null;
  }

  private _send(
    type: 'comm_open' | 'comm_msg' | 'comm_close',
    comm: string,
    data: JSONObject
  ): void {
    const content =
      type === 'comm_open'
        ? { comm_id: comm, target_name: REQUESTS_TARGET, data }
        : { comm_id: comm, data };
    const message = KernelMessage.createMessage({
      msgType: type as 'comm_open',
      channel: 'shell',
      username: this.kernel.username,
      session: this.kernel.clientId,
      subshellId: this._subshell.id ?? this.kernel.subshellId,
      content: content as KernelMessage.ICommOpenMsg<'shell'>['content']
    });
    this.kernel.sendShellMessage(message, false, true);
  }

  private _setNotLoaded(): void {
    this._setState({
      kind: 'not-loaded',
      ...(this._hasNoJax && { hasNoJax: true })
    });
  }

  private _setState(state: ChannelState): void {
    if (
      state.kind === this._state.kind &&
      (state.kind !== 'lost' ||
        state.loss === (this._state as { loss?: Loss }).loss)
    ) {
      return;
    }
    this._state = state;
    this._stateChanged.emit(state);
  }

  private _welcome = (): void => undefined;

  private _state: ChannelState = { kind: 'connecting' };
  private _hub: string | null = null;
  private _hasNoJax = false;
  /**
   * The session id in the header of the kernel's last message; each life of a kernel (until its end or restart) has
   * another session id.
   */
  private _session: string | null = null;
  private _lastSequence = -1;
  /**
   * Counts the searches for the hub (the kernel's comm for announcements), so that only the latest search changes the
   * state.
   */
  private _looks = 0;
  /**
   * The kernel's present life. A text from a document of an earlier life, such as the code of a cure, is not sent to
   * the kernel for evaluation.
   */
  private _life = new KernelLife();
  /**
   * The id of the present hub, the kernel's comm for announcements. The kernel has another hub after a restart, and
   * after it has dropped its runs.
   */
  private _hubOfLife: string | null = null;
  private _requests: { id: string } | null = null;
  private _subshell: Subshell;
  private _pending = new PendingRequests(
    (comm, data) => this._send('comm_msg', comm, data),
    () => this._life
  );
  private _lastId = 0;
  private _isDisposed = false;
  private _stateChanged = new Signal<this, ChannelState>(this);
  private _received = new Signal<this, Announcement>(this);
  private _unreadable = new Signal<this, Unreadable>(this);
}
