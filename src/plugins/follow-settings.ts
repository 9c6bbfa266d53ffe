/** Reads the settings of the extension, and follows their changes. */
import { ISettingRegistry } from '@jupyterlab/settingregistry';

/** The plugin that has the schema of the settings. */
const SETTINGS = 'jupyter-jaxpr:plugin';

/**
 * Call back with the settings as soon as they are known, and whenever they change.
 *
 * @param registry Null if the application has no settings; then nothing is called.
 * @param changed Called with null if the settings cannot be read.
 */
export function followSettings(
  registry: ISettingRegistry | null,
  changed: (settings: ISettingRegistry.ISettings | null) => void
): Promise<ISettingRegistry.ISettings | null> | null {
  const settings = registry?.load(SETTINGS).catch(() => null) ?? null;
  void settings?.then(read => {
    const apply = (): void => changed(read);
    read?.changed.connect(apply);
    apply();
  });
  return settings;
}
