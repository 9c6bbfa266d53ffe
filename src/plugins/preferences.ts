/** The settings of the extension come in; what of the panel depends on them goes out. */
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { VIEW_NAMES, ViewName } from '../panel/shell/views';

export interface IPreferences {
  /** Whether the panel opens when a run has a program; as the settings are now. */
  opensOnRun(): boolean;
  /** The tab that is shown first; known once the settings are. */
  readonly firstView: Promise<ViewName>;
}

/**
 * Read the settings.
 *
 * @param registry Null where the application has none: then the preferences are the ones of the schema.
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
    firstView: Promise.resolve(loaded ?? null).then(read => {
      const view = read?.get('firstTab').composite;
      return VIEW_NAMES.find(name => name === view) ?? 'program';
    })
  };
}
