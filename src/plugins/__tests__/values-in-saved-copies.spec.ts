/** Tests that the page sends the setting `values` to each kernel when it is connected to the kernel. */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';

import { FakeChannel } from '../../model/__tests__/fake-channel';
import { PROTOCOL } from '../../protocol/messages';
import { tellingOfValues } from '../values-in-saved-copies';

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
  expect(channel.asked).toEqual([]);
  channel.greets();
  await Promise.resolve();
  expect(channel.asked).toEqual([
    { type: 'values', snapshot: '', saved: false }
  ]);
  own.values = true;
  changed.emit();
  expect(channel.asked).toHaveLength(2);
  expect(channel.asked[1]).toEqual({
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
  expect(channel.asked).toEqual([]);
});

it('tells a kernel again that the page was cut off from while the setting changed', async () => {
  const own = { values: false };
  const { registry, changed } = registryOf(own);
  const channel = tellingOfValues(registry)(new FakeChannel());
  channel.greets();
  await Promise.resolve();
  await Promise.resolve();
  channel.turns({ kind: 'lost', loss: 'disconnected' });
  own.values = true;
  changed.emit();
  channel.greets({}, PROTOCOL, false);
  expect(channel.asked).toEqual([
    { type: 'values', snapshot: '', saved: false },
    { type: 'values', snapshot: '', saved: true }
  ]);
});

it('tells a kernel that a closed page had told to leave values out', async () => {
  const { registry } = registryOf({ values: true });
  const channel = tellingOfValues(registry)(new FakeChannel());
  await Promise.resolve();
  await Promise.resolve();
  channel.greets({}, PROTOCOL, false);
  expect(channel.asked).toEqual([
    { type: 'values', snapshot: '', saved: true }
  ]);
  channel.greets({}, PROTOCOL, false);
  expect(channel.asked).toHaveLength(1);
});

it('tells such a kernel also if the setting is read after the greeting', async () => {
  const { registry } = registryOf({ values: true });
  const channel = tellingOfValues(registry)(new FakeChannel());
  channel.greets({}, PROTOCOL, false);
  expect(channel.asked).toEqual([]);
  await Promise.resolve();
  await Promise.resolve();
  expect(channel.asked).toEqual([
    { type: 'values', snapshot: '', saved: true }
  ]);
});

it('leaves the kernel as it is where the page has no settings', async () => {
  const channel = tellingOfValues(null)(new FakeChannel());
  channel.greets({}, PROTOCOL, false);
  await Promise.resolve();
  expect(channel.asked).toEqual([]);
});
