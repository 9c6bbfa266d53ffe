/** A kernel is told the setting for values once the page hears the kernel. */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';

import { FakeChannel } from '../../model/__tests__/fake-channel';
import { tellingOfValues } from '../values';

function registryOf(own: { values: boolean }): {
  registry: ISettingRegistry;
  changed: Signal<object, void>;
} {
  const changed = new Signal<object, void>({});
  const loaded = { changed, get: () => ({ composite: own.values }) };
  return {
    registry: { load: async () => loaded } as unknown as ISettingRegistry,
    changed
  };
}

it('tells each kernel that differs from the setting, and each change', async () => {
  const own = { values: false };
  const { registry, changed } = registryOf(own);
  const channel = tellingOfValues(registry)(new FakeChannel());
  await Promise.resolve();
  expect(channel.questions).toEqual([]);
  channel.greets();
  await Promise.resolve();
  expect(channel.questions).toEqual([
    { type: 'values', snapshot: '', saved: false }
  ]);
  own.values = true;
  changed.emit();
  expect(channel.questions).toHaveLength(2);
  expect(channel.questions[1]).toEqual({
    type: 'values',
    snapshot: '',
    saved: true
  });
});

it('tells nothing where values are saved, as a kernel does by itself', async () => {
  const channel = tellingOfValues(registryOf({ values: true }).registry)(
    new FakeChannel()
  );
  channel.greets();
  await Promise.resolve();
  expect(channel.questions).toEqual([]);
});

it('lets go of the channels of closed notebooks', async () => {
  const { registry, changed } = registryOf({ values: false });
  const follow = tellingOfValues(registry);
  const closed = follow(new FakeChannel());
  await Promise.resolve();
  const looks = jest.fn(() => true);
  Object.defineProperty(closed, 'isDisposed', { get: looks });
  follow(new FakeChannel());
  looks.mockClear();
  changed.emit();
  expect(looks).not.toHaveBeenCalled();
});
