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
     * The setting that the page last sent to the kernel. A kernel without a setting saves values. Null if the page
     * lost its connection to a kernel that leaves values out: the next kernel may be a new one.
     */
    let kernelSaves: boolean | null = true;
    const tell = (): void => {
      if (channel.isDisposed) {
        return;
      }
      if (channel.state.kind !== 'joined') {
        kernelSaves = kernelSaves === true ? true : null;
        return;
      }
      const saved = settings?.get('values').composite !== false;
      if (saved !== kernelSaves) {
        const before = kernelSaves;
        kernelSaves = saved;
        const request = { type: 'values' as const, snapshot: '', saved };
        channel.ask(request, NO_RUN).reply.catch((reason: unknown) => {
          kernelSaves = before;
          console.error('jupyter-jaxpr: the kernel was not told', reason);
        });
      }
    };
    // The channels of closed notebooks, and of ended kernels, are not kept.
    forgetDisposed();
    tells.set(channel, tell);
    channel.stateChanged.connect(tell);
    tell();
    return channel;
  };
}
