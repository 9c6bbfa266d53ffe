/** Makes the view of a document from a file, with the actions of its controls. */
import { Clipboard } from '@jupyterlab/apputils';
import { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import { ServerSettings, compareOnServer } from '../kernel/compare-on-server';
import { FileView } from '../panel/shell/file-view';
import { programMarkdown } from '../parts/program-as-markdown';
import { programText } from '../parts/program-as-text';

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

/**
 * @param path Gives the present path of the file, which the user may rename; null where two files are compared.
 * @param compare The command that compares the file with another one; null where no file can be chosen.
 */
export function makeFileView(
  path: (() => string) | null,
  commands: CommandRegistry,
  compare: string | null,
  settings: ServerSettings,
  trans: TranslationBundle
): FileView {
  let menu: Menu | null = null;
  const view = new FileView(
    trans,
    model => {
      const copy = (text: typeof programMarkdown): void => {
        const { snapshot = null, program = -1 } = model() ?? {};
        if (snapshot !== null && program >= 0) {
          Clipboard.copyToSystem(text(snapshot, program, trans));
        }
      };
      const own = new CommandRegistry();
      own.addCommand('copy', {
        label: trans.__('Copy Jaxpr'),
        describedBy: NO_ARGUMENTS,
        execute: () => copy(programText)
      });
      own.addCommand('copy-markdown', {
        label: trans.__('Copy as Markdown'),
        describedBy: NO_ARGUMENTS,
        execute: () => copy(programMarkdown)
      });
      own.addCommand('compare', {
        label: trans.__('Compare With…'),
        describedBy: NO_ARGUMENTS,
        execute: () =>
          compare !== null &&
          path !== null &&
          commands.execute(compare, { path: path() })
      });
      menu?.dispose();
      const more = (menu = new Menu({ commands: own }));
      more.addItem({ command: 'copy' });
      more.addItem({ command: 'copy-markdown' });
      if (path !== null && compare !== null) {
        more.addItem({ type: 'separator' });
        more.addItem({ command: 'compare' });
      }
      return {
        copy: () => copy(programText),
        more: (x, y) => more.open(x, y),
        insert: () => undefined, // never called: without a kernel, no view offers to insert or run code
        run: () => undefined
      };
    },
    (before, after, level) =>
      compareOnServer(settings, before, after, level, trans)
  );
  view.disposed.connect(() => menu?.dispose());
  return view;
}
