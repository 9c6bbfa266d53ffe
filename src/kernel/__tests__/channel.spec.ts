import { NO_DOCUMENT } from '../../protocol/cost';
import { Unreadable } from '../../protocol/document';
import { Announcement } from '../../protocol/messages';
import {
  environment,
  progress,
  snapshot,
  sweep
} from '../../protocol/__tests__/documents';
import {
  answered,
  confirm,
  refused,
  working
} from '../../protocol/__tests__/replies';
import { typed } from '../../protocol/__tests__/typing';
import { EvaluableText } from '../../protocol/evaluable';
import { Snapshot, TextPage, Working } from '../../protocol/snapshot';
import { Channel } from '../channel';
import { ChannelState, Unanswered } from '../channel-interface';
import { FakeKernel, settled } from './fake-kernel';

const HELLO = {
  type: 'hello',
  seq: 1,
  protocol: 2,
  environment: environment()
};
const RESEND = { type: 'resend', protocol: 2, version: '0.1.0' };
const TEXT = {
  type: 'text',
  snapshot: 'run-1',
  program: 0,
  level: 'hlo',
  first_line: 0,
  line_count: 100
} as const;
/** An answer to it. */
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

/** A channel to a kernel, and what it said since. */
class Listener {
  constructor(readonly kernel: FakeKernel) {
    this.channel = new Channel(kernel.connection);
    this.channel.received.connect((_, message) => {
      this.heard.push(message);
    });
    this.channel.unreadable.connect((_, reason) => {
      this.unreadable.push(reason);
    });
    this.channel.stateChanged.connect((_, state) => {
      this.states.push(state);
    });
  }

  channel: Channel;
  heard: Announcement[] = [];
  unreadable: Unreadable[] = [];
  states: ChannelState[] = [];

  /** The messages of the hub, each in a word. */
  get words(): string[] {
    return this.heard.map(message => `${message.type} ${message.seq}`);
  }
}

describe('a page that opens on a kernel', () => {
  it('finds that the extension is not loaded', async () => {
    const page = new Listener(new FakeKernel());
    expect(page.channel.state).toEqual({ kind: 'connecting' });
    await settled();
    expect(page.states).toEqual([{ kind: 'not-loaded' }]);
    expect(page.kernel.sent).toEqual([]);
  });

  it('hears the hub that a cell opens', async () => {
    const page = new Listener(new FakeKernel());
    await settled();
    page.kernel.opens('hub');
    page.kernel.says('hub', HELLO);
    expect(page.states).toEqual([{ kind: 'not-loaded' }, { kind: 'joined' }]);
    expect(page.words).toEqual(['hello 1']);
  });

  it('joins a hub that is open, and asks on a subshell for everything', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    expect(page.channel.state).toEqual({ kind: 'joined' });
    expect(kernel.sent).toEqual([
      {
        type: 'comm_msg',
        comm: 'hub',
        target: undefined,
        data: RESEND,
        subshell: 'subshell-1'
      }
    ]);
  });

  it('hears progress of a cell that runs before the kernel can name its comms', async () => {
    const kernel = new FakeKernel();
    kernel.requestCommInfo = () => new Promise(() => undefined);
    const page = new Listener(kernel);
    kernel.says('hub', progress({ seq: 7 }));
    expect(page.words).toEqual(['progress 7']);
    expect(page.channel.state).toEqual({ kind: 'connecting' });
  });

  it('leaves comms of others alone', async () => {
    const page = new Listener(new FakeKernel());
    await settled();
    page.kernel.opens('widget', 'jupyter.widget');
    page.kernel.says('widget', { method: 'update', state: {} });
    page.kernel.says('other', { type: 'progress', seq: 1 });
    expect(page.heard).toEqual([]);
    expect(page.channel.state).toEqual({ kind: 'not-loaded' });
  });

  it('welcomes the hub, which JupyterLab would close otherwise', () => {
    const page = new Listener(new FakeKernel());
    expect([...page.kernel.targets.keys()]).toEqual(['jupyter_jaxpr']);
    page.channel.dispose();
    expect([...page.kernel.targets.keys()]).toEqual([]);
  });
});

describe('what the kernel says', () => {
  async function joined(): Promise<Listener> {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    return page;
  }

  it('is heard once and in order: what is late or doubled is dropped', async () => {
    const page = await joined();
    page.kernel.says('hub', HELLO);
    page.kernel.says('hub', progress({ seq: 3 }));
    page.kernel.says('hub', progress({ seq: 2 }));
    page.kernel.says('hub', progress({ seq: 3 }));
    page.kernel.says('hub', progress({ seq: 4 }));
    expect(page.words).toEqual(['hello 1', 'progress 3', 'progress 4']);
  });

  it('starts its numbers anew with a new hub', async () => {
    const page = await joined();
    page.kernel.says('hub', progress({ seq: 40 }));
    page.kernel.closes('hub');
    page.kernel.opens('hub-2');
    page.kernel.says('hub-2', HELLO);
    expect(page.words).toEqual(['progress 40', 'hello 1']);
    expect(page.states.map(state => state.kind)).toEqual([
      'joined',
      'not-loaded',
      'joined'
    ]);
  });

  it('may be long: then it is in a buffer', async () => {
    const page = await joined();
    page.kernel.saysAtLength(
      'hub',
      new TextEncoder().encode(
        JSON.stringify({ type: 'snapshot', seq: 2, snapshot: snapshot() })
      )
    );
    expect(page.words).toEqual(['snapshot 2']);
  });

  it('is said to be unreadable where it is', async () => {
    const page = await joined();
    page.kernel.says('hub', {
      type: 'snapshot',
      seq: 2,
      snapshot: { version: 9 }
    });
    page.kernel.saysAtLength('hub', new TextEncoder().encode('{"type":'));
    expect(page.heard).toEqual([]);
    expect(page.unreadable).toEqual([
      { unreadable: 'newer', found: 9, known: 1 },
      { unreadable: 'broken', field: 'message', expected: 'an object' }
    ]);
  });
});

describe('a question', () => {
  /** Ask, and see the comm that the question went out on. */
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
    ['is the one to another question', answered(snapshot()), 'text.level']
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

describe('a long question', () => {
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

describe('a kernel that goes away', () => {
  it('restarts, and is without the extension then', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    kernel.turns('restarting');
    kernel.comms = [];
    kernel.connects('connecting');
    kernel.connects('connected');
    await settled();
    expect(page.states).toEqual([
      { kind: 'joined' },
      { kind: 'lost', loss: 'restarting' },
      { kind: 'not-loaded' }
    ]);
  });

  it('is restarted from another page: this one hears of its start alone', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    kernel.comms = [];
    kernel.turns('starting');
    await settled();
    expect(page.states).toEqual([
      { kind: 'joined' },
      { kind: 'lost', loss: 'restarting' },
      { kind: 'not-loaded' }
    ]);
  });

  it('is restarted from another page, and this one hears of it by a later message', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    kernel.prints('in the first life');
    kernel.comms = [];
    kernel.session = 'life-2';
    kernel.prints('in the second life');
    await settled();
    expect(page.states).toEqual([
      { kind: 'joined' },
      { kind: 'lost', loss: 'restarting' },
      { kind: 'not-loaded' }
    ]);
  });

  it('hears a message that the server signed: the kernel still has its hub', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    kernel.prints('of the kernel');
    kernel.session = 'the server';
    kernel.prints('of the server');
    await settled();
    expect(page.states).toEqual([{ kind: 'joined' }]);
  });

  it('is cut off where JupyterLab no longer tries to connect', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    kernel.connects('connecting');
    kernel.connects('disconnected');
    await settled();
    expect(page.states).toEqual([
      { kind: 'joined' },
      { kind: 'lost', loss: 'disconnected' },
      { kind: 'lost', loss: 'cut-off' }
    ]);
  });

  it('loses its connection, and is asked for everything when it is back', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    kernel.says('hub', progress({ seq: 5 }));
    kernel.connects('connecting');
    kernel.sent = [];
    kernel.connects('connected');
    await settled();
    expect(page.states).toEqual([
      { kind: 'joined' },
      { kind: 'lost', loss: 'disconnected' },
      { kind: 'joined' }
    ]);
    expect(kernel.sent.map(sent => sent.data)).toEqual([RESEND]);
    kernel.says('hub', { ...HELLO, seq: 6 });
    expect(page.words).toEqual(['progress 5', 'hello 6']);
  });

  it('keeps its hub when a page closes: other pages listen to it', async () => {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    page.channel.ask(TEXT, NO_DOCUMENT).reply.catch(() => undefined);
    await settled();
    const asking = kernel.sent[kernel.sent.length - 1].comm;
    kernel.sent = [];
    page.channel.dispose();
    expect(kernel.sent.map(({ type, comm }) => [type, comm])).toEqual([
      ['comm_close', asking]
    ]);
    expect(kernel.deletedSubshells).toEqual(['subshell-1']);
    kernel.says('hub', { ...HELLO, seq: 9 });
    expect(page.heard).toEqual([]);
  });
});

describe('text to be evaluated', () => {
  const SWEEP = { type: 'sweep', snapshot: 'run-1', confirmed: false } as const;

  /** A page that has heard a run of this kernel, and what it would ask. */
  async function heard(): Promise<{
    page: Listener;
    call: EvaluableText | null;
    /** What the kernel is asked, or why it is not. */
    ask: (call: EvaluableText | null) => Promise<unknown>;
  }> {
    const kernel = new FakeKernel();
    kernel.comms = ['hub'];
    const page = new Listener(kernel);
    await settled();
    const document = snapshot({ sweep: sweep({ call: 'f(n)' }) });
    kernel.says('hub', { type: 'snapshot', seq: 2, snapshot: document });
    const [message] = page.heard;
    const received = (message as { snapshot: Snapshot }).snapshot;
    const ask = async (call: EvaluableText | null): Promise<unknown> => {
      kernel.sent = [];
      let why: unknown = null;
      page.channel
        .ask(
          {
            ...SWEEP,
            sweep: typed('n=1,2'),
            call: call!,
            functions: [typed('g')]
          },
          NO_DOCUMENT
        )
        .reply.catch((error: Unanswered) => (why = error.why));
      await settled();
      const asked = kernel.sent.find(({ type }) => type === 'comm_msg');
      return asked?.data ?? why;
    };
    return {
      page,
      call: EvaluableText.sent(received, run => run.sweep?.call ?? null),
      ask
    };
  }

  it('goes out as text: what was typed, and what this kernel sent', async () => {
    const { ask, call } = await heard();
    expect(await ask(call)).toEqual({
      ...SWEEP,
      id: 1,
      sweep: 'n=1,2',
      call: 'f(n)',
      functions: ['g']
    });
  });

  it.each<[string, (page: Listener) => void]>([
    ['was restarted', page => page.kernel.turns('restarting')],
    [
      'was restarted while the page could not hear it',
      page => {
        page.kernel.connects('connecting');
        page.kernel.comms = ['hub-2'];
      }
    ]
  ])('stays here where the kernel that sent it %s', async (_, happens) => {
    const { page, ask, call } = await heard();
    happens(page);
    page.kernel.connects('connected');
    await settled();
    expect(await ask(call)).toBe('not-its-own');
    expect(await ask(typed('f(n)'))).toMatchObject({ call: 'f(n)' });
  });

  it('goes out where it came with an answer', async () => {
    const { page, ask } = await heard();
    const { reply } = page.channel.ask(
      { type: 'make', snapshot: 'run-1', program: 0, level: 'hlo' },
      NO_DOCUMENT
    );
    await settled();
    const { comm } = page.kernel.sent[page.kernel.sent.length - 1];
    const made = snapshot({ sweep: sweep({ call: 'g(n)' }) });
    const sent = (): EvaluableText | null =>
      EvaluableText.sent(made, run => run.sweep?.call ?? null);
    expect(sent()).toBeNull();
    page.kernel.says(comm, answered(made));
    expect(await reply).toEqual(answered(made));
    expect(await ask(sent())).toMatchObject({ call: 'g(n)' });
  });

  it('goes out where the connection was lost and found again', async () => {
    const { page, ask, call } = await heard();
    page.kernel.connects('connecting');
    page.kernel.connects('connected');
    await settled();
    expect(await ask(call)).toMatchObject({ call: 'f(n)' });
  });

  it('stays here where another kernel sent it, and once the page let go of it', async () => {
    const first = await heard();
    const second = await heard();
    expect(await second.ask(first.call)).toBe('not-its-own');
    first.page.channel.dispose();
    expect(first.call?.inCell).toBeNull();
  });
});
