/** A channel for tests: the test decides what the kernel sends. */
import { Signal } from '@lumino/signaling';

import {
  ChannelState,
  IAsked,
  IChannel,
  LastReply
} from '../../kernel/channel-interface';
import { onWire } from '../../kernel/wire-form';
import { IDocumentSizes } from '../../protocol/document-sizes';
import { Unreadable } from '../../protocol/document';
import { KernelLife } from '../../protocol/evaluable';
import { Announcement, PROTOCOL } from '../../protocol/messages';
import type {
  KernelRequest,
  RequestName,
  WireRequest
} from '../../protocol/request-types';
import { Environment, Snapshot, Working } from '../../protocol/snapshot';
import { environment } from '../../protocol/__tests__/documents';

export { answered, confirm, working } from '../../protocol/__tests__/replies';

/** The last reply to a request of any kind. */
export type AnyReply = LastReply<RequestName>;

export class FakeChannel implements IChannel {
  state: ChannelState = { kind: 'not-loaded' };
  stateChanged = new Signal<this, ChannelState>(this);
  received = new Signal<this, Announcement>(this);
  unreadable = new Signal<this, Unreadable>(this);
  isDisposed = false;
  /** The requests in the form in which the kernel reads them. */
  asked: WireRequest[] = [];
  life = new KernelLife();
  /**
   * A refusal is a promise that rejects with `Unanswered`; the real channel turns a refusal into the same rejection.
   */
  answer: () => Promise<AnyReply> = () => new Promise(() => undefined);

  /** The number of requests that the page asked the kernel to stop. */
  stops = 0;
  /** A test calls this function to send the kernel's progress with the last request. */
  works: (working: Working) => void = () => undefined;

  ask<Name extends RequestName>(
    request: KernelRequest<Name>,
    _: IDocumentSizes,
    working?: (working: Working) => void
  ): IAsked<Name> {
    try {
      this.asked.push(onWire(request, this.life));
    } catch (error) {
      return { reply: Promise.reject(error), stop: () => undefined };
    }
    this.works = working ?? this.works;
    // Takes the reply that the test has prepared in `answer`.
    const reply = this.answer() as Promise<LastReply<Name>>;
    return { reply, stop: () => this.stops++ };
  }

  /** The ids of the runs whose last call the page asked the kernel to trace. */
  traces: string[] = [];

  trace(snapshot: string): void {
    this.traces.push(snapshot);
  }

  dispose(): void {
    this.isDisposed = true;
  }

  turns(state: ChannelState): void {
    this.state = state;
    if (
      state.kind === 'lost' &&
      (state.loss === 'restarting' || state.loss === 'dead')
    ) {
      this.life.end();
      this.life = new KernelLife();
    }
    this.stateChanged.emit(state);
  }

  /** Says that the extension is loaded in the kernel. */
  greets(
    changes: Partial<Environment> = {},
    protocol = PROTOCOL,
    savesValues = true
  ): void {
    this.turns({ kind: 'joined' });
    this.received.emit({
      type: 'hello',
      seq: 1,
      protocol,
      environment: environment(changes),
      saves_values: savesValues
    });
  }

  sends(snapshot: Snapshot): void {
    this.life.received(snapshot);
    this.received.emit({ type: 'snapshot', seq: 2, snapshot });
  }
}
