/** A kernel for tests: it records the messages that the page sends, and sends messages when the test says so. */
import { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { KernelConnection } from '../channel-interface';

/** A comm message that the page sent. */
export interface ISent {
  type: string;
  comm: string;
  target: string | undefined;
  data: unknown;
  subshell: string | null;
}

export class FakeKernel {
  /** The ids of the kernel's open comms with the target `jupyter_jaxpr`. */
  comms: string[] = [];
  sent: ISent[] = [];
  deletedSubshells: string[] = [];
  targets = new Map<string, unknown>();

  id = 'kernel-1';
  username = 'someone';
  clientId = 'page-1';
  /** The session that the kernel names in its messages. */
  session = 'life-1';
  subshellId: string | null = null;
  supportsSubshells = true;
  commsOverSubshells = 'perCommTarget';
  status: KernelMessage.Status = 'idle';
  connectionStatus: Kernel.ConnectionStatus = 'connected';
  isDisposed = false;
  info: Promise<{ implementation?: string }> = Promise.resolve({});

  iopubMessage = new Signal<this, KernelMessage.IIOPubMessage>(this);
  statusChanged = new Signal<this, KernelMessage.Status>(this);
  connectionStatusChanged = new Signal<this, Kernel.ConnectionStatus>(this);
  disposed = new Signal<this, void>(this);

  /** This object as a kernel connection; it has only the members that a channel uses. */
  get connection(): KernelConnection {
    return this as unknown as KernelConnection;
  }

  registerCommTarget(target: string, callback: unknown): void {
    this.targets.set(target, callback);
  }

  removeCommTarget(target: string): void {
    this.targets.delete(target);
  }

  async requestCommInfo(): Promise<unknown> {
    return {
      content: {
        status: 'ok',
        comms: Object.fromEntries(
          this.comms.map(id => [id, { target_name: 'jupyter_jaxpr' }])
        )
      }
    };
  }

  requestCreateSubshell(): { done: Promise<unknown> } {
    return {
      done: Promise.resolve({ content: { subshell_id: 'subshell-1' } })
    };
  }

  requestDeleteSubshell({ subshell_id }: { subshell_id: string }): void {
    this.deletedSubshells.push(subshell_id);
  }

  sendShellMessage(message: KernelMessage.IShellMessage): void {
    const content = message.content as {
      comm_id: string;
      target_name?: string;
      data: unknown;
    };
    this.sent.push({
      type: message.header.msg_type,
      comm: content.comm_id,
      target: content.target_name,
      data: content.data,
      subshell: message.header.subshell_id ?? null
    });
  }

  /** Sends the message of a kernel that opens a comm. */
  opens(comm: string, target = 'jupyter_jaxpr'): void {
    this.comms.push(comm);
    this._says('comm_open', { comm_id: comm, target_name: target, data: {} });
  }

  /** Sends a short message of the kernel on a comm. */
  says(comm: string, data: unknown): void {
    this._says('comm_msg', { comm_id: comm, data });
  }

  /** Sends a long message of the kernel, as a buffer, on a comm. */
  saysAtLength(comm: string, bytes: Uint8Array): void {
    this._says('comm_msg', { comm_id: comm, data: { type: 'buffer' } }, [
      new DataView(bytes.buffer)
    ]);
  }

  /** Sends the message of a kernel that closes a comm. */
  closes(comm: string): void {
    this.comms = this.comms.filter(one => one !== comm);
    this._says('comm_close', { comm_id: comm, data: {} });
  }

  /** Sends the message of a kernel that prints a line. */
  prints(text: string): void {
    this._says('stream', { name: 'stdout', text });
  }

  turns(status: KernelMessage.Status): void {
    this.status = status;
    this.statusChanged.emit(status);
  }

  connects(status: Kernel.ConnectionStatus): void {
    this.connectionStatus = status;
    this.connectionStatusChanged.emit(status);
  }

  private _says(type: string, content: object, buffers: DataView[] = []): void {
    this.iopubMessage.emit({
      header: { msg_type: type, session: this.session },
      content,
      buffers
    } as unknown as KernelMessage.IIOPubMessage);
  }
}

/** Waits until all pending promises are settled. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) {
    await Promise.resolve();
  }
}
