/** The menu of the views that do not fit into the row of tabs. */
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import { aboveAll } from '../../host';
import { ViewName } from './view-names';

/** Opens the menu of the views whose tabs do not fit into the row, below the menu's button. */
export function openTabsMenu(options: {
  button: HTMLElement;
  views: readonly { view: ViewName; label: string }[];
  choose: (view: ViewName) => void;
}): void {
  const { button, views, choose } = options;
  const commands = new CommandRegistry();
  const menu = new Menu({ commands });
  let chosen = false;
  for (const { view, label } of views) {
    commands.addCommand(view, {
      label,
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => {
        chosen = true;
        choose(view);
      }
    });
    menu.addItem({ command: view });
  }
  menu.aboutToClose.connect(() => {
    // The menu closes before the command of its item runs, so the menu is disposed only afterwards.
    queueMicrotask(() => {
      menu.dispose();
      if (!chosen && document.activeElement === document.body) {
        button.focus();
      }
    });
  });
  const box = button.getBoundingClientRect();
  menu.open(box.left, box.bottom, { host: aboveAll() });
}
