/** Stores what a kernel has sent about itself, and derives the status that the panel shows. */
import { TranslationBundle } from '@jupyterlab/translation';

import { ChannelState } from '../kernel/channel-interface';
import { PROTOCOL } from '../protocol/messages';
import { Environment, Progress } from '../protocol/snapshot';
import { Status } from '../tokens';
import { IEnd, IKnownRun, Runs } from './runs';
import { versionsDiffer, whatWasLost } from './error-words';

/** The status of the kernel that a model listens to. */
export class KernelStatus {
  constructor(private _trans: TranslationBundle) {}

  /** The progress of the running cell; null if no cell runs. */
  progress: Progress | null = null;

  /** False if the kernel uses an incompatible version of the messages. */
  get isUsable(): boolean {
    return this._unusable === null;
  }

  /** The status of the panel while the channel is in a state; null for no channel. */
  status(state: ChannelState | null, runs: Runs): Status {
    if (this._unusable !== null) {
      return { kind: 'unusable', reason: this._unusable };
    }
    if (this.progress !== null) {
      return {
        kind: 'running',
        environment: this._environment,
        progress: this.progress
      };
    }
    const end = runs.endOf(runs.view, state, this._disconnected);
    if (end !== null) {
      return {
        kind: 'stale',
        reason: whatWasLost(end.loss, this._trans),
        since: end.since,
        cure: this._cure(end, state, runs.view),
        again: this._again(end, state, runs.view)
      };
    }
    if (state === null) {
      return { kind: 'no-kernel' };
    }
    switch (state.kind) {
      case 'connecting':
        return { kind: 'connecting' };
      case 'not-loaded':
        return state;
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

  /** Takes the new state of the channel: joined, the extension is not loaded, or no connection to the kernel. */
  follow(state: ChannelState): void {
    if (state.kind === 'lost') {
      this._disconnected ??= new Date();
      this.progress = null;
    } else if (state.kind === 'joined') {
      this._disconnected = null;
    } else if (state.kind === 'not-loaded') {
      this._disconnected = null;
      this._environment = null;
      this._unusable = null;
      this.progress = null;
    }
  }

  /** Forgets everything, because the kernel has ended. */
  forget(): void {
    this._environment = null;
    this._unusable = null;
    this.progress = null;
  }

  /** Reads the `hello` message of a kernel. */
  greet(protocol: number, environment: Environment): void {
    if (protocol === PROTOCOL) {
      this._unusable = null;
      this._environment = environment;
    } else {
      this._unusable = versionsDiffer(
        { version: environment.jupyter_jaxpr, protocol },
        this._trans
      );
    }
  }

  private _cure(
    end: IEnd,
    state: ChannelState | null,
    view: IKnownRun | null
  ): string {
    const cell = view?.snapshot.cell?.execution_count ?? null;
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
        'Start a kernel and run the cell again to refresh the panel.'
      );
    }
    if (state.kind === 'not-loaded') {
      return cell === null
        ? this._trans.__(
            'Run %load_ext jupyter_jaxpr, then run the cell again to refresh the panel.'
          )
        : this._trans.__(
            'Run %load_ext jupyter_jaxpr, then run cell [%1] again to refresh the panel.',
            cell
          );
    }
    return cell === null
      ? this._trans.__('Run the cell again to refresh the panel.')
      : this._trans.__('Run cell [%1] again to refresh the panel.', cell);
  }

  /**
   * The actions by which the user gets the run in view again after the kernel was lost; null unless a kernel is idle.
   */
  private _again(
    end: IEnd,
    state: ChannelState | null,
    view: IKnownRun | null
  ): 'load and run' | 'run' | null {
    if (
      end.loss === 'disconnected' ||
      end.loss === 'cut-off' ||
      (view?.snapshot.cell?.id ?? null) === null
    ) {
      return null;
    }
    switch (state?.kind) {
      case 'not-loaded':
        return 'load and run';
      case 'joined':
        return 'run';
      default:
        return null;
    }
  }

  private _environment: Environment | null = null;
  private _unusable: string | null = null;
  /** When the connection was lost; null while there is a connection. */
  private _disconnected: Date | null = null;
}
