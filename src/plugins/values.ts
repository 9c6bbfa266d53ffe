/** Tells each kernel whether the copies that the kernel saves of its runs may hold values of the user. */
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import type { IChannel } from '../kernel/channel-interface';
import { followSettings } from './settings';

const NO_RUN = { programs: 0, frames: 0, scopes: [] };

/** Returns a function that tells the kernel of a channel, at each connection and at each change of the setting. */
export function tellingOfValues(
  registry: ISettingRegistry | null
): <T extends IChannel>(channel: T) => T {
  let settings: ISettingRegistry.ISettings | null = null;
  const telling = new Map<IChannel, () => void>();
  void followSettings(registry, read => {
    settings = read;
    telling.forEach(tell => tell());
  });
  return channel => {
    // The settings outlive the channels of closed notebooks.
    for (const earlier of telling.keys()) {
      if (earlier.isDisposed) {
        telling.delete(earlier);
      }
    }
    /** What this connection was told; a kernel that was told nothing saves values. */
    let told = true;
    const tell = (): void => {
      if (channel.isDisposed || channel.state.kind !== 'joined') {
        told = true;
        return;
      }
      const saved = settings?.get('values').composite !== false;
      if (saved !== told) {
        told = saved;
        const question = { type: 'values' as const, snapshot: '', saved };
        channel.ask(question, NO_RUN).reply.catch((reason: unknown) => {
          told = !saved;
          console.error('jupyter-jaxpr: the kernel was not told', reason);
        });
      }
    };
    telling.set(channel, tell);
    channel.stateChanged.connect(tell);
    tell();
    return channel;
  };
}
