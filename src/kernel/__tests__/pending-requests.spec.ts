import { NO_DOCUMENT } from '../../protocol/document-sizes';
import { snapshot } from '../../protocol/__tests__/documents';
import {
  answered,
  confirm,
  refused,
  working
} from '../../protocol/__tests__/replies';
import { TextPage, Working } from '../../protocol/snapshot';
import { Unanswered } from '../channel-interface';
import { FakeKernel, settled } from './fake-kernel';

import { Listener } from './listener';

const TEXT = {
  type: 'text',
  snapshot: 'run-1',
  program: 0,
  level: 'hlo',
  first_line: 0,
  line_count: 100
} as const;
/** The kernel's answer to the request: the first page of an HLO text. */
const PAGE: TextPage = {
  level: 'hlo',
  characters: 11,
  lines: 1,
  sha256: 'ab',
  first_line: 0,
  text: 'HloModule m',
  line_stacks: [-1],
  strings: [],
  files: [],
  frames: [],
  stacks: []
};

describe('a request', () => {
  /** Sends a request; returns the listening page, the answer, and the id of the comm on which the request was sent. */
  async function asked(kernel = new FakeKernel()): Promise<{
    page: Listener;
    answer: Promise<unknown>;
    comm: string;
  }> {
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    kernel.sent = [];
    const answer = page.channel
      .ask(TEXT, NO_DOCUMENT)
      .reply.catch((error: Unanswered) => ({ why: error.why }));
    await settled();
    return { page, answer, comm: kernel.sent[0].comm };
  }

  it('goes out on a comm of its own, on a subshell', async () => {
    const { page, comm } = await asked();
    expect(page.kernel.sent).toEqual([
      {
        type: 'comm_open',
        comm,
        target: 'jupyter_jaxpr.requests',
        data: {},
        subshell: 'subshell-1'
      },
      {
        type: 'comm_msg',
        comm,
        target: undefined,
        data: { ...TEXT, id: 1 },
        subshell: 'subshell-1'
      }
    ]);
  });

  it('waits for the cell where the user or the kernel has no subshells', async () => {
    const kernel = new FakeKernel();
    kernel.commsOverSubshells = 'disabled';
    const { page } = await asked(kernel);
    expect(page.kernel.sent.map(sent => sent.subshell)).toEqual([null, null]);
  });

  it('gets the answer with its number, whichever comes first', async () => {
    const { page, answer, comm } = await asked();
    const second = page.channel.ask(TEXT, NO_DOCUMENT);
    await settled();
    page.kernel.says(comm, answered(PAGE, 2));
    page.kernel.says(comm, answered(PAGE, 99));
    page.kernel.says(comm, refused('The kernel no longer holds this run.'));
    expect(await answer).toEqual({
      why: { kernel: 'The kernel no longer holds this run.' }
    });
    expect(await second.reply).toEqual(answered(PAGE, 2));
  });

  it.each<[string, unknown, string]>([
    ['cannot be read', { type: 'refused', id: 1, reason: 5 }, 'reason'],
    ['is of no known type', { ...refused('No.'), type: 'reply' }, 'type'],
    ['is the one to another request', answered(snapshot()), 'text.level']
  ])('is rejected where the answer %s', async (_, reply, field) => {
    const { page, answer, comm } = await asked();
    page.kernel.says(comm, reply);
    expect(await answer).toMatchObject({
      why: { unreadable: 'broken', field }
    });
  });

  it.each<[string, (page: Listener, comm: string) => void]>([
    ['the comm closes', (page, comm) => page.kernel.closes(comm)],
    ['the kernel restarts', page => page.kernel.turns('restarting')],
    ['the kernel dies', page => page.kernel.turns('dead')],
    ['the connection is lost', page => page.kernel.connects('connecting')],
    ['the notebook is closed', page => page.channel.dispose()]
  ])('is rejected at once where %s', async (_, happens) => {
    const { page, answer, comm } = await asked();
    happens(page, comm);
    expect(await answer).toEqual({ why: 'closed' });
  });

  it('is given up after its time', async () => {
    jest.useFakeTimers();
    try {
      const { answer } = await asked();
      jest.advanceTimersByTime(30_000);
      expect(await answer).toEqual({ why: 'timeout' });
    } finally {
      jest.useRealTimers();
    }
  });

  it('opens a new comm after a restart', async () => {
    const { page, comm } = await asked();
    page.kernel.turns('restarting');
    page.kernel.comms = ['hub-2'];
    page.kernel.connects('connected');
    await settled();
    page.kernel.sent = [];
    void page.channel.ask(TEXT, NO_DOCUMENT);
    await settled();
    expect(page.kernel.sent.map(sent => sent.type)).toEqual([
      'comm_open',
      'comm_msg'
    ]);
    expect(page.kernel.sent[0].comm).not.toBe(comm);
  });
});

describe('a long request', () => {
  const STEPS = {
    type: 'steps',
    snapshot: 'run-1',
    control: 0,
    confirmed: false
  } as const;
  const step = (done: number, elapsed: number): Working =>
    working({ text: `step ${done}`, done, total: 1000, elapsed });

  async function asked(): Promise<{
    kernel: FakeKernel;
    heard: string[];
    reply: Promise<unknown>;
    stop: () => void;
    comm: string;
  }> {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    kernel.sent = [];
    const heard: string[] = [];
    const { reply, stop } = page.channel.ask(
      STEPS,
      NO_DOCUMENT,
      ({ text, elapsed }) => heard.push(`${text}, ${elapsed} s`)
    );
    const answer = reply.catch(({ why }: Unanswered) => ({ why }));
    await settled();
    return { kernel, heard, reply: answer, stop, comm: kernel.sent[0].comm };
  }

  it('hears how far it is, until the last reply', async () => {
    const { kernel, heard, reply, comm } = await asked();
    kernel.says(comm, step(400, 1.2));
    kernel.says(comm, step(800, 2.3));
    const last = confirm('Print again?');
    kernel.says(comm, last);
    kernel.says(comm, step(900, 3.4));
    expect(await reply).toEqual(last);
    expect(heard).toEqual(['step 400, 1.2 s', 'step 800, 2.3 s']);
  });

  it('can be stopped while it is answered, and not afterwards', async () => {
    const { kernel, stop, reply, comm } = await asked();
    kernel.sent = [];
    stop();
    expect(kernel.sent.map(({ comm, data }) => [comm, data])).toEqual([
      [comm, { type: 'stop', id: 1 }]
    ]);
    kernel.says(comm, refused('No.'));
    expect(await reply).toEqual({ why: { kernel: 'No.' } });
    stop();
    expect(kernel.sent).toHaveLength(1);
  });

  it('is not sent where it was stopped before', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    const { reply, stop } = page.channel.ask(STEPS, NO_DOCUMENT);
    stop();
    await expect(reply).rejects.toMatchObject({ why: 'stopped' });
    expect(kernel.sent.filter(({ data }) => data === STEPS)).toEqual([]);
  });

  it('is waited for as long as the kernel gives signs of life', async () => {
    jest.useFakeTimers();
    try {
      const { kernel, reply, comm } = await asked();
      jest.advanceTimersByTime(1_799_000);
      kernel.says(comm, step(400, 1799));
      jest.advanceTimersByTime(1_799_000);
      kernel.says(comm, confirm('Sure?'));
      expect(await reply).toEqual(confirm('Sure?'));
    } finally {
      jest.useRealTimers();
    }
  });

  it('is rejected where a word about its progress is broken', async () => {
    const { kernel, heard, reply, comm } = await asked();
    kernel.says(comm, { ...step(400, 1.2), text: 1 });
    expect(await reply).toEqual({
      why: { unreadable: 'broken', field: 'text', expected: 'a text' }
    });
    expect(heard).toEqual([]);
  });
});
