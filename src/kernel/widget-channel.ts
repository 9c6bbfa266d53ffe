/**
 * Connects a model with the kernel over the messages of a widget (anywidget's `send` and `msg:custom`).
 *
 * Only the kernel's end of the widget sends such messages, so every message that arrives here is from the kernel. The
 * saved state of a widget may be from anyone, but it is in the widget's traits and never arrives here.
 */
import { ISignal, Signal } from '@lumino/signaling';

import { IDocumentSizes } from '../protocol/document-sizes';
import { Unreadable, isUnreadable } from '../protocol/document';
import { KernelLife } from '../protocol/evaluable';
import {
  Announcement,
  PROTOCOL,
  VERSION,
  readAnnouncement,
  replyId
} from '../protocol/messages';
import type { KernelRequest, RequestName } from '../protocol/request-types';
import type { Working } from '../protocol/snapshot';
import {
  ChannelState,
  IAsked,
  IChannel,
  Unanswered
} from './channel-interface';
import { PendingRequests } from './pending-requests';

/** The messages of a widget; a model of anywidget fits. */
export interface IWidgetMessages {
  send(content: object): void;
  on(event: 'msg:custom', listener: (content: unknown) => void): void;
  off(event: 'msg:custom', listener: (content: unknown) => void): void;
}

export class WidgetChannel implements IChannel {
  constructor(private _messages: IWidgetMessages) {
    _messages.on('msg:custom', this._onMessage);
    this._send({ type: 'resend', protocol: PROTOCOL, version: VERSION });
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
    const ask = async (): ReturnType<typeof this._pending.ask<Name>> =>
      this._pending.ask(id, request, sizes, working, '');
    return {
      reply: ask(),
      stop: () => {
        if (this._pending.has(id)) {
          this._send({ type: 'stop', id });
        }
      }
    };
  }

  trace(snapshot: string): void {
    this._send({ type: 'trace', snapshot });
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._life.end();
    this._messages.off('msg:custom', this._onMessage);
    this._pending.rejectAll();
    Signal.clearData(this);
  }

  /** Send a message; false if the kernel's end of the widget is gone, as it is after a restart of the kernel. */
  private _send(content: object): boolean {
    try {
      this._messages.send(content);
      return true;
    } catch {
      return false;
    }
  }

  private _onMessage = (content: unknown): void => {
    if (replyId(content) !== null) {
      // Another view of this widget may have asked; replies to another view are left out.
      this._pending.answer(content, []);
      return;
    }
    const { type = null } = (content ?? {}) as { type?: unknown };
    if (type === 'views') {
      return; // the message brings the script of the views, which the loader has requested
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

  private _state: ChannelState = { kind: 'connecting' };
  private _life = new KernelLife();
  private _pending = new PendingRequests(
    (_comm, data) => {
      if (!this._send(data)) {
        throw new Unanswered('closed');
      }
    },
    () => this._life
  );
  /** Two views of one widget receive each other's replies, so the request ids of each view start at a random number. */
  private _lastId = Math.floor(Math.random() * 2 ** 40);
  private _isDisposed = false;
  private _stateChanged = new Signal<this, ChannelState>(this);
  private _received = new Signal<this, Announcement>(this);
  private _unreadable = new Signal<this, Unreadable>(this);
}
