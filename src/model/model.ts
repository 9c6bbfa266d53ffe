/**
 * What a kernel says and what the user does come in; one consistent state for the views of a notebook goes out.
 */
import { TranslationBundle } from '@jupyterlab/translation';
import { ISignal, Signal } from '@lumino/signaling';

import {
  ChannelState,
  IAsked,
  IChannel,
  Loss,
  Question,
  Unanswered
} from '../kernel/channel';
import { IDocumentSizes, NO_DOCUMENT } from '../protocol/cost';
import { Unreadable } from '../protocol/document';
import { Announcement, PROTOCOL } from '../protocol/messages';
import {
  Environment,
  Machine,
  PassDiff,
  ProgramCost,
  ProgramDiff,
  ProgramShardings,
  Progress,
  Recording,
  Reply,
  ScopePage,
  Snapshot,
  SourcePage,
  Sweep,
  TextPage,
  VariantComparison,
  Working
} from '../protocol/snapshot';
import {
  IFailure,
  IJaxprModel,
  ILongRequest,
  ILongRequestOptions,
  IRequests,
  IRun,
  ModelChange,
  Outcome,
  Selection,
  Status
} from '../tokens';
import {
  versionsDiffer,
  whatWasLost,
  whyUnanswered,
  whyUnreadable
} from './sentences';

/** The kernel keeps as many runs for requests; older ones cannot be asked about. */
export const RUNS_KEPT = 8;

/** A run, and the life of the kernel it comes from. */
interface IKnownRun extends IRun {
  life: number;
}

/** How a life of the kernel ended. */
interface IEnd {
  loss: Loss | 'changed' | 'ended';
  since: Date;
}

export class JaxprModel implements IJaxprModel {
  /**
   * @param _accepts Whether a run of this cell belongs to this notebook: two notebooks may share a kernel.
   */
  constructor(
    private _trans: TranslationBundle,
    private _accepts: (cellId: string | null) => boolean = () => true
  ) {}

  get changed(): ISignal<this, ModelChange> {
    return this._changed;
  }

  /** A run has come from the kernel, whether or not it is put in view. */
  get arrived(): ISignal<this, Snapshot> {
    return this._arrived;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  get status(): Status {
    if (this._unusable !== null) {
      return { kind: 'unusable', reason: this._unusable };
    }
    if (this._progress !== null) {
      return {
        kind: 'running',
        environment: this._environment,
        progress: this._progress
      };
    }
    const state = this._channel?.state ?? null;
    const end = this._endOf(this._view, state);
    if (end !== null) {
      return {
        kind: 'stale',
        reason: whatWasLost(end.loss, this._trans),
        since: end.since,
        cure: this._cure(end, state)
      };
    }
    if (state === null) {
      return { kind: 'no-kernel' };
    }
    switch (state.kind) {
      case 'connecting':
        return { kind: 'connecting' };
      case 'not-loaded':
        return { kind: 'not-loaded' };
      case 'joined':
        return this._environment === null
          ? { kind: 'connecting' }
          : { kind: 'ready', environment: this._environment };
      case 'lost':
        return {
          kind:
            state.loss === 'dead' || state.loss === 'cut-off'
              ? 'no-kernel'
              : 'connecting'
        };
    }
  }

  get snapshot(): Snapshot | null {
    return this._view?.snapshot ?? null;
  }

  get fromSaved(): boolean {
    return this._view?.fromSaved ?? false;
  }

  get runs(): readonly IRun[] {
    return this._runs;
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
      view.life !== this._life
    ) {
      return null;
    }
    return this._requests;
  }

  /** Listen to another kernel, or to none; what is in view stays and is said to be from before. */
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
    const run = this._runs.find(run => run.snapshot.id === id);
    if (run !== undefined && run !== this._view) {
      this._putInView(run);
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
    const known = this._runs.findIndex(run => run.snapshot.id === snapshot.id);
    if (known >= 0 && fromSaved && !this._runs[known].fromSaved) {
      // The kernel's own copy has all of it, a saved one may be cut.
      this.setRun(snapshot.id);
      return;
    }
    const run: IKnownRun = {
      snapshot,
      fromSaved,
      life: fromSaved ? SAVED : known >= 0 ? this._runs[known].life : this._life
    };
    if (known >= 0) {
      const wasInView = this._runs[known] === this._view;
      this._runs[known] = run;
      if (wasInView) {
        this._renewView(run);
        return;
      }
    } else {
      this._keep(run);
    }
    this._putInView(run);
  }

  dismissFailure(): void {
    if (this._failure !== null) {
      this._failure = null;
      this._changed.emit('failure');
    }
  }

  /** The cell has ended: no progress of it is to be waited for. */
  endCell(cellId: string): void {
    const running = this._progress?.cell_id ?? cellId;
    if (this._progress !== null && running === cellId) {
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
    // React, for one, keeps what it drew last: the runs are not to stay with it.
    this._runs = [];
    this._view = null;
    this._waiting = [];
    this._hover = null;
    this._selection = null;
  }

  private _onState(_: unknown, state: ChannelState): void {
    if (state.kind === 'lost') {
      if (state.loss === 'disconnected' || state.loss === 'cut-off') {
        this._disconnected ??= new Date();
        this._progress = null;
      } else {
        this._endLife(state.loss);
      }
    } else if (state.kind === 'joined') {
      this._disconnected = null;
    } else if (state.kind === 'not-loaded') {
      this._disconnected = null;
      this._environment = null;
      this._unusable = null;
      this._progress = null;
    }
    this._changed.emit('status');
  }

  private _onReceived(_: unknown, message: Announcement): void {
    if (message.type === 'hello') {
      this._greet(message.protocol, message.environment);
      return;
    }
    if (this._unusable !== null) {
      return; // of another protocol; its hello has said what to do
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
        this._progress = null;
        this._fail({
          text: message.text,
          cure: message.cure,
          detail: message.detail
        });
    }
  }

  private _greet(protocol: number, environment: Environment): void {
    if (protocol === PROTOCOL) {
      this._unusable = null;
      this._environment = environment;
    } else {
      this._unusable = versionsDiffer(
        { version: environment.jupyter_jaxpr, protocol },
        this._trans
      );
    }
    this._changed.emit('status');
  }

  private _onUnreadable(_: unknown, reason: Unreadable): void {
    this._progress = null;
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
    this._progress = progress;
    this._changed.emit('status');
  }

  private _receive(snapshot: Snapshot): void {
    this._progress = null;
    this._failure = null;
    if (this._paused && !this._knows(snapshot)) {
      this._waiting = [
        ...this._waiting.filter(one => one.id !== snapshot.id),
        snapshot
      ].slice(-RUNS_KEPT);
      this._changed.emit('paused');
    } else {
      this._take(snapshot);
    }
    this._arrived.emit(snapshot);
    this._changed.emit('status');
  }

  private _knows(snapshot: Snapshot): boolean {
    return this._runs.some(
      run => run.snapshot.id === snapshot.id && !run.fromSaved
    );
  }

  /** Take a snapshot of the kernel into the list; the newest is put in view, unless another one is pinned there. */
  private _take(snapshot: Snapshot): void {
    const known = this._runs.findIndex(run => run.snapshot.id === snapshot.id);
    const run: IKnownRun = { snapshot, fromSaved: false, life: this._life };
    if (known >= 0) {
      // Sent again, to this page or to another one: it may hold more, and moves nothing.
      const wasInView = this._runs[known] === this._view;
      this._runs[known] = run;
      if (wasInView) {
        this._renewView(run);
      }
      this._changed.emit('snapshots');
      return;
    }
    // Runs that are sent again after a reload come in any order.
    const isLatest = !this._runs.some(
      other =>
        other.life === run.life && other.snapshot.created > snapshot.created
    );
    this._keep(run);
    if (
      this._view === null ||
      (isLatest && (snapshot.pinned || !this._pinned))
    ) {
      this._putInView(run);
      if (snapshot.pinned) {
        this.setPinned(true);
      }
    } else {
      this._changed.emit('snapshots');
    }
  }

  /** Keep a run in the order of time, and let the oldest go; never the one in view. */
  private _keep(run: IKnownRun): void {
    const runs = [...this._runs, run].sort(
      (a, b) => b.snapshot.created - a.snapshot.created
    );
    while (runs.length > RUNS_KEPT) {
      const oldest = [...runs]
        .reverse()
        .find(one => one !== this._view && one !== run);
      runs.splice(runs.indexOf(oldest ?? runs[runs.length - 1]), 1);
    }
    this._runs = runs;
  }

  /** Show the run in view with more in it: the program that was chosen stays; a first program is shown. */
  private _renewView(run: IKnownRun): void {
    const { focus, programs } = run.snapshot;
    this._view = run;
    this._program =
      this._program < 0 ? focus : Math.min(this._program, programs.length - 1);
    this._changed.emit('program');
  }

  private _putInView(run: IKnownRun): void {
    this._view = run;
    this._program = run.snapshot.focus;
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
    this._ends.set(this._life, { loss, since: new Date() });
    this._life++;
    this._environment = null;
    this._unusable = null;
    this._progress = null;
  }

  /** How the kernel that made a run was lost; null while it can still be asked. */
  private _endOf(
    run: IKnownRun | null,
    state: ChannelState | null
  ): IEnd | null {
    if (run === null || run.fromSaved) {
      return null;
    }
    const end = this._ends.get(run.life);
    if (end !== undefined) {
      return end;
    }
    return state?.kind === 'lost'
      ? { loss: state.loss, since: this._disconnected ?? new Date() }
      : null;
  }

  private _cure(end: IEnd, state: ChannelState | null): string {
    const cell = this._view?.snapshot.cell?.execution_count ?? null;
    if (end.loss === 'disconnected') {
      return this._trans.__(
        'The panel reconnects by itself when the server answers again.'
      );
    }
    if (end.loss === 'cut-off') {
      return this._trans.__(
        'Choose Reconnect to Kernel in the Kernel menu, or reload the page.'
      );
    }
    if (state === null || state.kind === 'lost') {
      return this._trans.__(
        'Start a kernel and run the cell again to refresh.'
      );
    }
    if (state.kind === 'not-loaded') {
      return cell === null
        ? this._trans.__(
            'Run %load_ext jupyter_jaxpr and the cell again to refresh.'
          )
        : this._trans.__(
            'Run %load_ext jupyter_jaxpr and cell [%1] again to refresh.',
            cell
          );
    }
    return cell === null
      ? this._trans.__('Run the cell again to refresh.')
      : this._trans.__('Run cell [%1] again to refresh.', cell);
  }

  /** Whether this kernel has sent a run of this id in this life; a saved document may have any id. */
  private _isOfThisLife(id: string): boolean {
    return this._runs.some(
      ({ snapshot, life }) => snapshot.id === id && life === this._life
    );
  }

  /** The document of a run that this kernel did not make, to be sent along; nothing of one that it holds. */
  private _documentOf(id: string): { before_document?: Snapshot } {
    const run = this._runs.find(({ snapshot }) => snapshot.id === id);
    return run === undefined || this._isOfThisLife(id)
      ? {}
      : { before_document: run.snapshot };
  }

  private async _ask(question: Question): Promise<Reply> {
    return this._begin(question).reply;
  }

  /** Put a question to the kernel; what rejects its reply is a sentence. */
  private _begin(
    question: Question,
    working?: (working: Working) => void
  ): IAsked {
    const failed = (error: unknown): never => {
      throw new Error(whyUnanswered(error, this._trans));
    };
    const asked = this._isOfThisLife(question.snapshot)
      ? this._channel?.ask(
          question,
          this.snapshot === null ? NO_DOCUMENT : sizesOf(this.snapshot),
          working
        )
      : null;
    const unasked = new Unanswered(asked === null ? 'not-its-own' : 'closed');
    return {
      reply: (asked?.reply ?? Promise.reject(unasked)).catch(failed),
      stop: () => asked?.stop()
    };
  }

  /** Ask for what runs the user's code again. */
  private _long<T>(
    question: Question,
    options: ILongRequestOptions | undefined,
    read: (reply: Reply) => T | null
  ): ILongRequest<T> {
    const { reply, stop } = this._begin(question, options?.working);
    const outcome = async (): Promise<Outcome<T>> => {
      const last = await reply;
      return (last.confirm ?? null) !== null
        ? { kind: 'confirm', question: last.confirm as string }
        : { kind: 'done', value: answered(read(last), this._trans) };
    };
    return { result: outcome(), stop };
  }

  /** A long request about one program: what is about another one is no answer. */
  private _ofProgram<T extends { program: number }>(
    type: 'time' | 'passes' | 'exact_links',
    snapshot: string,
    program: number,
    options: ILongRequestOptions | undefined,
    read: (reply: Reply) => T | null | undefined
  ): ILongRequest<T> {
    const confirmed = options?.confirmed ?? false;
    return this._long<T>(
      { type, snapshot, program, confirmed },
      options,
      reply => {
        const found = read(reply);
        return found?.program === program ? found : null;
      }
    );
  }

  private _requests: IRequests = {
    text: async (snapshot, program, level, first_line, line_count, platform) =>
      answered<TextPage>(
        (
          await this._ask({
            type: 'text',
            snapshot,
            program,
            level,
            first_line,
            line_count,
            ...(platform === undefined ? {} : { platform })
          })
        ).text,
        this._trans
      ),
    scope: async (snapshot, scope, first_equation, equation_count) =>
      answered<ScopePage>(
        (
          await this._ask({
            type: 'scope',
            snapshot,
            scope,
            first_equation,
            equation_count
          })
        ).scope,
        this._trans
      ),
    make: async (snapshot, program, level) =>
      answered<Snapshot>(
        (await this._ask({ type: 'make', snapshot, program, level })).snapshot,
        this._trans
      ),
    retrace: snapshot => {
      if (this._isOfThisLife(snapshot)) {
        this._channel?.trace(snapshot);
      }
    },
    transform: async (snapshot, program, kind) =>
      answered<Snapshot>(
        (await this._ask({ type: 'transform', snapshot, program, kind }))
          .snapshot,
        this._trans
      ),
    steps: (snapshot, control, options) =>
      this._long<Recording>(
        {
          type: 'steps',
          snapshot,
          control,
          repeat_effects: options?.confirmed ?? false
        },
        options,
        ({ recording }) =>
          recording?.snapshot === snapshot && recording.control === control
            ? recording
            : null
      ),
    compare: (snapshot, programs, options) =>
      this._long<VariantComparison>(
        {
          type: 'compare',
          snapshot,
          programs: [...programs],
          repeat_effects: options?.confirmed ?? false
        },
        options,
        ({ comparison }) => comparison ?? null
      ),
    time: (snapshot, program, options) =>
      this._ofProgram(
        'time',
        snapshot,
        program,
        options,
        reply => reply.timing
      ),
    sweep: (snapshot, { sweep, call, functions }, options) =>
      this._long<Sweep>(
        {
          type: 'sweep',
          snapshot,
          sweep,
          call,
          functions: [...functions],
          confirmed: options?.confirmed ?? false
        },
        options,
        reply => reply.sweep ?? null
      ),
    machine: (snapshot, options) =>
      this._long<Machine>(
        { type: 'machine', snapshot },
        options,
        ({ machine }) => machine ?? null
      ),
    passes: (snapshot, program, options) =>
      this._ofProgram(
        'passes',
        snapshot,
        program,
        options,
        reply => reply.passes
      ),
    exactLinks: (snapshot, program, options) =>
      this._ofProgram(
        'exact_links',
        snapshot,
        program,
        options,
        reply => reply.exact_links
      ),
    twinText: async (snapshot, program, level, first_line, line_count) => {
      const { text: page } = await this._ask({
        type: 'text',
        snapshot,
        program,
        level,
        first_line,
        line_count,
        twin: true
      });
      return answered<TextPage>(
        Array.isArray(page?.line_equations) ? page : null,
        this._trans
      );
    },
    passDiff: async (snapshot, program, index, first_line, line_count) => {
      const { pass_diff: page } = await this._ask({
        type: 'pass_diff',
        snapshot,
        program,
        index,
        first_line,
        line_count
      });
      return answered<PassDiff>(
        page?.index === index ? page : null,
        this._trans
      );
    },
    diff: async (before, after, level) => {
      const { diff } = await this._ask({
        type: 'diff',
        snapshot: after.snapshot,
        program: after.program,
        before: before.snapshot,
        before_program: before.program,
        level,
        ...this._documentOf(before.snapshot)
      });
      return answered<ProgramDiff>(diff ?? null, this._trans);
    },
    page: async (snapshot, program) => {
      const { page } = await this._ask({ type: 'export', snapshot, program });
      return answered<string>(page ?? null, this._trans);
    },
    source: async (snapshot, path) => {
      const { source } = await this._ask({ type: 'source', snapshot, path });
      return answered<SourcePage>(
        source?.path === path ? source : null,
        this._trans
      );
    },
    shardings: async (snapshot, program) => {
      const { shardings } = await this._ask({
        type: 'shardings',
        snapshot,
        program
      });
      return answered<ProgramShardings>(
        shardings?.program === program ? shardings : null,
        this._trans
      );
    },
    cost: async (snapshot, program) => {
      const { cost } = await this._ask({ type: 'cost', snapshot, program });
      return answered<ProgramCost>(
        cost?.program === program ? cost : null,
        this._trans
      );
    }
  };

  private _changed = new Signal<this, ModelChange>(this);
  private _arrived = new Signal<this, Snapshot>(this);
  private _channel: IChannel | null = null;
  private _environment: Environment | null = null;
  private _unusable: string | null = null;
  private _progress: Progress | null = null;
  /** When the connection was lost; null while there is one. */
  private _disconnected: Date | null = null;
  private _life = 0;
  private _ends = new Map<number, IEnd>();
  private _runs: IKnownRun[] = [];
  private _view: IKnownRun | null = null;
  private _program = -1;
  private _hover: Selection | null = null;
  private _selection: Selection | null = null;
  private _failure: IFailure | null = null;
  private _paused = false;
  private _pinned = false;
  private _waiting: Snapshot[] = [];
  private _isDisposed = false;
}

function sizesOf(snapshot: Snapshot): IDocumentSizes {
  return {
    programs: snapshot.programs.length,
    frames: snapshot.frames.length,
    scopes: snapshot.scopes.map(scope => scope.count)
  };
}

/** The life of a run that no kernel of this page made. */
const SAVED = -1;

function answered<T>(answer: T | null, trans: TranslationBundle): T {
  if (answer === null) {
    throw new Error(whyUnanswered(null, trans));
  }
  return answer;
}

function samePlace(a: Selection | null, b: Selection | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
