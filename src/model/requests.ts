/** Sends requests of the views to the kernel; returns the answer, or rejects with a sentence on why there is none. */
import { TranslationBundle } from '@jupyterlab/translation';

import { IAsked, IChannel, Unanswered } from '../kernel/channel-interface';
import { IDocumentSizes, NO_DOCUMENT } from '../protocol/document-sizes';
import type {
  Answer,
  Params,
  KernelRequest,
  RequestName
} from '../protocol/request-types';
import { REQUESTS } from '../protocol/request-table';
import { Snapshot, Working } from '../protocol/snapshot';
import { ILongRequest, IRequests, Outcome } from '../tokens';
import { fitsRequest } from './answer-fits-request';
import { merge } from './merged-answers';
import { Runs } from './runs';
import { whyUnanswered } from './error-words';

/** The members of a model that the requests use. */
export interface IRequestsHost {
  /** The channel of the current kernel; null without a kernel. */
  channel(): IChannel | null;
  /** Takes a document of a run that has additional parts, in place of the document without these parts. */
  renew(document: Snapshot): void;
  /** Tells the model that an answer was put into the document of a run. */
  merged(): void;
  readonly runs: Runs;
}

/** Makes the object that sends the requests of one notebook. */
export function requestsOf(
  host: IRequestsHost,
  trans: TranslationBundle
): IRequests {
  /** Send a request to the kernel; a failed request rejects with a sentence. */
  const put = <Name extends RequestName>(
    request: KernelRequest<Name>,
    working?: (working: Working) => void
  ): IAsked<Name> => {
    const failed = (error: unknown): never => {
      throw new Error(whyUnanswered(error, trans));
    };
    const run = host.runs.find(request.snapshot);
    const pending =
      run !== undefined && host.runs.isOfThisLife(request.snapshot)
        ? host.channel()?.ask(request, sizesOf(run.snapshot), working)
        : null;
    const unasked = new Unanswered(pending === null ? 'not-its-own' : 'closed');
    return {
      reply: (pending?.reply ?? Promise.reject(unasked)).catch(failed),
      stop: () => pending?.stop()
    };
  };

  /** Puts an answer into the run's document; an answer about another program or file is rejected. */
  const taken = <Name extends RequestName>(
    name: Name,
    params: Params<Name>,
    answer: Answer<Name>
  ): Answer<Name> => {
    if (!fitsRequest(name, params, answer)) {
      throw new Error(whyUnanswered(null, trans));
    }
    const { into } = REQUESTS[name];
    const run = host.runs.find(
      (params as Readonly<Record<string, unknown>>).snapshot as string
    );
    if (into === 'document') {
      host.renew(answer as Snapshot);
    } else if (into !== null && run !== undefined) {
      merge(run.snapshot, name, answer);
      host.merged();
    }
    return answer;
  };

  return {
    ask: async (type, params) => {
      const reply = await put({ type, ...params }).reply;
      if (reply.type === 'confirm') {
        throw new Error(whyUnanswered(null, trans)); // a short request asks for no confirmation
      }
      return taken(type, params, reply.result);
    },
    begin: (type, params, options) => {
      const confirmed = options?.confirmed ?? false;
      const request = { type, ...params };
      const { reply, stop } = put(
        REQUESTS[type].isLong ? { ...request, confirmed } : request,
        options?.working
      );
      const result = reply.then((last): Outcome<Answer<typeof type>> =>
        last.type === 'confirm'
          ? { kind: 'confirm', question: last.question }
          : { kind: 'done', value: taken(type, params, last.result) }
      );
      return { result, stop } satisfies ILongRequest<Answer<typeof type>>;
    },
    retrace: snapshot => {
      if (host.runs.isOfThisLife(snapshot)) {
        host.channel()?.trace(snapshot);
      }
    },
    documentOf: snapshot => host.runs.documentOf(snapshot)
  };
}

/** Sends a short request that is about no run; rejects with a sentence for the user. */
export async function askOfKernel<Name extends 'live' | 'live_diff'>(
  channel: IChannel | null,
  request: KernelRequest<Name>,
  trans: TranslationBundle
): Promise<Answer<Name>> {
  try {
    if (channel?.state.kind !== 'joined') {
      throw new Unanswered('closed');
    }
    const reply = await channel.ask(request, NO_DOCUMENT).reply;
    if (reply.type === 'confirm') {
      throw new Unanswered('closed'); // a short request asks for no confirmation
    }
    return reply.result;
  } catch (error) {
    throw new Error(whyUnanswered(error, trans));
  }
}

function sizesOf(snapshot: Snapshot): IDocumentSizes {
  return {
    programs: snapshot.programs.length,
    controls: snapshot.control_flow?.length ?? 0,
    frames: snapshot.frames.length,
    scopes: snapshot.scopes.map(scope => scope.count)
  };
}
