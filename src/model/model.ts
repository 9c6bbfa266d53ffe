/**
 * The state of a notebook's panel. Messages of the kernel and actions of the user change it; all views follow its
 * signals.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { ISignal, Signal } from '@lumino/signaling';

import { ChannelState, IChannel } from '../kernel/channel-interface';
import { Unreadable } from '../protocol/document';
import { Announcement } from '../protocol/messages';
import type { Params } from '../protocol/request-types';
import {
  LiveProgram,
  ProgramDiff,
  Progress,
  Snapshot
} from '../protocol/snapshot';
import {
  IComparedProgram,
  IFailure,
  IJaxprModel,
  IRequests,
  IRun,
  LevelName,
  ModelChange,
  Selection,
  Status
} from '../tokens';
import { releaseCosts } from './costs';
import { firstShown } from './earlier-program';
import { KernelStatus } from './kernel-status';
import { askOfKernel, requestsOf } from './requests';
import { carry } from './merged-answers';
import { IEnd, IKnownRun, RUNS_KEPT, Runs, SAVED } from './runs';
import { whyUnreadable } from './error-words';

export class JaxprModel implements IJaxprModel {
  /** @param _accepts Decides whether a run of a cell belongs to this notebook: two notebooks may share a kernel. */
  constructor(
    private _trans: TranslationBundle,
    private _accepts: (cellId: string | null) => boolean = () => true
  ) {
    this._kernel = new KernelStatus(_trans);
    this._requests = requestsOf(
      {
        channel: () => this._channel,
        renew: document => this._renew(document),
        merged: () => this._changed.emit('results'),
        runs: this._runs
      },
      _trans
    );
  }

  get changed(): ISignal<this, ModelChange> {
    return this._changed;
  }

  /** Emits when the kernel sends a run, even if the run is not put in view. */
  get arrived(): ISignal<this, Snapshot> {
    return this._arrived;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  /** True if the runs were read from files; the model then waits for no notebook and no kernel. */
  isOfFiles = false;

  get status(): Status {
    return this.isOfFiles
      ? { kind: 'file' }
      : this._kernel.status(this._channel?.state ?? null, this._runs);
  }

  get snapshot(): Snapshot | null {
    return this._view?.snapshot ?? null;
  }

  get fromSaved(): boolean {
    return this._view?.fromSaved ?? false;
  }

  get isWritten(): boolean {
    return this._view?.isWritten ?? false;
  }

  get runs(): readonly IRun[] {
    return this._runs.list;
  }

  get program(): number {
    return this._program;
  }

  get hover(): Selection | null {
    return this._hover;
  }

  get selection(): Selection | null {
    return this._selection;
  }

  get failure(): IFailure | null {
    return this._failure;
  }

  get paused(): boolean {
    return this._paused;
  }

  get waiting(): number {
    return this._waiting.length;
  }

  get pinned(): boolean {
    return this._pinned;
  }

  get requests(): IRequests | null {
    const channel = this._channel;
    const view = this._view;
    if (
      channel === null ||
      channel.state.kind !== 'joined' ||
      view === null ||
      view.fromSaved ||
      view.life !== this._runs.life
    ) {
      return null;
    }
    return this._requests;
  }

  /**
   * Connects the model to another kernel, or to none. The run in view stays and is marked as a run of the earlier
   * kernel.
   */
  setChannel(channel: IChannel | null): void {
    if (channel === this._channel) {
      return;
    }
    if (this._channel !== null) {
      this._channel.stateChanged.disconnect(this._onState, this);
      this._channel.received.disconnect(this._onReceived, this);
      this._channel.unreadable.disconnect(this._onUnreadable, this);
      this._endLife(channel === null ? 'ended' : 'changed');
    }
    this._channel = channel;
    if (channel !== null) {
      channel.stateChanged.connect(this._onState, this);
      channel.received.connect(this._onReceived, this);
      channel.unreadable.connect(this._onUnreadable, this);
    }
    this._changed.emit('status');
  }

  setProgram(index: number): void {
    if (index === this._program) {
      return;
    }
    this._program = index;
    this._forgetPointing();
    this._changed.emit('program');
  }

  setRun(id: string): void {
    const run = this._runs.find(id);
    if (run !== undefined) {
      this._isRunChosen = true;
      if (run !== this._view) {
        this._putInView(run);
      }
    }
  }

  setHover(selection: Selection | null): void {
    if (!samePlace(selection, this._hover)) {
      this._hover = selection;
      this._changed.emit('hover');
    }
  }

  setSelection(selection: Selection | null): void {
    if (!samePlace(selection, this._selection)) {
      this._selection = selection;
      this._changed.emit('selection');
    }
  }

  setPaused(paused: boolean): void {
    if (paused === this._paused) {
      return;
    }
    this._paused = paused;
    const waiting = this._waiting;
    this._waiting = [];
    this._changed.emit('paused');
    for (const snapshot of waiting) {
      this._take(snapshot);
    }
  }

  setPinned(pinned: boolean): void {
    if (pinned !== this._pinned) {
      this._pinned = pinned;
      this._changed.emit('paused');
    }
  }

  show(snapshot: Snapshot, fromSaved: boolean): void {
    const knownRun = this._runs.find(snapshot.id);
    if (knownRun !== undefined && fromSaved && !knownRun.fromSaved) {
      // Prefer the kernel's document, which is complete; a saved copy may be cut.
      this.setRun(snapshot.id);
      return;
    }
    const run: IKnownRun = {
      snapshot,
      fromSaved,
      life: fromSaved ? SAVED : (knownRun?.life ?? this._runs.life)
    };
    const wasInView = this._runs.replace(run);
    if (wasInView === null) {
      this._runs.keep(run);
    } else if (wasInView) {
      this._renewView(run);
      return;
    }
    this._putInView(run);
  }

  showWritten(snapshot: Snapshot): void {
    if (this._paused || this._pinned) {
      return;
    }
    const run = { snapshot, fromSaved: false, life: SAVED, isWritten: true };
    const wasInView = this._runs.replace(run);
    if (wasInView === null) {
      this._runs.keep(run);
    }
    if (wasInView === true) {
      // Places in the earlier text mean nothing in the new text, so nothing is selected or previewed any more. No
      // signal is emitted for this: each view reads the selection and the preview again when the program changes, and
      // each signal would draw the marks in the cell once more.
      this._hover = null;
      this._selection = null;
      this._renewView(run);
      this._changed.emit('snapshots');
    } else {
      this._putInView(run);
    }
  }

  traceWritten(params: Params<'live'>): Promise<LiveProgram> {
    return askOfKernel(this._channel, { type: 'live', ...params }, this._trans);
  }

  compareWritten(
    before: IComparedProgram,
    written: IComparedProgram,
    level: LevelName
  ): Promise<ProgramDiff> {
    return askOfKernel(
      this._channel,
      {
        type: 'live_diff',
        snapshot: '',
        program: written.program,
        created: written.document.created,
        before: before.document.id,
        before_program: before.program,
        level,
        ...this._runs.documentOf(before.document.id)
      },
      this._trans
    );
  }

  standIn(snapshot: Snapshot): void {
    if (this._view === null) {
      const run = { snapshot, fromSaved: true, life: SAVED, standsIn: true };
      this._runs.keep(run);
      this._putInView(run);
    }
  }

  dismissFailure(): void {
    if (this._failure !== null) {
      this._failure = null;
      this._changed.emit('failure');
    }
  }

  /** Ends the progress of a cell that has ended: no later progress message of this cell is shown. */
  endCell(cellId: string): void {
    const running = this._kernel.progress?.cell_id ?? cellId;
    if (this._kernel.progress !== null && running === cellId) {
      this._setProgress(null);
    }
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this.setChannel(null);
    Signal.clearData(this);
    releaseCosts(this);
    // React keeps its last drawing, which refers to this model; the model must not keep all runs and the notebook in
    // memory.
    this._runs.clear();
    this._accepts = () => false;
    this._waiting = [];
    this._hover = null;
    this._selection = null;
  }

  private _onState(_: unknown, state: ChannelState): void {
    if (
      state.kind === 'lost' &&
      state.loss !== 'disconnected' &&
      state.loss !== 'cut-off'
    ) {
      this._endLife(state.loss);
    } else {
      this._kernel.follow(state);
    }
    this._changed.emit('status');
  }

  private _onReceived(_: unknown, message: Announcement): void {
    if (message.type === 'hello') {
      this._kernel.greet(message.protocol, message.environment);
      this._changed.emit('status');
      return;
    }
    if (!this._kernel.isUsable) {
      return; // the kernel uses another version of the messages; the panel shows this since the kernel's `hello`
    }
    switch (message.type) {
      case 'progress':
        if (this._accepts(message.cell_id)) {
          this._setProgress(message);
        }
        return;
      case 'snapshot':
        if (this._accepts(message.snapshot.cell?.id ?? null)) {
          this._receive(message.snapshot);
        }
        return;
      case 'failed':
        this._kernel.progress = null;
        this._fail({
          text: message.text,
          cure: message.cure,
          detail: message.detail
        });
    }
  }

  private _onUnreadable(_: unknown, reason: Unreadable): void {
    this._kernel.progress = null;
    this._fail({
      text: this._trans.__('The program of the last run cannot be shown.'),
      cure: whyUnreadable(reason, this._trans),
      detail: null
    });
  }

  private _fail(failure: IFailure): void {
    this._failure = failure;
    this._changed.emit('failure');
    this._changed.emit('status');
  }

  private _setProgress(progress: Progress | null): void {
    this._kernel.progress = progress;
    this._changed.emit('status');
  }

  private _receive(snapshot: Snapshot): void {
    this._kernel.progress = null;
    this._failure = null;
    if (this._paused && !this._runs.knows(snapshot)) {
      this._waiting = [
        ...this._waiting.filter(waiting => waiting.id !== snapshot.id),
        snapshot
      ].slice(-RUNS_KEPT);
      this._changed.emit('paused');
    } else {
      this._take(snapshot);
    }
    this._arrived.emit(snapshot);
    this._changed.emit('status');
  }

  /** Adds a document of the kernel to the list of runs. The newest run is put in view, unless another run is pinned. */
  private _take(snapshot: Snapshot): void {
    const run = { snapshot, fromSaved: false, life: this._runs.life };
    const before = this._view;
    if (!this._pinned) {
      this._runs.dropStandIn();
    }
    this._runs.dropWritten(snapshot.cell?.id ?? null);
    const knownRun = this._runs.find(snapshot.id);
    // A document with other programs comes from a new trace; the kernel has no passes and no tagged copy for it.
    if (
      knownRun?.life === run.life &&
      knownRun.snapshot.programs.length === snapshot.programs.length
    ) {
      carry(knownRun.snapshot, snapshot);
    }
    const wasInView = this._runs.replace(run);
    if (wasInView !== null) {
      // A document that the kernel sends again, or made by a requested trace, may contain more, but does not change
      // which run is in view.
      const { retrace = null } = knownRun?.snapshot ?? {};
      if (wasInView && retrace !== null && !snapshot.retrace) {
        this._putInView(run);
      } else if (wasInView) {
        this._renewView(run);
      }
      this._changed.emit('snapshots');
      return;
    }
    // After a reload, the kernel sends its runs again in any order. These do not replace a run that was chosen, such as
    // the run in view before the reload.
    const isSentAgain = snapshot.created <= this._began;
    const isLatest =
      this._runs.isLatest(run) && !(isSentAgain && this._isRunChosen);
    this._runs.keep(run);
    if (
      this._view === null ||
      (isLatest && (snapshot.pinned || !this._pinned))
    ) {
      this._isRunChosen = false;
      this._putInView(run, before);
      if (snapshot.pinned) {
        this.setPinned(true);
      }
    } else {
      this._changed.emit('snapshots');
    }
  }

  /**
   * Takes the document of a run with additional parts. A document with fewer programs and transforms than the known
   * document is ignored, because a later answer has arrived first.
   */
  private _renew(snapshot: Snapshot): void {
    const knownRun = this._runs.find(snapshot.id);
    if (
      knownRun === undefined ||
      extent(knownRun.snapshot) > extent(snapshot)
    ) {
      return;
    }
    carry(knownRun.snapshot, snapshot);
    const run = { ...knownRun, snapshot };
    if (this._runs.replace(run)) {
      this._renewView(run);
    }
    this._changed.emit('snapshots');
  }

  /**
   * Shows the run in view with its additions. The chosen program stays chosen; if the run had none, its first program
   * is shown.
   */
  private _renewView(run: IKnownRun): void {
    const { focus, programs } = run.snapshot;
    this._runs.view = run;
    this._program =
      this._program < 0 ? focus : Math.min(this._program, programs.length - 1);
    this._changed.emit('program');
  }

  /**
   * Shows a run in the place of the run in view.
   *
   * @param before - The run in view; the dropped run, if the run in view was a Live program that was dropped.
   */
  private _putInView(run: IKnownRun, before = this._view): void {
    this._program = firstShown(before, this._program, run);
    this._runs.view = run;
    this._forgetPointing();
    this._changed.emit('snapshots');
    this._changed.emit('program');
    this._changed.emit('status');
  }

  private _forgetPointing(): void {
    this.setHover(null);
    this.setSelection(null);
  }

  private _endLife(loss: IEnd['loss']): void {
    this._runs.endLife(loss);
    this._kernel.forget();
  }

  private get _view(): IKnownRun | null {
    return this._runs.view;
  }

  private _changed = new Signal<this, ModelChange>(this);
  private _arrived = new Signal<this, Snapshot>(this);
  private _channel: IChannel | null = null;
  private _runs = new Runs();
  /** True if the run in view was chosen, false if the run came into view on its arrival. */
  private _isRunChosen = false;
  /** When the page opened the notebook, in seconds since 1970. */
  private _began = Date.now() / 1000;
  private _kernel: KernelStatus;
  private _requests: IRequests;
  private _program = -1;
  private _hover: Selection | null = null;
  private _selection: Selection | null = null;
  private _failure: IFailure | null = null;
  private _paused = false;
  private _pinned = false;
  private _waiting: Snapshot[] = [];
  private _isDisposed = false;
}

/** The number of requested parts in a document: derived programs, and transforms that JAX refused. */
function extent({ programs, transforms }: Snapshot): number {
  return programs.length + (transforms?.length ?? 0);
}

function samePlace(a: Selection | null, b: Selection | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
