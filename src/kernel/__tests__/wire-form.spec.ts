import { NO_DOCUMENT } from '../../protocol/document-sizes';
import { snapshot, sweep } from '../../protocol/__tests__/documents';
import { answered } from '../../protocol/__tests__/replies';
import { typed } from '../../protocol/__tests__/typing';
import { EvaluableText } from '../../protocol/evaluable';
import { Snapshot } from '../../protocol/snapshot';
import { Unanswered } from '../channel-interface';
import { FakeKernel, settled } from './fake-kernel';

import { Listener } from './listener';

describe('text to be evaluated', () => {
  const SWEEP = { type: 'sweep', snapshot: 'run-1', confirmed: false } as const;

  /** Makes a page that has received a run of this kernel, and the function by which the page asks for a sweep. */
  async function heard(): Promise<{
    page: Listener;
    call: EvaluableText | null;
    /** Asks for a sweep; resolves to the request that the kernel gets, or to the reason why there is no request. */
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
