/** Starts the subshell on which a kernel answers requests while a cell runs. */
import type { KernelConnection } from './channel-interface';

/** The subshell of one page in one kernel; a kernel without subshells has none. */
export class Subshell {
  constructor(private _kernel: KernelConnection) {}

  /** The id of the subshell; null until the subshell was started. */
  id: string | null = null;

  started(): Promise<void> {
    if (this._starting === null) {
      this._starting = this._start();
    }
    return this._starting;
  }

  /** Forget the subshell: the kernel has ended, and its subshells have ended, too. */
  forget(): void {
    this._lives++;
    this.id = null;
    this._starting = null;
  }

  delete(): void {
    if (this.id !== null) {
      this._kernel.requestDeleteSubshell({ subshell_id: this.id }, true);
    }
  }

  private async _start(): Promise<void> {
    // The user's setting about comms over subshells also decides whether this page starts a subshell.
    if (
      !this._kernel.supportsSubshells ||
      this._kernel.commsOverSubshells === 'disabled'
    ) {
      return;
    }
    const starting = this._lives;
    try {
      const reply = await this._kernel.requestCreateSubshell({}).done;
      if (starting === this._lives) {
        this.id = reply.content.subshell_id ?? null;
      }
    } catch {
      // Without a subshell, the answer to a request waits until the running cell ends.
    }
  }

  /** Counts the lives of the kernel: a subshell that was started before the kernel's restart is gone. */
  private _lives = 0;
  private _starting: Promise<void> | null = null;
}
