/**
 * Adds the commands that lead through the panel: to the panel, to each view, and to the next and the previous program.
 */
import { JupyterFrontEnd } from '@jupyterlab/application';
import { TranslationBundle } from '@jupyterlab/translation';

import { usersPrograms } from '../model/users-programs';
import type { JaxprPanel } from '../panel/shell/panel';
import { VIEW_NAMES, viewLabels } from '../panel/shell/view-names';
import { IJaxprTracker } from '../tokens';

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

/**
 * Add the commands.
 *
 * @returns The ids of the commands, in the order in which the command palette lists them.
 */
export function addGoing(
  app: JupyterFrontEnd,
  panel: JaxprPanel,
  tracker: IJaxprTracker,
  trans: TranslationBundle
): string[] {
  const { commands, shell } = app;
  const added: string[] = [];
  const add = (
    id: string,
    label: string,
    isEnabled: () => boolean,
    execute: () => void
  ): void => {
    commands.addCommand(id, {
      label,
      isEnabled,
      describedBy: NO_ARGUMENTS,
      execute
    });
    added.push(id);
  };

  add(
    'jupyter-jaxpr:focus-panel',
    trans.__('Go to the Panel'),
    () => true,
    () => shell.activateById(panel.id)
  );
  const labels = viewLabels(trans);
  for (const view of VIEW_NAMES) {
    add(
      `jupyter-jaxpr:show-${view}`,
      trans.__('Show %1', labels[view]),
      () => (tracker.current?.snapshot ?? null) !== null,
      () => {
        panel.keepFocus = true;
        shell.activateById(panel.id);
        void panel.showView(view);
      }
    );
  }

  /** The index of the program that stands `places` after the program in view; null if there is none. */
  const programAt = (places: number): number | null => {
    const model = tracker.current;
    if (!model?.snapshot) {
      return null;
    }
    const programs = usersPrograms(model.snapshot);
    return programs[programs.indexOf(model.program) + places] ?? null;
  };
  const step = (id: string, label: string, places: number): void =>
    add(
      id,
      label,
      () => programAt(places) !== null,
      () => {
        const program = programAt(places);
        if (program !== null) {
          tracker.current?.setProgram(program);
        }
      }
    );
  step('jupyter-jaxpr:next-program', trans.__('Next Program'), 1);
  step('jupyter-jaxpr:previous-program', trans.__('Previous Program'), -1);
  return added;
}
