/** Tests that the panel gets the values of the settings. */
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';

import schema from '../../settings-and-shortcuts/plugin.json';
import { VIEW_NAMES } from '../../panel/shell/view-names';
import { NOISES } from '../../workbench/reading/noise-rules';
import { preferences } from '../panel-settings';

/** Makes a registry with settings of a user; a setting that is not in `own` has the default of the schema. */
function settings(own: Record<string, unknown>): {
  registry: ISettingRegistry;
  change(name: string, value: unknown): void;
} {
  const known: Record<string, { default: unknown }> = schema.properties;
  const changed = new Signal<object, void>({});
  const loaded = {
    changed,
    get: (name: string) => ({ composite: own[name] ?? known[name].default })
  };
  return {
    registry: { load: async () => loaded } as unknown as ISettingRegistry,
    change: (name, value) => {
      own[name] = value;
      changed.emit();
    }
  };
}

it('are those of the schema where a person has set nothing', async () => {
  const known = preferences(settings({}).registry, 'plugin');
  expect(await known.firstView).toBe('program');
  expect(known.opensOnRun()).toBe(true);
  expect(known.isSimple()).toBe(false);
  expect(known.showsOutput()).toBe(true);
  expect(known.hides()).toEqual([]);
});

it('are the same where the application has no settings', async () => {
  const known = preferences(null, 'plugin');
  expect(await known.firstView).toBe('program');
  expect(known.opensOnRun()).toBe(true);
  expect(known.isSimple()).toBe(false);
  expect(known.showsOutput()).toBe(true);
  expect(known.hides()).toEqual([]);
});

it('are a person’s own, and follow a change', async () => {
  const own = settings({
    openOnRun: false,
    firstTab: 'cache',
    tabs: 'simple',
    output: 'none',
    hide: ['unused', 'convert', 'no such noise']
  });
  const known = preferences(own.registry, 'plugin');
  const seen: boolean[] = [];
  known.follow(() => seen.push(known.isSimple()));
  expect(await known.firstView).toBe('cache');
  expect(known.opensOnRun()).toBe(false);
  expect(known.showsOutput()).toBe(false);
  expect(known.hides()).toEqual(['convert', 'unused']);
  own.change('tabs', 'full');
  expect(seen).toEqual([true, false]);
});

it('name the tabs and the noise that there are', () => {
  expect(schema.properties.firstTab.enum).toEqual(VIEW_NAMES);
  expect(schema.properties.hide.items.enum).toEqual(NOISES);
});
