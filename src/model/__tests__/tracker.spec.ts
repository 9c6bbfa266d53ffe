import {
  INotebookTracker,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import { KernelConnection } from '../../kernel/channel-interface';
import { progress, snapshot } from '../../protocol/__tests__/documents';
import { JaxprModel } from '../model';
import { IMakers, JaxprTracker } from '../tracker';
import { FakeChannel } from './fake-channel';

const trans = nullTranslator.load('jupyter_jaxpr');

/** A notebook with a kernel and some cells, reduced to the members that the tracker reads. */
class FakeNotebook {
  constructor(kernel: string, cells: string[]) {
    this.sessionContext.session = { kernel: { id: kernel } };
    this.content.model.cells = cells.map(id => ({ id }));
  }

  isDisposed = false;
  content = { model: { cells: [] as { id: string }[] } };
  sessionContext = {
    session: null as { kernel: { id: string } | null } | null,
    kernelChanged: new Signal<object, void>({})
  };
  disposed = new Signal<this, void>(this);

  get panel(): NotebookPanel {
    return this as unknown as NotebookPanel;
  }

  useKernel(id: string | null): void {
    this.sessionContext.session = id === null ? null : { kernel: { id } };
    this.sessionContext.kernelChanged.emit();
  }

  /** The user runs a cell from this page. */
  starts(cell: string): void {
    this._tell(NotebookActions.executionScheduled, cell);
  }

  ends(cell: string): void {
    this._tell(NotebookActions.executed, cell);
  }

  closes(): void {
    this.isDisposed = true;
    this.disposed.emit();
  }

  private _tell(signal: unknown, cell: string): void {
    (signal as Signal<unknown, unknown>).emit({
      notebook: this.content,
      cell: { model: { id: cell } }
    });
  }
}

/** A page with notebooks; `channels` lists each channel with the id of its kernel. */
class Page {
  constructor() {
    const makers: IMakers = {
      model: accepts => new JaxprModel(trans, accepts),
      channel: (kernel: KernelConnection) => {
        const channel = new FakeChannel();
        this.channels.push([kernel.id, channel]);
        return channel;
      }
    };
    this.tracker = new JaxprTracker(
      this as unknown as INotebookTracker,
      async () => makers
    );
    this.tracker.panelRequested.connect((_, asked) => {
      this.asked.push(asked);
    });
  }

  tracker: JaxprTracker;
  channels: [string, FakeChannel][] = [];
  asked: string[] = [];
  currentWidget: FakeNotebook | null = null;
  widgetAdded = new Signal<this, FakeNotebook>(this);
  currentChanged = new Signal<this, FakeNotebook | null>(this);

  forEach(): void {
    // The tracker exists before any notebook is open.
  }

  async opens(notebook: FakeNotebook): Promise<FakeChannel> {
    this.widgetAdded.emit(notebook);
    this.shows(notebook);
    await Promise.resolve();
    return this.channels[this.channels.length - 1][1];
  }

  shows(notebook: FakeNotebook | null): void {
    this.currentWidget = notebook;
    this.currentChanged.emit(notebook);
  }
}

function ofCell(id: string, cellId: string): ReturnType<typeof snapshot> {
  return snapshot({
    id,
    cell: { id: cellId, execution_count: 1, file: 'f', source: '' }
  });
}

describe('the notebook in front', () => {
  it('is followed, each with its own kernel', async () => {
    const page = new Page();
    const seen: (string | undefined)[] = [];
    page.tracker.currentChanged.connect((_, model) => {
      seen.push(model?.snapshot?.id);
    });
    const one = new FakeNotebook('kernel-1', ['a']);
    const two = new FakeNotebook('kernel-2', ['b']);
    const first = await page.opens(one);
    first.greets();
    first.sends(ofCell('run-1', 'a'));
    const second = await page.opens(two);
    second.greets();
    expect(page.channels.map(([id]) => id)).toEqual(['kernel-1', 'kernel-2']);
    expect(page.tracker.current?.snapshot).toBeNull();
    page.shows(one);
    expect(page.tracker.current?.snapshot?.id).toBe('run-1');
    page.shows(null);
    expect(page.tracker.current).toBeNull();
    expect(seen).toEqual([undefined, undefined, undefined, 'run-1', undefined]);
  });

  it('keeps its model when its kernel is changed', async () => {
    const page = new Page();
    const notebook = new FakeNotebook('kernel-1', ['a']);
    const first = await page.opens(notebook);
    first.greets();
    first.sends(ofCell('run-1', 'a'));
    notebook.useKernel('kernel-2');
    expect(first.isDisposed).toBe(true);
    expect(page.tracker.current?.snapshot?.id).toBe('run-1');
    expect(page.tracker.current?.status.kind).toBe('stale');
    notebook.useKernel(null);
    expect(page.channels[1][1].isDisposed).toBe(true);
  });

  it('lets everything go when it is closed', async () => {
    const page = new Page();
    const notebook = new FakeNotebook('kernel-1', ['a']);
    const channel = await page.opens(notebook);
    const model = page.tracker.current;
    notebook.closes();
    page.shows(null);
    expect(channel.isDisposed).toBe(true);
    expect(model?.isDisposed).toBe(true);
  });

  it('shows the runs of its own cells, where another one has the same kernel', async () => {
    const page = new Page();
    const one = new FakeNotebook('kernel-1', ['a']);
    const two = new FakeNotebook('kernel-1', ['b']);
    const first = await page.opens(one);
    const second = await page.opens(two);
    for (const channel of [first, second]) {
      channel.greets();
      channel.sends(ofCell('run-1', 'a'));
    }
    expect(page.tracker.current?.snapshot).toBeNull();
    page.shows(one);
    expect(page.tracker.current?.snapshot?.id).toBe('run-1');
  });
});

describe('the panel', () => {
  it('is asked for by the first run of a notebook, once', async () => {
    const page = new Page();
    const notebook = new FakeNotebook('kernel-1', ['a', 'b']);
    const channel = await page.opens(notebook);
    channel.greets();
    notebook.starts('a');
    channel.sends(ofCell('run-1', 'a'));
    notebook.starts('b');
    channel.sends(ofCell('run-2', 'b'));
    expect(page.asked).toEqual(['run']);
  });

  it('is not asked for by runs that are sent again after a reload', async () => {
    const page = new Page();
    const channel = await page.opens(new FakeNotebook('kernel-1', ['a']));
    channel.greets();
    channel.sends(ofCell('run-1', 'a'));
    expect(page.tracker.current?.snapshot?.id).toBe('run-1');
    expect(page.asked).toEqual([]);
  });

  it('opens on a saved output, in a notebook and outside of one', async () => {
    const page = new Page();
    await page.opens(new FakeNotebook('kernel-1', ['a']));
    const model = page.tracker.current;
    page.tracker.open(ofCell('run-1', 'a'));
    await Promise.resolve();
    expect(page.tracker.current).toBe(model);
    expect(model?.snapshot?.id).toBe('run-1');

    page.shows(null);
    page.tracker.open(ofCell('run-2', 'a'));
    await Promise.resolve();
    expect(page.tracker.current?.snapshot?.id).toBe('run-2');
    expect(page.tracker.current?.status.kind).toBe('no-kernel');
    expect(page.asked).toEqual(['user', 'user']);
  });
});

describe('a cell that ends', () => {
  it('ends its progress', async () => {
    const page = new Page();
    const notebook = new FakeNotebook('kernel-1', ['a']);
    const channel = await page.opens(notebook);
    channel.greets();
    channel.received.emit(progress({ cell_id: 'a' }));
    expect(page.tracker.current?.status.kind).toBe('running');
    notebook.ends('a');
    expect(page.tracker.current?.status.kind).toBe('ready');
  });
});
