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
    const facts = { ...page, inferred_lines: [0], other_stacks: [[0, 0]] };
    const said = { ...reply, text: facts };
    expect(readReply(said, NO_DOCUMENT)).toBe(said);
    for (const wrong of [
      { inferred_lines: [1] },
      { other_stacks: [[1, 0]] },
      { other_stacks: [[0, 1]] },
      { other_stacks: [[]] }
    ]) {
      const [name] = Object.keys(wrong);
      expect(
        readReply({ ...reply, text: { ...page, ...wrong } }, NO_DOCUMENT)
      ).toMatchObject({ field: `text.${name}` });
    }
  });

  it('with the passes of a program, and lines of what one changed', () => {
    const sizes = { ...NO_DOCUMENT, programs: 1 };
    const one = {
      name: 'algsimp',
      pipeline: 'simplification',
      before: 57,
      after: 52,
      added: 6,
      removed: 11
    };
    const passes = { program: 0, seconds: 0.3, passes: [one], left_out: 0 };
    const reply = { type: 'reply', id: 1, ...nothing, passes };
    expect(readReply(reply, sizes)).toBe(reply);
    expect(
      readReply({ ...reply, passes: { ...passes, program: 1 } }, sizes)
    ).toMatchObject({ field: 'passes.program' });
    expect(
      readReply(
        {
          ...reply,
          passes: { ...passes, passes: [{ ...one, added: -1 }] }
        },
        sizes
      )
    ).toMatchObject({ field: 'passes.passes.added' });
    const page = { program: 0, index: 0, lines: 9, first_line: 0, text: '+ a' };
    const diff = { type: 'reply', id: 2, ...nothing, pass_diff: page };
    expect(readReply(diff, sizes)).toBe(diff);
    expect(
      readReply({ ...diff, pass_diff: { ...page, lines: -1 } }, sizes)
    ).toMatchObject({ field: 'pass_diff.lines' });
  });

  it('takes the text of a file, and refuses lines that the file does not have', () => {
    const sizes = NO_DOCUMENT;
    const source = {
      path: '/home/me/layers.py',
      lines: 3000,
      stretches: [
        { first_line: 5, text: 'def f(x):\n    return x' },
        { first_line: 2999, text: 'a\nb' }
      ],
      missing: null
    };
    const reply = { type: 'reply', id: 1, ...nothing, source };
    expect(readReply(reply, sizes)).toBe(reply);
    const [first, last] = source.stretches;
    for (const stretches of [
      [last, first],
      [{ ...first, first_line: 0 }],
      [{ ...last, text: 'a\nb\nc' }]
    ]) {
      const broken = { ...reply, source: { ...source, stretches } };
      expect(readReply(broken, sizes)).toMatchObject({
        unreadable: 'broken',
        field: expect.stringMatching(/^source\.stretches/)
      });
    }
  });
});
