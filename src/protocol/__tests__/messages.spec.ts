import * as fc from 'fast-check';

import { NO_DOCUMENT } from '../document-sizes';
import packageJson from '../../../package.json';
import {
  VERSION,
  readAnnouncement,
  readReply,
  replyId,
  sequence
} from '../messages';
import { RequestName } from '../request-types';
import { REQUESTS } from '../request-table';
import { environment, progress, snapshot } from './documents';
import { answered, confirm, refused, working } from './replies';

const NAMES = Object.keys(REQUESTS) as RequestName[];

describe('the version of this side', () => {
  it('is the version of the package', () => {
    expect(VERSION).toBe(packageJson.version);
  });
});

describe('what the kernel says', () => {
  it.each([
    [
      'hello',
      { type: 'hello', seq: 1, protocol: 2, environment: environment() }
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
    ).toEqual({ unreadable: 'newer', version: 3, newest: 1 });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(...NAMES), (value, name) => {
        readAnnouncement(value);
        readReply(value, name, NO_DOCUMENT);
        readReply(answered(value), name, NO_DOCUMENT);
        replyId(value);
        sequence(value);
      })
    );
  });
});

describe('a reply', () => {
  const progressed = working({
    text: 'step 400',
    done: 400,
    total: null,
    elapsed: 1.2
  });

  it.each([
    ['the answer', answered('<html></html>', 7)],
    ['why there is none', refused('It is gone.', 7)],
    ['a question to the user', confirm('Print again?', 7)],
    ['how far the kernel is', progressed]
  ])('is read where it is %s', (_, reply) => {
    expect(readReply(reply, 'export', NO_DOCUMENT)).toEqual(reply);
  });

  it('has the answer itself, and nothing beside it', () => {
    const made = snapshot();
    const message = { ...answered(made, 7), reason: 'It is gone.' };
    const read = readReply(message, 'make', NO_DOCUMENT);
    expect(read).toEqual(answered(made, 7));
    expect((read as { result: unknown }).result).toBe(made);
  });

  it.each<[string, object, string]>([
    ['no type', { id: 7 }, 'type'],
    ['an unknown type', { type: 'reply', id: 7, reason: 'No.' }, 'type'],
    ['no number', { type: 'refused', reason: 'No.' }, 'id'],
    ['a negative number', refused('No.', -1), 'id'],
    ['no answer', { type: 'answered', id: 7 }, 'text'],
    ['the answer null', answered(null), 'text'],
    ['the answer to another request', answered(snapshot()), 'text.level'],
    ['no reason', { type: 'refused', id: 7 }, 'reason'],
    ['a reason of no words', { ...refused('No.'), reason: 5 }, 'reason'],
    ['no question', { type: 'confirm', id: 7 }, 'question'],
    ['progress without words', { ...progressed, text: 1 }, 'text'],
    ['less than nothing done', { ...progressed, done: -1 }, 'done'],
    ['a total of no number', { ...progressed, total: 'all' }, 'total'],
    ['no total', { ...progressed, total: undefined }, 'total'],
    ['no elapsed time', { ...progressed, elapsed: null }, 'elapsed']
  ])('with %s is not read', (_, reply, field) => {
    expect(readReply(reply, 'text', NO_DOCUMENT)).toMatchObject({
      unreadable: 'broken',
      field
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
    const read = (page: object): unknown =>
      readReply(answered(page), 'text', NO_DOCUMENT);
    expect(read(page)).toEqual(answered(page));
    expect(read({ ...page, line_stacks: [1] })).toMatchObject({
      field: 'text.line_stacks'
    });
    const facts = { ...page, inferred_lines: [0], other_stacks: [[0, 0]] };
    expect(read(facts)).toEqual(answered(facts));
    for (const wrong of [
      { inferred_lines: [1] },
      { other_stacks: [[1, 0]] },
      { other_stacks: [[0, 1]] },
      { other_stacks: [[]] }
    ]) {
      const [name] = Object.keys(wrong);
      expect(read({ ...page, ...wrong })).toMatchObject({
        field: `text.${name}`
      });
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
    const read = (passes: object): unknown =>
      readReply(answered(passes), 'passes', sizes);
    expect(read(passes)).toEqual(answered(passes));
    expect(read({ ...passes, program: 1 })).toMatchObject({
      field: 'passes.program'
    });
    expect(read({ ...passes, passes: [{ ...one, added: -1 }] })).toMatchObject({
      field: 'passes.passes.added'
    });
    const page = { program: 0, index: 0, lines: 9, first_line: 0, text: '+ a' };
    const diff = answered(page, 2);
    expect(readReply(diff, 'pass_diff', sizes)).toEqual(diff);
    const broken = answered({ ...page, lines: -1 }, 2);
    expect(readReply(broken, 'pass_diff', sizes)).toMatchObject({
      field: 'pass_diff.lines'
    });
  });

  it('takes the text of a file, and refuses lines that the file does not have', () => {
    const source = {
      path: '/home/me/layers.py',
      lines: 3000,
      stretches: [
        { first_line: 5, text: 'def f(x):\n    return x' },
        { first_line: 2999, text: 'a\nb' }
      ],
      missing: null
    };
    const reply = answered(source);
    expect(readReply(reply, 'source', NO_DOCUMENT)).toEqual(reply);
    const [first, last] = source.stretches;
    for (const stretches of [
      [last, first],
      [{ ...first, first_line: 0 }],
      [{ ...last, text: 'a\nb\nc' }]
    ]) {
      const broken = answered({ ...source, stretches });
      expect(readReply(broken, 'source', NO_DOCUMENT)).toMatchObject({
        unreadable: 'broken',
        field: expect.stringMatching(/^source\.stretches/)
      });
    }
  });
});
