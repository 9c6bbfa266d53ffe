/**
 * Connects a model with the kernel over the messages of a widget (anywidget's `send` and `msg:custom`).
 *
 * Only the kernel's end of the widget sends such messages, so what arrives here is the kernel's. The saved state of a
 * widget is not: it is in the widget's traits and never comes here.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { IDocumentSizes } from '../protocol/cost';
import { Unreadable, isUnreadable } from '../protocol/document';
import { KernelLife } from '../protocol/evaluable';
import {
  Announcement,
  PROTOCOL,
  VERSION,
  readAnnouncement,
  readReply,
  replyId
} from '../protocol/messages';
import type { Question, RequestName } from '../protocol/questions';
import { REQUESTS } from '../protocol/requests';
import type { Snapshot, Working } from '../protocol/snapshot';
import {
  ChannelState,
  IAsked,
  IChannel,
  LastReply,
  Unanswered,
  onWire
} from './channel';

/** The messages of a widget; a model of anywidget fits. */
export interface IWidgetMessages {
  send(content: object): void;
  on(event: 'msg:custom', listener: (content: unknown) => void): void;
  off(event: 'msg:custom', listener: (content: unknown) => void): void;
}

interface IOpenQuestion {
  name: RequestName;
  sizes: IDocumentSizes;
  resolve(reply: LastReply<RequestName>): void;
  reject(reason: Unanswered): void;
  working(working: Working): void;
  timer: ReturnType<typeof setTimeout>;
}

export class WidgetChannel implements IChannel {
  constructor(private _messages: IWidgetMessages) {
    _messages.on('msg:custom', this._onMessage);
    _messages.send({ type: 'resend', protocol: PROTOCOL, version: VERSION });
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
    const reply = new Promise<LastReply<Name>>((resolve, reject) => {
      const data = { ...(onWire(question, this._life) as object), id };
      this._open.set(id, {
        name: question.type,
        sizes,
        // The reply is read as one to a request of this name.
        resolve: resolve as IOpenQuestion['resolve'],
        reject,
        working,
        timer: this._patience(id, question.type)
      });
      this._messages.send(data);
    });
    return {
      reply,
      stop: () => {
        if (this._open.has(id)) {
          this._messages.send({ type: 'stop', id });
        }
      }
    };
  }

  trace(snapshot: string): void {
    this._messages.send({ type: 'trace', snapshot });
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._life.end();
    this._messages.off('msg:custom', this._onMessage);
    for (const { timer, reject } of this._open.values()) {
      clearTimeout(timer);
      reject(new Unanswered('closed'));
    }
    this._open.clear();
    Signal.clearData(this);
  }

  /** Gives a question up after the time that its request takes at most without a reply. */
  private _patience(
    id: number,
    name: RequestName
  ): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      const given = this._open.get(id);
      this._open.delete(id);
      given?.reject(new Unanswered('timeout'));
    }, REQUESTS[name].patience * 1000);
  }

  private _onMessage = (content: unknown): void => {
    const id = replyId(content);
    if (id !== null) {
      this._answer(id, content);
      return;
    }
    const { type = null } = (content ?? {}) as { type?: unknown };
    if (type === 'views') {
      return; // the script of the views, which the loader has asked for
    }
    const read = readAnnouncement(content);
    if (isUnreadable(read)) {
      this._unreadable.emit(read);
      return;
    }
    if (read.type === 'snapshot') {
      this._life.received(read.snapshot);
    }
    if (this._state.kind !== 'joined') {
      this._state = { kind: 'joined' };
      this._stateChanged.emit(this._state);
    }
    this._received.emit(read);
  };

  private _answer(id: number, content: unknown): void {
    const asked = this._open.get(id);
    if (asked === undefined) {
      return; // another view of this widget has asked, or the reply came after its time
    }
    clearTimeout(asked.timer);
    const reply = readReply(content, asked.name, asked.sizes);
    if (!isUnreadable(reply) && reply.type === 'working') {
      asked.timer = this._patience(id, asked.name);
      asked.working(reply);
      return;
    }
    this._open.delete(id);
    if (isUnreadable(reply)) {
      asked.reject(new Unanswered(reply));
    } else if (reply.type === 'refused') {
      asked.reject(new Unanswered({ kernel: reply.reason }));
    } else {
      if (
        reply.type === 'answered' &&
        REQUESTS[asked.name].into === 'document'
      ) {
        this._life.received(reply.result as Snapshot);
      }
      asked.resolve(reply);
    }
  }

  private _state: ChannelState = { kind: 'connecting' };
  private _life = new KernelLife();
  private _open = new Map<number, IOpenQuestion>();
  /** Two views of one widget hear each other's replies, so the ids of each begin elsewhere. */
  private _lastId = Math.floor(Math.random() * 2 ** 40);
  private _isDisposed = false;
  private _stateChanged = new Signal<this, ChannelState>(this);
  private _received = new Signal<this, Announcement>(this);
  private _unreadable = new Signal<this, Unreadable>(this);
}
