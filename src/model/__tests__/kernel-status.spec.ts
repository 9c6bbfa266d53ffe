import { environment, progress } from '../../protocol/__tests__/documents';
import { PROTOCOL } from '../../protocol/messages';
import { JaxprModel } from '../model';
import { FakeChannel } from './fake-channel';

import { connected, opened, run } from './opened-model';

/** Lists the ids of the runs that the user can choose; the run in view is in brackets. */
function listed(model: JaxprModel): string {
  return model.runs
    .map(({ snapshot: { id } }) => (id === model.snapshot?.id ? `[${id}]` : id))
    .join(' ');
}

describe('a notebook that opens', () => {
  it('goes from no kernel to a kernel with the extension', () => {
    const { model, kernel } = opened();
    model.setChannel(null);
    const seen = [model.status.kind];
    model.changed.connect((_, change) => {
      if (change === 'status') {
        seen.push(model.status.kind);
      }
    });
    kernel.state = { kind: 'connecting' };
    model.setChannel(kernel);
    kernel.turns({ kind: 'not-loaded' });
    kernel.greets();
    expect(seen).toEqual([
      'no-kernel',
      'connecting',
      'not-loaded',
      'connecting',
      'ready'
    ]);
  });

  it.each([
    [
      PROTOCOL + 1,
      'The kernel has jupyter_jaxpr 0.9.0 and JupyterLab has 0.1.0. These versions do not work together. Run "pip install jupyter_jaxpr==0.9.0" where JupyterLab is installed, restart JupyterLab and reload this page.'
    ],
    [
      PROTOCOL - 1,
      'The kernel has jupyter_jaxpr 0.9.0 and JupyterLab has 0.1.0. These versions do not work together. Run "%pip install jupyter_jaxpr==0.1.0" in this notebook and restart its kernel.'
    ]
  ])('of protocol %d names both versions and the cure', (protocol, reason) => {
    const { model, kernel } = opened();
    kernel.greets({ jupyter_jaxpr: '0.9.0' }, protocol);
    kernel.sends(run('run-1'));
    expect(model.status).toEqual({ kind: 'unusable', reason });
    expect(model.snapshot).toBeNull();
  });
});

describe('a long run', () => {
  it('shows its progress until its snapshot comes', () => {
    const { model, kernel } = connected();
    kernel.received.emit(progress());
    expect(model.status).toEqual({
      kind: 'running',
      environment: environment(),
      progress: progress()
    });
    kernel.sends(run('run-2'));
    expect(model.status.kind).toBe('ready');
  });

  it('is over when its cell has ended, whatever the kernel says', () => {
    const { model, kernel } = connected();
    kernel.received.emit(progress({ cell_id: 'cell-14' }));
    model.endCell('cell-1');
    expect(model.status.kind).toBe('running');
    model.endCell('cell-14');
    expect(model.status.kind).toBe('ready');
  });

  it('is over when something of ours fails', () => {
    const { model, kernel } = connected();
    kernel.received.emit(progress());
    kernel.received.emit({
      type: 'failed',
      seq: 3,
      text: 'The program could not be read.',
      cure: 'Run the cell again.',
      detail: 'Traceback'
    });
    expect(model.status.kind).toBe('ready');
    expect(model.failure).toEqual({
      text: 'The program could not be read.',
      cure: 'Run the cell again.',
      detail: 'Traceback'
    });
    kernel.sends(run('run-2'));
    expect(model.failure).toBeNull();
  });
});

describe('a kernel that goes away', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: new Date(2026, 7, 17, 2, 51) });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
  const since = new Date(2026, 7, 17, 2, 51);

  it('leaves its last run in view, from before, until the cell runs again', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.turns({ kind: 'lost', loss: 'restarting' });
    kernel.turns({ kind: 'not-loaded' });
    expect(model.status).toEqual({
      kind: 'stale',
      reason: 'Kernel restarted',
      since,
      cure: 'Run %load_ext jupyter_jaxpr, then run cell [7] again to refresh the panel.',
      again: 'load and run'
    });
    expect(model.requests).toBeNull();

    kernel.greets();
    expect(model.status).toMatchObject({
      kind: 'stale',
      cure: 'Run cell [7] again to refresh the panel.',
      again: 'run'
    });

    kernel.sends(run('run-2'));
    expect(model.status.kind).toBe('ready');
    expect(model.requests).not.toBeNull();
    model.setRun('run-1');
    expect(model.status.kind).toBe('stale');
  });

  it('dies', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.turns({ kind: 'lost', loss: 'dead' });
    expect(model.status).toEqual({
      kind: 'stale',
      reason: 'Kernel died',
      since,
      cure: 'Start a kernel and run the cell again to refresh the panel.',
      again: null
    });
  });

  it('is only out of reach: what is in view holds when it is back', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.turns({ kind: 'lost', loss: 'disconnected' });
    expect(model.status).toMatchObject({
      kind: 'stale',
      reason: 'Connection lost',
      since
    });
    kernel.greets();
    expect(model.status.kind).toBe('ready');
    expect(model.requests).not.toBeNull();
  });

  it('is cut off: JupyterLab connects again when it is told to', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    kernel.turns({ kind: 'lost', loss: 'cut-off' });
    expect(model.status).toEqual({
      kind: 'stale',
      reason: 'Connection lost',
      since,
      cure: 'Choose Reconnect to Kernel in the Kernel menu, or reload the page.',
      again: null
    });
  });

  it('is changed for another one', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    const other = new FakeChannel();
    model.setChannel(other);
    expect(model.status).toMatchObject({
      kind: 'stale',
      reason: 'Kernel changed',
      cure: 'Run %load_ext jupyter_jaxpr, then run cell [7] again to refresh the panel.'
    });
    kernel.sends(run('run-2'));
    expect(listed(model)).toBe('[run-1]');
  });

  it('is shut down', () => {
    const { model, kernel } = connected();
    kernel.sends(run('run-1'));
    model.setChannel(null);
    expect(model.status).toMatchObject({
      kind: 'stale',
      reason: 'Kernel shut down',
      cure: 'Start a kernel and run the cell again to refresh the panel.'
    });
  });

  it('had shown nothing: then there is nothing to grey', () => {
    const { model, kernel } = connected();
    kernel.turns({ kind: 'lost', loss: 'dead' });
    expect(model.status.kind).toBe('no-kernel');
  });
});
