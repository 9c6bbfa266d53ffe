/** Tells each kernel whether the copies that the kernel saves of its runs may hold values of the user. */
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import type { IChannel } from '../kernel/channel-interface';
import { NO_DOCUMENT } from '../protocol/document-sizes';
import type { Announcement } from '../protocol/messages';
import { followSettings } from './follow-settings';

/**
 * Returns a function that tells the kernel of a channel the setting `values`, at each connection and at each change of
 * the setting.
 */
export function tellingOfValues(
  registry: ISettingRegistry | null
): <T extends IChannel>(channel: T) => T {
  let settings: ISettingRegistry.ISettings | null = null;
  const tells = new Map<IChannel, () => void>();
  const forgetDisposed = (): void => {
    for (const channel of [...tells.keys()]) {
      if (channel.isDisposed) {
        tells.delete(channel);
      }
    }
  };
  void followSettings(registry, read => {
    settings = read;
    forgetDisposed();
    tells.forEach(tell => tell());
  });
  return channel => {
    /**
     * The setting in the kernel, from the kernel's `hello` message or as this page has sent it; null while the page is
     * not connected, or has not received a `hello` message.
     */
    let kernelSaves: boolean | null = null;
    let unanswered: object | null = null;
    const tell = (): void => {
      if (channel.isDisposed) {
        return;
      }
      if (channel.state.kind !== 'joined') {
        kernelSaves = null;
        unanswered = null;
        return;
      }
      if (settings === null) {
        return;
      }
      const saved = settings.get('values').composite !== false;
      // By default a kernel saves values, so before the `hello` message only the setting to leave values out is sent.
      if (saved === kernelSaves || (saved && kernelSaves === null)) {
        return;
      }
      const before = kernelSaves;
      kernelSaves = saved;
      const request = { type: 'values' as const, snapshot: '', saved };
      unanswered = request;
      channel
        .ask(request, NO_DOCUMENT)
        .reply.catch((reason: unknown) => {
          if (unanswered === request) {
            kernelSaves = before;
          }
          console.error('jupyter-jaxpr: the kernel was not told', reason);
        })
        .finally(() => {
          if (unanswered === request) {
            unanswered = null;
          }
        });
    };
    const hear = (_: IChannel, message: Announcement): void => {
      // The kernel may still have the setting of an earlier page, so this page sends its own setting.
      if (message.type === 'hello' && unanswered === null) {
        kernelSaves = message.saves_values !== false;
        tell();
      }
    };
    // Disposed channels (of closed notebooks and ended kernels) are removed from `tells`, so that none stays in memory.
    forgetDisposed();
    tells.set(channel, tell);
    channel.stateChanged.connect(tell);
    channel.received.connect(hear);
    tell();
    return channel;
  };
}
