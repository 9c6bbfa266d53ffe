/** Makes the actions of the views' controls for a widget; a widget cannot reach the notebook around it. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { Menu, Widget } from '@lumino/widgets';

import type { JaxprModel } from '../model/model';
import type { IPanelActions } from '../panel/shell/above-view';
import { programMarkdown } from '../parts/program-as-markdown';
import { programText } from '../parts/program-as-text';
import { canCopy, documentText, fileName } from '../parts/saved-run';
import { saveAs } from '../parts/standalone-svg';
import { Clipboard, aboveAll } from './host';

const NO_ARGUMENTS = { args: { type: 'object', properties: {} } } as const;

/** What the controls can change in the widget. */
export interface IWidgetPlace {
  /** Show a notice to the user: what was done, or why it failed. */
  tell(notice: string): void;
  /** Show a view with its title in the place of the panel, until the user goes back. */
  open(widget: Widget): void;
}

export interface IWidgetActions {
  readonly actions: IPanelActions;
  dispose(): void;
}

export function widgetActions(
  model: JaxprModel,
  place: IWidgetPlace,
  trans: TranslationBundle
): IWidgetActions {
  const commands = new CommandRegistry();
  const hasProgram = (): boolean => model.program >= 0;
  const tellCopied = async (text: string, copied: string): Promise<void> =>
    place.tell(
      (await Clipboard.copyToSystem(text))
        ? copied
        : trans.__(
            'The page does not let the widget copy. Select the text, and copy the text with the keyboard.'
          )
    );
  const copy = (text: typeof programMarkdown): void => {
    const { snapshot, program } = model;
    if (snapshot !== null && program >= 0) {
      void tellCopied(
        text(snapshot, program, trans),
        trans.__('The program was copied.')
      );
    }
  };
  /** Save a file; show an error as a sentence. */
  const save = async (work: () => Promise<string | void>): Promise<void> => {
    try {
      place.tell((await work()) ?? '');
    } catch (error) {
      place.tell(error instanceof Error ? error.message : String(error));
    }
  };
  const nameOfFile = (): string =>
    fileName(model.snapshot?.programs[model.program]?.name ?? '');
  const add = (
    id: string,
    label: string,
    isEnabled: () => boolean,
    execute: () => void
  ): void => {
    commands.addCommand(id, {
      label,
      isEnabled,
      execute,
      describedBy: NO_ARGUMENTS
    });
  };
  add('copy', trans.__('Copy Jaxpr'), hasProgram, () => copy(programText));
  add('copy-markdown', trans.__('Copy as Markdown'), hasProgram, () =>
    copy(programMarkdown)
  );
  add(
    'save-page',
    trans.__('Save as HTML'),
    () => hasProgram() && model.requests !== null,
    () =>
      void save(async () => {
        const { requests, snapshot, program } = model;
        if (requests !== null && snapshot !== null) {
          const page = await requests.ask('export', {
            snapshot: snapshot.id,
            program
          });
          const file = new Blob([page], { type: 'text/html' });
          saveAs(`${nameOfFile()}.html`, file);
        }
      })
  );
  add(
    'save-copy',
    trans.__('Save a Copy'),
    () => hasProgram() && canCopy(model),
    () =>
      void save(async () => {
        const text = await documentText(model);
        const file = new Blob([text], { type: 'application/json' });
        saveAs(`${nameOfFile()}.jaxpr.json`, file);
      })
  );
  add(
    'save-excerpt',
    trans.__('Save the Selection and Its Links as SVG'),
    () => hasProgram() && model.selection !== null,
    () =>
      void save(async () => {
        const { saveExcerpt } = await import('../excerpt');
        return (await saveExcerpt(model, trans))
          ? undefined
          : trans.__(
              'The selection has no links. Click an equation, or an expression in the source, and save the picture again.'
            );
      })
  );
  const menu = new Menu({ commands });
  for (const command of ['copy', 'copy-markdown']) {
    menu.addItem({ command });
  }
  menu.addItem({ type: 'separator' });
  for (const command of ['save-page', 'save-copy', 'save-excerpt']) {
    menu.addItem({ command });
  }
  const ofHeader = {
    copy: () => copy(programText),
    more: (x: number, y: number) => menu.open(x, y, { host: aboveAll() }),
    follows: false
  };
  const actions: IPanelActions = {
    ...ofHeader,
    insert: source => {
      const text = source.inCell;
      if (text !== null) {
        void tellCopied(
          text,
          trans.__('The code was copied. Paste the code into a new cell.')
        );
      }
      return false;
    },
    run: () => undefined, // never called: while a run is in view, no view offers to run code of this extension
    wide: () =>
      void import('./wide-place').then(({ wideIn }) =>
        place.open(wideIn(model, ofHeader, trans))
      ),
    transforms: () =>
      void import('../transform').then(({ transformWidget }) => {
        const widget = transformWidget({ trans, actions: ofHeader });
        widget.content.model = model;
        place.open(widget);
      }),
    beside: comparison =>
      void import('../panel/compare').then(({ besideWidget }) =>
        place.open(besideWidget(comparison, trans))
      ),
    diff: (_, choice) =>
      void import('../panel/diff').then(({ diffWidget }) =>
        place.open(diffWidget(model, choice, trans))
      )
  };
  return { actions, dispose: () => menu.dispose() };
}
