import { NO_DOCUMENT } from '../../protocol/document-sizes';
import { environment, snapshot } from '../../protocol/__tests__/documents';
import { EvaluableText } from '../../protocol/evaluable';
import type { Announcement } from '../../protocol/messages';
import { IWidgetMessages, WidgetChannel } from '../widget-channel';

const NO_SIZES = { ...NO_DOCUMENT, programs: 1, scopes: [2] };

/** Stands in for the host's end of a widget: records the messages of the views, and sends messages of the kernel. */
class Host implements IWidgetMessages {
  readonly sent: { type?: string; id?: number }[] = [];
  private _listeners = new Set<(content: unknown) => void>();

  send(content: object): void {
    this.sent.push(content);
  }

  on(_: string, listener: (content: unknown) => void): void {
    this._listeners.add(listener);
  }

  off(_: string, listener: (content: unknown) => void): void {
    this._listeners.delete(listener);
  }

  says(content: unknown): void {
    this._listeners.forEach(listener => listener(content));
  }

  get isHeard(): boolean {
    return this._listeners.size > 0;
  }
}

describe('the channel of a widget', () => {
  it('asks for the run, joins at the first message, and tells each', () => {
    const host = new Host();
    const channel = new WidgetChannel(host);
    const told: Announcement['type'][] = [];
    channel.received.connect((_, { type }) => told.push(type));
    expect(host.sent).toMatchObject([{ type: 'resend', protocol: 2 }]);
    host.says({ type: 'views', gzip: '' });
    expect(channel.state.kind).toBe('connecting');
    host.says({
      type: 'hello',
      seq: 1,
      protocol: 2,
      environment: environment()
    });
    host.says({ type: 'snapshot', seq: 2, snapshot: snapshot() });
    expect(channel.state.kind).toBe('joined');
    expect(told).toEqual(['hello', 'snapshot']);
    channel.dispose();
    expect(host.isHeard).toBe(false);
  });

  it('gives each request its reply, and none of another view', async () => {
    const host = new Host();
    const channel = new WidgetChannel(host);
    const { reply } = channel.ask(
      { type: 'export', snapshot: 'run', program: 0 },
      NO_SIZES
    );
    await Promise.resolve();
    const { id = 0 } = host.sent[1];
    host.says({ type: 'answered', id: id + 1, result: 'of another view' });
    host.says({ type: 'answered', id, result: 'a page' });
    expect(await reply).toMatchObject({ result: 'a page' });
    const refused = channel.ask(
      { type: 'export', snapshot: 'run', program: 0 },
      NO_SIZES
    );
    await Promise.resolve();
    host.says({ type: 'refused', id: host.sent[2].id, reason: 'No.' });
    await expect(refused.reply).rejects.toMatchObject({
      why: { kernel: 'No.' }
    });
    channel.dispose();
  });

  it('sends no text of a saved document to be evaluated', () => {
    const host = new Host();
    const channel = new WidgetChannel(host);
    const sent = snapshot();
    const saved = snapshot();
    host.says({ type: 'snapshot', seq: 1, snapshot: sent });
    expect(EvaluableText.sent(sent, ({ id }) => id)).not.toBeNull();
    expect(EvaluableText.sent(saved, ({ id }) => id)).toBeNull();
    channel.dispose();
    expect(EvaluableText.sent(sent, ({ id }) => id)).toBeNull();
  });

  it('says that the connection is closed where the kernel is gone', async () => {
    const host = new Host();
    host.send = () => {
      throw new Error('Cannot send'); // JupyterLab's comms throw this error after a restart of the kernel
    };
    const channel = new WidgetChannel(host);
    expect(channel.state.kind).toBe('connecting');
    channel.trace('run');
    const { reply, stop } = channel.ask(
      { type: 'export', snapshot: 'run', program: 0 },
      NO_SIZES
    );
    await expect(reply).rejects.toMatchObject({ why: 'closed' });
    stop();
    channel.dispose();
  });
});
