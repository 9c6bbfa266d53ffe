import { NO_DOCUMENT } from '../../protocol/document-sizes';
import {
  environment,
  progress,
  snapshot
} from '../../protocol/__tests__/documents';
import { FakeKernel, settled } from './fake-kernel';

import { Listener } from './listener';

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

  it('finds that the extension is not loaded in an idle kernel that does not name its comms, as in JupyterLite', async () => {
    jest.useFakeTimers();
    const kernel = new FakeKernel();
    let reply: (comms: Record<string, unknown>) => void = () => undefined;
    kernel.requestCommInfo = () =>
      new Promise(resolve => {
        reply = comms => resolve({ content: { status: 'ok', comms } });
      });
    const page = new Listener(kernel);
    await jest.advanceTimersByTimeAsync(2000);
    kernel.turns('busy'); // a long cell, whose end the request waits for
    await jest.advanceTimersByTimeAsync(60_000);
    kernel.turns('idle');
    await jest.advanceTimersByTimeAsync(2900);
    expect(page.states).toEqual([]);
    await jest.advanceTimersByTimeAsync(200);
    expect(page.states).toEqual([{ kind: 'not-loaded' }]);

    // The page still accepts the reply, although the reply is late.
    reply({ hub: { target_name: 'jupyter_jaxpr' } });
    await jest.advanceTimersByTimeAsync(0);
    expect(page.states).toEqual([{ kind: 'not-loaded' }, { kind: 'joined' }]);
    jest.useRealTimers();
  });

  it('finds that JAX does not run in the kernel, because the kernel runs in the browser', async () => {
    const kernel = new FakeKernel();
    kernel.info = Promise.resolve({ implementation: 'pyodide' });
    const page = new Listener(kernel);
    await settled();
    expect(page.states).toEqual([{ kind: 'not-loaded', hasNoJax: true }]);
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
      { unreadable: 'newer', version: 9, newest: 1 },
      { unreadable: 'broken', field: 'message', expected: 'an object' }
    ]);
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
