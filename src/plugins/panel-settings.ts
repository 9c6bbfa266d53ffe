/** Applies the settings of the extension to the panel. */
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { VIEW_NAMES, ViewName } from '../panel/shell/view-names';
import { NOISES, Noise } from '../workbench/reading/noise-rules';

export interface IPreferences {
  /** True if the panel opens when a run has a program; reads the present settings. */
  opensOnRun(): boolean;
  /** The tab that is shown first; the promise resolves when the settings are known. */
  readonly firstView: Promise<ViewName>;
  /** True if only the small set of tabs is shown; reads the present settings. */
  isSimple(): boolean;
  /** True if the two lines below a cell are shown; reads the present settings. */
  showsOutput(): boolean;
  /** The kinds of noise that a program hides at first; reads the present settings. */
  hides(): readonly Noise[];
  /** Call `changed` once the settings are known, and whenever they change. */
  follow(changed: () => void): void;
}

/**
 * Read the settings.
 *
 * @param registry The registry of settings; null in an application without one, where the schema's defaults apply.
 * @param plugin Id of the plugin that has the schema.
 */
export function preferences(
  registry: ISettingRegistry | null,
  plugin: string
): IPreferences {
  let settings: ISettingRegistry.ISettings | null = null;
  const loaded = registry?.load(plugin).then(
    read => {
      settings = read;
      return read;
    },
    (reason: unknown) => {
      console.error('jupyter-jaxpr: the settings could not be read', reason);
      return null;
    }
  );
  return {
    opensOnRun: () => settings?.get('openOnRun').composite !== false,
    isSimple: () => settings?.get('tabs').composite === 'simple',
    showsOutput: () => settings?.get('output').composite !== 'none',
    hides: () => {
      const hidden = settings?.get('hide').composite;
      return Array.isArray(hidden)
        ? NOISES.filter(noise => hidden.includes(noise))
        : [];
    },
    follow: changed =>
      void loaded?.then(read => {
        read?.changed.connect(changed);
        changed();
      }),
    firstView: Promise.resolve(loaded ?? null).then(read => {
      const view = read?.get('firstTab').composite;
      return VIEW_NAMES.find(name => name === view) ?? 'program';
    })
  };
}
