/**
 * A decoded comm message comes in; one of the kernel's messages goes out, or why it cannot be read.
 *
 * The prose and an example of each message are in jupyter_jaxpr/wire/messages.py.
 */
import {
  Unreadable,
  checkEnvironment,
  checkScopePage,
  checkSnapshot,
  checkTextPage,
  readable
} from './document';
import { checkVariantComparison } from './comparison';
import { IDocumentSizes, checkProgramCost } from './cost';
import { checkProgramDiff } from './difference';
import { checkExactLinks } from './exact-links';
import { checkPassDiff, checkProgramPasses } from './passes';
import { checkRecording } from './recording';
import { checkProgramShardings } from './shardings';
import { checkSourcePage } from './source';
import { checkMachine, checkProgramTiming, checkSweep } from './timing';
import {
  Failed,
  Hello,
  Progress,
  Reply,
  SnapshotMessage,
  Working
} from './snapshot';
import {
  Mismatch,
  each,
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
export const PROTOCOL = 1;

/** The version of this side of the extension; a test holds it against package.json. */
export const VERSION = '0.1.0';

/** The comm that the kernel opens: what happened. */
export const TARGET = 'jupyter_jaxpr';

/** The comm that the browser opens: what the user asks. */
export const REQUESTS_TARGET = 'jupyter_jaxpr.requests';

/** What the kernel says without being asked. */
export type Announcement = Hello | Progress | SnapshotMessage | Failed;

/** Look at a message of the hub comm; never throws. */
export function readAnnouncement(value: unknown): Announcement | Unreadable {
  return readable(() => checkAnnouncement(value));
}

/**
 * Look at a message of the requests comm; never throws.
 *
 * @param sizes Of the snapshot that was asked about.
 */
export function readReply(
  value: unknown,
  sizes: IDocumentSizes
): Reply | Unreadable {
  return readable(() => checkReply(value, sizes));
}

/** The id of a reply, before anything else of it is looked at; null where it has none. */
export function replyId(value: unknown): number | null {
  const id = (value as { id?: unknown } | null | undefined)?.id;
  return typeof id === 'number' ? id : null;
}

/** The number of an announcement; null where it has none. */
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
      // Of another protocol only the version is sure to be there, and only it is needed.
      if (integer(message.protocol, 'protocol', 1) === PROTOCOL) {
        checkEnvironment(message.environment);
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
      each(message.finished, 'finished', stage => {
        const finished = row(stage, 'finished', 2);
        text(finished[0], 'finished.stage');
        seconds(finished[1], 'finished.seconds');
      });
      flag(message.interruptible, 'interruptible');
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

function checkReply(value: unknown, sizes: IDocumentSizes): Reply {
  const reply = fields(value, 'reply');
  oneOf(reply.type, 'type', ['reply'] as const);
  integer(reply.id, 'id', 0);
  const error = orNull(reply.error, 'error', text);
  const page = orNull(reply.text, 'text', value =>
    checkTextPage(value, sizes.scopes)
  );
  const scope = orNull(reply.scope, 'scope', value =>
    checkScopePage(value, sizes.scopes.length)
  );
  const snapshot = orNull(reply.snapshot, 'snapshot', checkSnapshot);
  const answers = [
    error,
    page,
    scope,
    snapshot,
    // These are left out where they are null.
    orNull(reply.working ?? null, 'working', checkWorking),
    orNull(reply.confirm ?? null, 'confirm', text),
    orNull(reply.recording ?? null, 'recording', value =>
      checkRecording(value)
    ),
    orNull(reply.comparison ?? null, 'comparison', value =>
      checkVariantComparison(value)
    ),
    orNull(reply.timing ?? null, 'timing', (value, field) =>
      checkProgramTiming(value, field, sizes.programs)
    ),
    orNull(reply.sweep ?? null, 'sweep', checkSweep),
    orNull(reply.machine ?? null, 'machine', checkMachine),
    orNull(reply.passes ?? null, 'passes', (value, field) =>
      checkProgramPasses(value, field, sizes.programs)
    ),
    orNull(reply.pass_diff ?? null, 'pass_diff', (value, field) =>
      checkPassDiff(value, field, sizes.programs)
    ),
    orNull(reply.exact_links ?? null, 'exact_links', (value, field) =>
      checkExactLinks(value, field, sizes.programs)
    ),
    orNull(reply.shardings ?? null, 'shardings', (value, field) =>
      checkProgramShardings(value, field, sizes)
    ),
    orNull(reply.cost ?? null, 'cost', (value, field) =>
      checkProgramCost(value, field, sizes)
    ),
    orNull(reply.diff ?? null, 'diff', checkProgramDiff),
    orNull(reply.page ?? null, 'page', text),
    orNull(reply.source ?? null, 'source', checkSourcePage)
  ].filter(one => one !== null);
  if (answers.length !== 1) {
    throw new Mismatch(
      'reply',
      'exactly one of error, text, scope, snapshot, working, confirm, recording, comparison, timing, sweep, machine, cost, shardings, passes, pass_diff, exact_links, diff, page, source'
    );
  }
  return reply as unknown as Reply;
}

function checkWorking(value: unknown): Working {
  const working = fields(value, 'working');
  text(working.text, 'working.text');
  for (const name of ['done', 'total']) {
    orNull(working[name], `working.${name}`, (value, field) =>
      integer(value, field, 0)
    );
  }
  seconds(working.elapsed, 'working.elapsed');
  return working as unknown as Working;
}
