/** Converts requests and messages to and from the form in which they travel between page and kernel. */
import { EvaluableText, KernelLife } from '../protocol/evaluable';
import { readAnnouncement, sequence } from '../protocol/messages';
import type { WireRequest } from '../protocol/request-types';
import { Unanswered } from './channel-interface';

/**
 * A request in the form that the kernel reads, with its evaluable texts as strings.
 *
 * @throws Unanswered if a text is from another kernel, or from before a restart.
 */
export function onWire(request: object, life: KernelLife): WireRequest {
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
    Object.entries(request).map(([field, value]) => [field, written(value)])
  ) as WireRequest;
}

export type Buffers = readonly (ArrayBuffer | ArrayBufferView)[];

/** The message in a comm's data, or in its buffer if it is long; null if the message is not JSON. */
export function decode(data: unknown, buffers: Buffers): unknown {
  if ((data as { type?: unknown } | null)?.type !== 'buffer') {
    return data;
  }
  try {
    return JSON.parse(new TextDecoder().decode(buffers[0]));
  } catch {
    return null;
  }
}

/** True if a message of an unknown comm can only be a message of our hub, the kernel's comm for announcements. */
export function isOurs(data: unknown): boolean {
  const type = (data as { type?: unknown } | null)?.type;
  return (
    sequence(data) !== null &&
    (type === 'progress' || type === 'hello' || type === 'snapshot') &&
    readAnnouncement(data) === data
  );
}
