/** Keeps the requests to a kernel until their last replies. */
import type { JSONObject } from '@lumino/coreutils';

import type { IDocumentSizes } from '../protocol/document-sizes';
import { isUnreadable } from '../protocol/document';
import type { KernelLife } from '../protocol/evaluable';
import { readReply, replyId } from '../protocol/messages';
import type { KernelRequest, RequestName } from '../protocol/request-types';
import { REQUESTS } from '../protocol/request-table';
import type { Snapshot, Working } from '../protocol/snapshot';
import { LastReply, Unanswered } from './channel-interface';
import { Buffers, decode, onWire } from './wire-form';

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

/** The requests to one kernel that wait for a reply. */
export class PendingRequests {
  constructor(
    private _send: (comm: string, data: JSONObject) => void,
    private _lifeNow: () => KernelLife
  ) {}

  has(id: number): boolean {
    return this._pending.has(id);
  }

  /** Send a request and wait for its last reply. */
  ask<Name extends RequestName>(
    id: number,
    request: KernelRequest<Name>,
    sizes: IDocumentSizes,
    working: (working: Working) => void,
    comm: string
  ): Promise<LastReply<Name>> {
    // The cast is needed because the types of requests have no index signature; their values are JSON objects.
    const data = { ...(onWire(request, this._life) as object), id };
    const name: RequestName = request.type;
    return new Promise<LastReply<Name>>((resolve, reject) => {
      const patience = (): ReturnType<typeof setTimeout> =>
        setTimeout(() => {
          this._pending.delete(id);
          reject(new Unanswered('timeout'));
        }, REQUESTS[name].patience * 1000);
      const pending: IPending = {
        name,
        // The cast is safe, because `readReply` checks the reply as a reply to a request of this name.
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
      try {
        this._send(comm, data);
      } catch (error) {
        this._pending.delete(id);
        clearTimeout(pending.timer);
        throw error;
      }
    });
  }

  /** Gives a reply of the kernel to the request whose id the reply has. */
  answer(data: unknown, buffers: Buffers): void {
    const message = decode(data, buffers);
    const id = replyId(message);
    const pending = id === null ? undefined : this._pending.get(id);
    if (id === null || pending === undefined) {
      return; // the answer came after the request had timed out
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

  /** Reject all requests: the kernel cannot answer them any more. */
  rejectAll(): void {
    const pending = [...this._pending.values()];
    this._pending.clear();
    for (const request of pending) {
      clearTimeout(request.timer);
      request.reject(new Unanswered('closed'));
    }
  }

  private get _life(): KernelLife {
    return this._lifeNow();
  }

  private _pending = new Map<number, IPending>();
}
