/**
 * Connects a model with the kernel side of this extension: checked messages, in order.
 *
 * - `IChannel`: what a model sees of a kernel.
 * - `Channel`: the only place that talks to one.
 *
 * Three habits of kernels and pages are dealt with here and nowhere else.
 *
 * Only the first connection that a page has to a kernel handles comms: on a second one (a console beside its
 * notebook, two notebooks on one kernel) `createComm` throws. Every connection sees every message though, and can
 * send any; so messages are read from `iopubMessage` and sent as they are, with no comm object in between.
 *
 * What was sent while the websocket was down is lost: a connection that is made (again) asks for everything.
 *
 * A kernel that restarts keeps its id and forgets its comms: what was asked is rejected at once, and the hub is
 * looked for again.
 */
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { JSONObject, UUID } from '@lumino/coreutils';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { IDocumentSizes } from '../protocol/cost';
import { Unreadable, isUnreadable } from '../protocol/document';
import { EvaluableText, KernelLife } from '../protocol/evaluable';
import {
  Announcement,
  PROTOCOL,
  REQUESTS_TARGET,
  Reply,
  TARGET,
  VERSION,
  readAnnouncement,
  readReply,
  replyId,
  sequence
} from '../protocol/messages';
import type {
  Question,
  RequestName,
  WireQuestion
} from '../protocol/questions';
import { REQUESTS } from '../protocol/requests';
import type { Refused, Snapshot, Working } from '../protocol/snapshot';

/** The kernel of a session, for rooms that hand one on without talking to it. */
export type KernelConnection = Kernel.IKernelConnection;

/**
 * The reason why the page cannot hear a kernel; after 'disconnected' JupyterLab reconnects by itself, after 'cut-off'
 * it does not.
 */
export type Loss = 'restarting' | 'dead' | 'disconnected' | 'cut-off';

export type ChannelState =
  /** Looking for the hub, or waiting for its hello. */
  | { kind: 'connecting' }
  /** The kernel answers, and has no hub: the extension is not loaded in it. */
  | { kind: 'not-loaded' }
  /** The hub is known; its hello has arrived or will arrive. */
  | { kind: 'joined' }
  | { kind: 'lost'; loss: Loss };

/** The last reply to a question: an answer, or a confirmation that the kernel asks for. */
export type LastReply<Name extends RequestName> = Exclude<
  Reply<Name>,
  Refused | Working
>;

/** A question in progress. */
export interface IAsked<Name extends RequestName> {
  /** Rejects with `Unanswered`. */
  readonly reply: Promise<LastReply<Name>>;
  /** Asks the kernel to stop its work on the question; the reply then has the results so far. */
  stop(): void;
}

/** The reason why a question has no answer; the model words it as a sentence. */
export class Unanswered extends Error {
  constructor(
    readonly why:
      | 'closed'
      | 'timeout'
      | 'stopped'
      /** The question is about a run, or has text, of a saved notebook or of an earlier kernel. */
      | 'not-its-own'
      | Unreadable
      | { kernel: string }
  ) {
    super('unanswered');
  }
}

/** The side of a kernel that a model uses. */
export interface IChannel extends IDisposable {
  readonly state: ChannelState;
  readonly stateChanged: ISignal<IChannel, ChannelState>;
  /** Emits the kernel's messages, in order, each once. */
  readonly received: ISignal<IChannel, Announcement>;
  /** Emits for each message that cannot be read. */
  readonly unreadable: ISignal<IChannel, Unreadable>;
  /**
   * Ask the kernel, while a cell runs too where the kernel has subshells.
   *
   * @param sizes Of the snapshot that the question is about.
   * @param working Told of the replies that are not the last.
   */
  ask<Name extends RequestName>(
    question: Question<Name>,
    sizes: IDocumentSizes,
    working?: (working: Working) => void
  ): IAsked<Name>;
  /**
   * Asks the kernel to trace the last call of a run's cell as soon as no cell runs; the kernel then sends the run's
   * snapshot again. Does nothing if no kernel is joined.
   */
  trace(snapshot: string): void;
}

interface IPending {
  name: RequestName;
  resolve: (reply: LastReply<RequestName>) => void;
  reject: (reason: Unanswered) => void;
  working: (working: Working) => void;
  /** Restarts the timeout, because the kernel has sent a sign of life. */
  wait: () => void;
  timer: ReturnType<typeof setTimeout>;
  sizes: IDocumentSizes;
}

export class Channel implements IChannel {
  constructor(readonly kernel: KernelConnection) {
    // Without a callback for it, a connection that handles comms would close the hub when the kernel opens it.
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
    question: Question<Name>,
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
      return this._asked(id, question, sizes, working, opened);
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
      // Not on the requests' subshell: the trace must not run beside a cell whose objects it puts back.
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
      // The hub stays open, other pages listen to it; the requests comm and its subshell are this page's own.
      if (this.kernel.connectionStatus === 'connected') {
        if (this._requests !== null) {
          this._send('comm_close', this._requests.id, {});
        }
        if (this._subshell !== null) {
          this.kernel.requestDeleteSubshell(
            { subshell_id: this._subshell },
            true
          );
        }
      }
    }
    this._rejectAll();
    Signal.clearData(this);
  }

  /** Send a question and wait for its last reply. */
  private _asked<Name extends RequestName>(
    id: number,
    question: Question<Name>,
    sizes: IDocumentSizes,
    working: (working: Working) => void,
    comm: string
  ): Promise<LastReply<Name>> {
    // The structs of the wire are JSON; their types only lack an index signature.
    const data = { ...(onWire(question, this._life) as object), id };
    const name: RequestName = question.type;
    return new Promise<LastReply<Name>>((resolve, reject) => {
      const patience = (): ReturnType<typeof setTimeout> =>
        setTimeout(() => {
          this._pending.delete(id);
          reject(new Unanswered('timeout'));
        }, REQUESTS[name].patience * 1000);
      const pending: IPending = {
        name,
        // The reply is read as one to a request of this name.
        resolve: resolve as IPending['resolve'],
        reject,
        working,
        wait: () => {
          clearTimeout(pending.timer);
          pending.timer = patience();
        },
        timer: patience(),
        sizes
      };
      this._pending.set(id, pending);
      this._send('comm_msg', comm, data);
    });
  }

  /** Finds the hub that an earlier page, or an earlier cell, left open; then asks for all runs. */
  private async _look(): Promise<void> {
    const look = ++this._looks;
    let hub: string | undefined;
    try {
      await this.kernel.info;
      const reply = await this.kernel.requestCommInfo({ target_name: TARGET });
      if (reply.content.status === 'ok') {
        hub = Object.keys(reply.content.comms).pop();
      }
    } catch {
      // The connection went away meanwhile: its status has said so, and a new one looks again.
      return;
    }
    if (look !== this._looks || this._isDisposed) {
      return;
    }
    if (hub === undefined) {
      if (this._hub === null) {
        this._setState({ kind: 'not-loaded' });
      }
      return;
    }
    if (hub !== this._hub) {
      this._join(hub);
    }
    this._setState({ kind: 'joined' });
    await this._subshellStarted();
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
      // The kernel restarted while nobody here could hear it, or let go of all its runs.
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
        this._looks++; // a look that is under way would ask for what is coming anyway
        this._join(message.content.comm_id);
        this._setState({ kind: 'joined' });
        this._announce(message.content.data, message.buffers ?? []);
      }
    } else if (KernelMessage.isCommMsgMsg(message)) {
      const { comm_id: comm, data } = message.content;
      if (comm === this._requests?.id) {
        this._answer(data, message.buffers ?? []);
        return;
      }
      if (this._hub === null && isOurs(data)) {
        // A page that is loaded while a cell runs hears its progress before the kernel has time to name its comms.
        this._join(comm);
      }
      if (comm === this._hub) {
        this._announce(data, message.buffers ?? []);
      }
    } else if (KernelMessage.isCommCloseMsg(message)) {
      if (message.content.comm_id === this._hub) {
        this._hub = null;
        this._setState({ kind: 'not-loaded' });
      } else if (message.content.comm_id === this._requests?.id) {
        this._requests = null;
        this._rejectAll();
      }
    }
  }

  /** Handles a message of the hub: each message once, and no late message. */
  private _announce(data: unknown, buffers: Buffers): void {
    const message = decode(data, buffers);
    if (
      typeof message === 'object' &&
      message !== null &&
      !('type' in message)
    ) {
      return; // the empty data of a comm's opening
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

  private _answer(data: unknown, buffers: Buffers): void {
    const message = decode(data, buffers);
    const id = replyId(message);
    const pending = id === null ? undefined : this._pending.get(id);
    if (id === null || pending === undefined) {
      return; // it came after its time
    }
    const reply = readReply(message, pending.name, pending.sizes);
    if (!isUnreadable(reply) && reply.type === 'working') {
      pending.wait();
      pending.working(reply);
      return;
    }
    this._pending.delete(id);
    clearTimeout(pending.timer);
    if (isUnreadable(reply)) {
      pending.reject(new Unanswered(reply));
    } else if (reply.type === 'refused') {
      pending.reject(new Unanswered({ kernel: reply.reason }));
    } else {
      if (
        reply.type === 'answered' &&
        REQUESTS[pending.name].into === 'document'
      ) {
        this._life.received(reply.result as Snapshot);
      }
      pending.resolve(reply);
    }
  }

  /** The comm for questions; opened with the first one, on a subshell where the kernel has them. */
  private async _requestsComm(): Promise<string> {
    if (this._state.kind === 'lost' || this._isDisposed) {
      throw new Unanswered('closed');
    }
    await this._subshellStarted();
    if (this._isDisposed) {
      throw new Unanswered('closed');
    }
    if (this._requests === null) {
      this._requests = { id: UUID.uuid4() };
      this._send('comm_open', this._requests.id, {});
    }
    return this._requests.id;
  }

  private _subshellStarted(): Promise<void> {
    if (this._starting === null) {
      this._starting = this._startSubshell();
    }
    return this._starting;
  }

  private async _startSubshell(): Promise<void> {
    // The user's setting about comms over subshells decides here, too.
    if (
      !this.kernel.supportsSubshells ||
      this.kernel.commsOverSubshells === 'disabled'
    ) {
      return;
    }
    const starting = this._lives;
    try {
      const reply = await this.kernel.requestCreateSubshell({}).done;
      if (starting === this._lives) {
        this._subshell = reply.content.subshell_id ?? null;
      }
    } catch {
      // Without a subshell an answer waits until the cell ends.
    }
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
   * Another page may restart the kernel while this page is connected: the kernel then signs with another session.
   *
   * The server signs messages of its own, too. The kernel was restarted if it no longer knows the hub.
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
      // The connection went away meanwhile: its status has said so, and a new one looks again.
    }
  }

  /** Where another page restarts the kernel, this page stays connected; it may hear of the start, and of no more. */
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
      this._lives++;
      this._subshell = null;
      this._starting = null;
    }
    this._setState({ kind: 'lost', loss });
    this._rejectAll();
  }

  private _newLife(): void {
    this._life.end();
    this._life = new KernelLife();
    this._hubOfLife = null;
  }

  private _rejectAll(): void {
    const pending = [...this._pending.values()];
    this._pending.clear();
    for (const each of pending) {
      clearTimeout(each.timer);
      each.reject(new Unanswered('closed'));
    }
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
      subshellId: this._subshell ?? this.kernel.subshellId,
      content: content as KernelMessage.ICommOpenMsg<'shell'>['content']
    });
    this.kernel.sendShellMessage(message, false, true);
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
  /** The session id that signs the last message; each life of a kernel has its own. */
  private _session: string | null = null;
  private _lastSequence = -1;
  /** Counts the searches for the hub, so that only the latest speaks. */
  private _looks = 0;
  /** Counts the lives of the kernel: a subshell of an earlier life is gone. */
  private _lives = 0;
  /** Text that the kernel sent in an earlier life is not sent back for evaluation. */
  private _life = new KernelLife();
  /** The hub of this life: after a restart, and once it let go of its runs, the kernel has another one. */
  private _hubOfLife: string | null = null;
  private _requests: { id: string } | null = null;
  private _subshell: string | null = null;
  private _starting: Promise<void> | null = null;
  private _pending = new Map<number, IPending>();
  private _lastId = 0;
  private _isDisposed = false;
  private _stateChanged = new Signal<this, ChannelState>(this);
  private _received = new Signal<this, Announcement>(this);
  private _unreadable = new Signal<this, Unreadable>(this);
}

/**
 * A question in the form that the kernel reads, with its evaluable texts as strings.
 * @throws Unanswered if a text belongs to another life.
 */
export function onWire(question: object, life: KernelLife): WireQuestion {
  const written = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(written);
    }
    if (!(value instanceof EvaluableText)) {
      return value;
    }
    const text = value.evaluatedIn(life);
    if (text === null) {
      throw new Unanswered('not-its-own');
    }
    return text;
  };
  return Object.fromEntries(
    Object.entries(question).map(([field, value]) => [field, written(value)])
  ) as WireQuestion;
}

type Buffers = readonly (ArrayBuffer | ArrayBufferView)[];

/** The message in a comm's data, or in its buffer if it is long; null if the message is not JSON. */
function decode(data: unknown, buffers: Buffers): unknown {
  if ((data as { type?: unknown } | null)?.type !== 'buffer') {
    return data;
  }
  try {
    return JSON.parse(new TextDecoder().decode(buffers[0]));
  } catch {
    return null;
  }
}

/** True if a message of an unknown comm can only be a message of our hub. */
function isOurs(data: unknown): boolean {
  const type = (data as { type?: unknown } | null)?.type;
  return (
    sequence(data) !== null &&
    (type === 'progress' || type === 'hello' || type === 'snapshot') &&
    readAnnouncement(data) === data
  );
}
