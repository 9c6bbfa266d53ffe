/** The interface between a model and a kernel: the state of the connection, the kernel's messages, and its answers. */
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import type { IDocumentSizes } from '../protocol/document-sizes';
import type { Unreadable } from '../protocol/document';
import type { Announcement, Reply } from '../protocol/messages';
import type { KernelRequest, RequestName } from '../protocol/request-types';
import type { Refused, Working } from '../protocol/snapshot';

/** JupyterLab's connection to a kernel, for rooms that only pass the connection on. */
export type KernelConnection = Kernel.IKernelConnection;

/**
 * The reason why the page receives no messages of a kernel. After 'disconnected', JupyterLab reconnects by itself;
 * after 'cut-off', JupyterLab does not reconnect.
 */
export type Loss = 'restarting' | 'dead' | 'disconnected' | 'cut-off';

export type ChannelState =
  /**
   * The channel looks for the hub (the comm on which the kernel announces runs), or waits for the hub's first message,
   * `hello`.
   */
  | { kind: 'connecting' }
  /**
   * The kernel answers, and has no hub, because the extension is not loaded in the kernel. `hasNoJax` is present if the
   * kernel runs in the browser, where JAX does not run.
   */
  | { kind: 'not-loaded'; hasNoJax?: true }
  /**
   * The hub, the comm on which the kernel announces runs, is known; its first message, `hello`, has arrived or will
   * arrive.
   */
  | { kind: 'joined' }
  | { kind: 'lost'; loss: Loss };

/** The last reply to a request: an answer, or a confirmation that the kernel asks for. */
export type LastReply<Name extends RequestName> = Exclude<
  Reply<Name>,
  Refused | Working
>;

/** A request that was sent to the kernel, until its last reply. */
export interface IAsked<Name extends RequestName> {
  /** The last reply to the request; rejects with `Unanswered` if none arrives. */
  readonly reply: Promise<LastReply<Name>>;
  /** Asks the kernel to stop its work on the request; the reply then has the results so far. */
  stop(): void;
}

/** The reason why a request has no answer; the model makes a sentence of it. */
export class Unanswered extends Error {
  constructor(
    readonly why:
      | 'closed'
      | 'timeout'
      | 'stopped'
      /** The request is about a run, or has text, of a saved notebook or of an earlier kernel. */
      | 'not-its-own'
      | Unreadable
      | { kernel: string }
  ) {
    super('unanswered');
  }
}

/** The connection between a model and a kernel: its state, the kernel's messages, and the model's requests. */
export interface IChannel extends IDisposable {
  readonly state: ChannelState;
  readonly stateChanged: ISignal<IChannel, ChannelState>;
  /** Emits the kernel's messages, in order, each once. */
  readonly received: ISignal<IChannel, Announcement>;
  /** Emits for each message that the page cannot read. */
  readonly unreadable: ISignal<IChannel, Unreadable>;
  /**
   * Send a request to the kernel. A kernel with subshells also answers while a cell runs.
   *
   * @param sizes The sizes of the snapshot that the request is about.
   * @param working Receives the replies before the last reply.
   */
  ask<Name extends RequestName>(
    request: KernelRequest<Name>,
    sizes: IDocumentSizes,
    working?: (working: Working) => void
  ): IAsked<Name>;
  /**
   * Asks the kernel to trace the last call of a run's cell as soon as no cell runs; the kernel then sends the run's
   * snapshot again. Does nothing if no kernel is joined.
   */
  trace(snapshot: string): void;
}
