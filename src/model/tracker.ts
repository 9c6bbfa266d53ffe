/** Keeps a model for each open notebook, connected to the notebook's kernel, and knows which notebook is in front. */
import {
  INotebookTracker,
  Notebook,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { Cell } from '@jupyterlab/cells';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { IChannel, KernelConnection } from '../kernel/channel-interface';
import { Snapshot } from '../protocol/snapshot';
import { IJaxprModel, IJaxprTracker } from '../tokens';
import type { JaxprModel } from './model';

/** Makes the objects that a notebook needs; the code is only loaded when the first notebook opens. */
export interface IMakers {
  /** Makes a model that takes the runs of the cells that `accepts` accepts. */
  model(accepts: (cellId: string | null) => boolean): JaxprModel;
  /** Makes the channel of a kernel; the tracker disposes the channel. */
  channel(kernel: KernelConnection): IChannel;
}

/** The objects and facts that the tracker stores for an open notebook. */
interface IFollowed {
  model: JaxprModel;
  kernel: KernelConnection | null;
  channel: IChannel | null;
  /** The cells that ran from this page; runs that the kernel sends again after a reload belong to none of them. */
  started: Set<string>;
  /** True if the panel was opened automatically for this notebook. */
  opened: boolean;
}

export class JaxprTracker implements IJaxprTracker, IDisposable {
  constructor(
    private _notebooks: INotebookTracker,
    private _load: () => Promise<IMakers>
  ) {
    _notebooks.forEach(panel => this._onAdded(null, panel));
    _notebooks.widgetAdded.connect(this._onAdded, this);
    _notebooks.currentChanged.connect(this._onCurrent, this);
    NotebookActions.executionScheduled.connect(this._onStarted, this);
    NotebookActions.executed.connect(this._onEnded, this);
  }

  get current(): IJaxprModel | null {
    return this._current;
  }

  get currentChanged(): ISignal<this, IJaxprModel | null> {
    return this._currentChanged;
  }

  get panelRequested(): ISignal<this, 'user' | 'run'> {
    return this._panelRequested;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  open(snapshot: Snapshot): void {
    void this._open(snapshot);
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    for (const panel of [...this._followed.keys()]) {
      this._forget(panel);
    }
    this._alone?.dispose();
    Signal.clearData(this);
  }

  private async _open(snapshot: Snapshot): Promise<void> {
    const make = await this._load();
    if (this._current === null) {
      // This model is for saved outputs that are shown without a notebook or in a separate tab; it has no kernel.
      this._alone = make.model(() => true);
      this._setCurrent(this._alone);
    }
    this._current?.show(snapshot, true);
    this._panelRequested.emit('user');
  }

  private _onAdded(_: unknown, panel: NotebookPanel): void {
    this._load().then(
      make => this._follow(panel, make),
      reason =>
        console.error(
          'jupyter-jaxpr tracker: not loaded, reload the page',
          reason
        )
    );
  }

  private _follow(panel: NotebookPanel, make: IMakers): void {
    if (this._isDisposed || panel.isDisposed || this._followed.has(panel)) {
      return;
    }
    const model = make.model(cellId => this._belongs(panel, cellId));
    const channel = make.channel;
    this._followed.set(panel, {
      model,
      kernel: null,
      channel: null,
      started: new Set(),
      opened: false
    });
    model.arrived.connect((_, snapshot) => this._onArrived(panel, snapshot));
    panel.sessionContext.kernelChanged.connect(
      () => this._useKernel(panel, channel),
      this
    );
    panel.disposed.connect(this._forget, this);
    this._useKernel(panel, channel);
    this._onCurrent();
  }

  /** Connects the model of a notebook to the notebook's present kernel. */
  private _useKernel(panel: NotebookPanel, channel: IMakers['channel']): void {
    const followed = this._followed.get(panel);
    const kernel = panel.sessionContext.session?.kernel ?? null;
    if (followed === undefined || followed.kernel === kernel) {
      return;
    }
    followed.kernel = kernel;
    const earlier = followed.channel;
    followed.channel = kernel === null ? null : channel(kernel);
    followed.model.setChannel(followed.channel);
    earlier?.dispose();
  }

  private _forget(panel: NotebookPanel): void {
    const followed = this._followed.get(panel);
    this._followed.delete(panel);
    followed?.model.dispose();
    followed?.channel?.dispose();
  }

  private _onCurrent(): void {
    const panel = this._notebooks.currentWidget;
    this._setCurrent(
      panel === null ? null : (this._followed.get(panel)?.model ?? null)
    );
  }

  private _setCurrent(model: JaxprModel | null): void {
    if (model === this._current) {
      return;
    }
    if (this._alone !== null && this._alone !== model) {
      this._alone.dispose();
      this._alone = null;
    }
    this._current = model;
    this._currentChanged.emit(model);
  }

  private _onStarted(
    _: unknown,
    { notebook, cell }: { notebook: Notebook; cell: Cell }
  ): void {
    this._of(notebook)?.started.add(cell.model.id);
  }

  private _onEnded(
    _: unknown,
    { notebook, cell }: { notebook: Notebook; cell: Cell }
  ): void {
    this._of(notebook)?.model.endCell(cell.model.id);
  }

  private _of(notebook: Notebook): IFollowed | undefined {
    for (const [panel, followed] of this._followed) {
      if (panel.content === notebook) {
        return followed;
      }
    }
    return undefined;
  }

  /** Opens the panel at the first run of a notebook, and only then: it stays closed if the user closes it. */
  private _onArrived(panel: NotebookPanel, snapshot: Snapshot): void {
    const followed = this._followed.get(panel);
    const cell = snapshot.cell?.id ?? null;
    if (
      followed === undefined ||
      followed.opened ||
      cell === null ||
      !followed.started.has(cell)
    ) {
      return;
    }
    followed.opened = true;
    if (this._current === followed.model) {
      this._panelRequested.emit('run');
    }
  }

  /**
   * Decides whether a cell belongs to this notebook; a cell that is in no notebook of the kernel belongs to all of
   * them.
   */
  private _belongs(panel: NotebookPanel, cellId: string | null): boolean {
    if (cellId === null || hasCell(panel, cellId)) {
      return true;
    }
    const kernel = panel.sessionContext.session?.kernel?.id;
    return ![...this._followed.keys()].some(
      followed =>
        followed !== panel &&
        followed.sessionContext.session?.kernel?.id === kernel &&
        hasCell(followed, cellId)
    );
  }

  private _followed = new Map<NotebookPanel, IFollowed>();
  private _current: JaxprModel | null = null;
  /** The model for outputs that belong to no notebook. */
  private _alone: JaxprModel | null = null;
  private _isDisposed = false;
  private _currentChanged = new Signal<this, IJaxprModel | null>(this);
  private _panelRequested = new Signal<this, 'user' | 'run'>(this);
}

function hasCell(panel: NotebookPanel, cellId: string): boolean {
  const cells = panel.content.model?.cells ?? [];
  for (const cell of cells) {
    if (cell.id === cellId) {
      return true;
    }
  }
  return false;
}
