import * as fc from 'fast-check';

import { NO_DOCUMENT } from '../cost';
import packageJson from '../../../package.json';
import {
  VERSION,
  readAnnouncement,
  readReply,
  replyId,
  sequence
} from '../messages';
import { environment, progress, snapshot } from './documents';

describe('the version of this side', () => {
  it('is the version of the package', () => {
    expect(VERSION).toBe(packageJson.version);
  });
});

describe('what the kernel says', () => {
  it.each([
    [
      'hello',
      { type: 'hello', seq: 1, protocol: 1, environment: environment() }
    ],
    ['progress', progress()],
    ['snapshot', { type: 'snapshot', seq: 3, snapshot: snapshot() }],
    [
      'failed',
      { type: 'failed', seq: 4, text: 'It failed.', cure: null, detail: null }
    ]
  ])('%s is read', (_, message) => {
    expect(readAnnouncement(message)).toBe(message);
  });

  it('hello of another protocol needs no more than its version', () => {
    const message = {
      type: 'hello',
      seq: 1,
      protocol: 9,
      environment: { jupyter_jaxpr: '4.0.0' }
    };
    expect(readAnnouncement(message)).toBe(message);
  });

  it.each([
    ['no type', { seq: 1 }, 'type'],
    ['an unknown type', { type: 'sing', seq: 1 }, 'type'],
    ['no number', { ...progress(), seq: 'two' }, 'seq'],
    ['an unknown stage', { ...progress(), stage: 'dream' }, 'stage'],
    [
      'a broken snapshot',
      { type: 'snapshot', seq: 1, snapshot: { version: 1 } },
      'id'
    ]
  ])('with %s is not read', (_, message, field) => {
    expect(readAnnouncement(message)).toMatchObject({
      unreadable: 'broken',
      field
    });
  });

  it('a snapshot of a newer version says so', () => {
    expect(
      readAnnouncement({ type: 'snapshot', seq: 1, snapshot: { version: 3 } })
    ).toEqual({ unreadable: 'newer', found: 3, known: 1 });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), value => {
        readAnnouncement(value);
        readReply(value, NO_DOCUMENT);
        replyId(value);
        sequence(value);
      })
    );
  });
});

describe('a reply', () => {
  const nothing = { error: null, text: null, scope: null, snapshot: null };

  it('carries exactly one answer', () => {
    const reply = { type: 'reply', id: 7, ...nothing, error: 'It is gone.' };
    expect(readReply(reply, NO_DOCUMENT)).toBe(reply);
    expect(
      readReply({ type: 'reply', id: 7, ...nothing }, NO_DOCUMENT)
    ).toMatchObject({
      field: 'reply'
    });
    expect(
      readReply({ ...reply, snapshot: snapshot() }, NO_DOCUMENT)
    ).toMatchObject({
      field: 'reply'
    });
  });

  it('with lines of text has a stack in range for each', () => {
    const page = {
      level: 'hlo',
      characters: 12,
      lines: 1,
      sha256: 'ab',
      first_line: 0,
      text: 'HloModule m',
      line_stacks: [0],
      strings: ['f'],
      files: [
        {
          path: 'a.py',
          kind: 'user',
          cell_id: null,
          execution_count: null,
          source: null
        }
      ],
      frames: [[0, 0, 1, 0, 1, 5]],
      stacks: [[[0], []]]
    };
    const reply = { type: 'reply', id: 1, ...nothing, text: page };
    expect(readReply(reply, NO_DOCUMENT)).toBe(reply);
    expect(
      readReply({ ...reply, text: { ...page, line_stacks: [1] } }, NO_DOCUMENT)
    ).toMatchObject({ field: 'text.line_stacks' });
  });
});
