/**
 * Reads a decoded comm message of the kernel, or says why it cannot be read.
 *
 * The prose and an example of each message are in jupyter_jaxpr/wire/messages.py.
 */
import { ANSWERS } from './answers';
import type { IDocumentSizes } from './document-sizes';
import {
  Unreadable,
  checkEnvironment,
  checkSnapshot,
  readable
} from './document';
import type { Answer, RequestName } from './request-types';
import {
  Answered,
  Confirm,
  Failed,
  Hello,
  Progress,
  Refused,
  SnapshotMessage,
  Working
} from './snapshot';
import {
  checkEach,
  fields,
  flag,
  integer,
  oneOf,
  orNull,
  row,
  seconds,
  text
} from './structure';

/** The version of the messages that this side speaks. */
export const PROTOCOL = 2;

/** The version of the browser side of the extension; a test compares it with package.json. */
export const VERSION = '0.1.0';

/** The comm that the kernel opens for its announcements. */
export const TARGET = 'jupyter_jaxpr';

/** The comm that the browser opens for its requests. */
export const REQUESTS_TARGET = 'jupyter_jaxpr.requests';

/** A message that the kernel sends without a request. */
export type Announcement = Hello | Progress | SnapshotMessage | Failed;

/** A reply of the kernel to a request; after a reply about the progress, more replies follow. */
export type Reply<Name extends RequestName = RequestName> =
  | (Omit<Answered, 'result'> & { result: Answer<Name> })
  | Refused
  | Confirm
  | Working;

/** Reads a message of the hub, the comm on which the kernel sends messages without a request; never throws. */
export function readAnnouncement(value: unknown): Announcement | Unreadable {
  return readable(() => checkAnnouncement(value));
}

/**
 * Reads a reply from the requests comm; never throws.
 *
 * @param name The name of the request.
 * @param sizes The sizes of the snapshot that the request is about.
 */
export function readReply<Name extends RequestName>(
  value: unknown,
  name: Name,
  sizes: IDocumentSizes
): Reply<Name> | Unreadable {
  return readable(() => checkReply(value, name, sizes));
}

/**
 * The id of the request to which a reply belongs, read before the rest of the reply is checked; null if the reply has
 * no id.
 */
export function replyId(value: unknown): number | null {
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'number' ? id : null;
}

/** The number of an announcement; null for an announcement without a number. */
export function sequence(value: unknown): number | null {
  const seq = (value as { seq?: unknown } | null | undefined)?.seq;
  return typeof seq === 'number' && Number.isInteger(seq) ? seq : null;
}

function checkAnnouncement(value: unknown): Announcement {
  const message = fields(value, 'message');
  const type = oneOf(message.type, 'type', [
    'hello',
    'progress',
    'snapshot',
    'failed'
  ] as const);
  integer(message.seq, 'seq', 0);
  switch (type) {
    case 'hello':
      // A `hello` of another protocol version may lack every field but the version of jupyter_jaxpr, which the sentence
      // for the user needs.
      if (integer(message.protocol, 'protocol', 1) === PROTOCOL) {
        checkEnvironment(message.environment);
        flag(message.saves_values ?? true, 'saves_values');
      } else {
        text(
          fields(message.environment, 'environment').jupyter_jaxpr,
          'environment.jupyter_jaxpr'
        );
      }
      return message as unknown as Hello;
    case 'progress':
      text(message.run, 'run');
      orNull(message.cell_id, 'cell_id', text);
      orNull(message.function, 'function', text);
      oneOf(message.stage, 'stage', STAGES);
      seconds(message.elapsed, 'elapsed');
      seconds(message.total_elapsed, 'total_elapsed');
      checkEach(message.finished, 'finished', stage => {
        const finished = row(stage, 'finished', 2);
        text(finished[0], 'finished.stage');
        seconds(finished[1], 'finished.seconds');
      });
      flag(message.interruptible, 'interruptible');
      orNull(message.warning ?? null, 'warning', text);
      orNull(message.equations ?? null, 'equations', (value, field) =>
        integer(value, field, 0)
      );
      orNull(message.loop ?? null, 'loop', value => {
        const loop = fields(value, 'loop');
        oneOf(loop.kind, 'loop.kind', ['for', 'while'] as const);
        integer(loop.line, 'loop.line', 1);
        orNull(loop.file, 'loop.file', text);
      });
      return message as unknown as Progress;
    case 'snapshot':
      checkSnapshot(message.snapshot);
      return message as unknown as SnapshotMessage;
    case 'failed':
      text(message.text, 'text');
      orNull(message.cure, 'cure', text);
      orNull(message.detail, 'detail', text);
      return message as unknown as Failed;
  }
}

const STAGES = ['running', 'trace', 'lower', 'compile', 'first_run'] as const;

function checkReply<Name extends RequestName>(
  value: unknown,
  name: Name,
  sizes: IDocumentSizes
): Reply<Name> {
  const reply = fields(value, 'reply');
  const type = oneOf(reply.type, 'type', [
    'answered',
    'refused',
    'confirm',
    'working'
  ] as const);
  const id = integer(reply.id, 'id', 0);
  switch (type) {
    case 'answered':
      return { type, id, result: ANSWERS[name](reply.result, name, sizes) };
    case 'refused':
      text(reply.reason, 'reason');
      return reply as unknown as Refused;
    case 'confirm':
      text(reply.question, 'question');
      return reply as unknown as Confirm;
    case 'working':
      text(reply.text, 'text');
      for (const field of ['done', 'total']) {
        orNull(reply[field], field, (value, field) => integer(value, field, 0));
      }
      seconds(reply.elapsed, 'elapsed');
      return reply as unknown as Working;
  }
}
