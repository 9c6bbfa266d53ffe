/**
 * The open notebooks come in; one model for each, tied to its kernel, goes out, and which one is in front.
 */
import {
  INotebookTracker,
  Notebook,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { Cell } from '@jupyterlab/cells';
import { TranslationBundle } from '@jupyterlab/translation';
import { IDisposable } from '@lumino/disposable';
import { ISignal, Signal } from '@lumino/signaling';

import { IChannel, KernelConnection } from '../kernel/channel';
import { Snapshot } from '../protocol/snapshot';
import { IJaxprModel, IJaxprTracker } from '../tokens';
import { JaxprModel } from './model';

/** What the tracker keeps of an open notebook. */
interface IFollowed {
  model: JaxprModel;
  channel: IChannel | null;
  /** Cells that were run from this page; a snapshot sent again after a reload is of none of them. */
  started: Set<string>;
  /** Whether the panel was opened for this notebook without being asked. */
  opened: boolean;
}

export class JaxprTracker implements IJaxprTracker, IDisposable {
  /**
   * @param _connect Makes the channel of a kernel; the tracker disposes it.
   */
  constructor(
    private _notebooks: INotebookTracker,
    private _connect: (kernel: KernelConnection) => IChannel,
    private _trans: TranslationBundle
  ) {
    _notebooks.forEach(panel => this._follow(panel));
    _notebooks.widgetAdded.connect(this._onAdded, this);
    _notebooks.currentChanged.connect(this._onCurrent, this);
    NotebookActions.executionScheduled.connect(this._onStarted, this);
    NotebookActions.executed.connect(this._onEnded, this);
    this._onCurrent();
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
    if (this._current === null) {
      // An output outside a notebook, or in a view of its own: a model without a kernel shows it.
      this._alone = new JaxprModel(this._trans);
      this._setCurrent(this._alone);
    }
    this._current?.show(snapshot, true);
    this._panelRequested.emit('user');
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

  private _onAdded(_: unknown, panel: NotebookPanel): void {
    this._follow(panel);
    this._onCurrent();
  }

  private _follow(panel: NotebookPanel): void {
    if (this._followed.has(panel)) {
      return;
    }
    const model = new JaxprModel(this._trans, cellId =>
      this._belongs(panel, cellId)
    );
    this._followed.set(panel, {
      model,
      channel: null,
      started: new Set(),
      opened: false
    });
    model.arrived.connect((_, snapshot) => this._onArrived(panel, snapshot));
    panel.sessionContext.kernelChanged.connect(
      () => this._useKernel(panel),
      this
    );
    panel.disposed.connect(this._forget, this);
    this._useKernel(panel);
  }

  /** Tie a notebook's model to the kernel it has now. */
  private _useKernel(panel: NotebookPanel): void {
    const followed = this._followed.get(panel);
    if (followed === undefined) {
      return;
    }
    const kernel = panel.sessionContext.session?.kernel ?? null;
    const earlier = followed.channel;
    followed.channel = kernel === null ? null : this._connect(kernel);
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

  /** The first run of a notebook opens the panel, once: a user who closes it is not asked again. */
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

  /** Whether a cell is of this notebook; one that no notebook of this kernel has is anybody's. */
  private _belongs(panel: NotebookPanel, cellId: string | null): boolean {
    if (cellId === null || hasCell(panel, cellId)) {
      return true;
    }
    const kernel = panel.sessionContext.session?.kernel?.id;
    return ![...this._followed.keys()].some(
      other =>
        other !== panel &&
        other.sessionContext.session?.kernel?.id === kernel &&
        hasCell(other, cellId)
    );
  }

  private _followed = new Map<NotebookPanel, IFollowed>();
  private _current: JaxprModel | null = null;
  /** The model of an output outside any notebook. */
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
