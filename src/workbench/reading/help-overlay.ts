/** The keys of a view come in; a window that lists them goes out, until Escape or its button closes it. */
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../../parts/dom';
import { drawIcon } from '../words/icons';
import { IKey, programKeys } from './keys';

/** The views that have keys, and where in them; keys that act the same everywhere come first. */
const PLACES: Readonly<Record<'program' | 'diff', readonly IKey['where'][]>> = {
  program: ['view', 'code', 'columns'],
  diff: ['diff']
};

let count = 0;

/** Show every key of a view; where the keyboard was, it is again when the window closes. */
export function showHelp(
  trans: TranslationBundle,
  parent: HTMLElement = document.body,
  view: keyof typeof PLACES = 'program'
): void {
  const before = document.activeElement as HTMLElement | null;
  const dialog = element('dialog', 'jp-JaxprHelp');
  const id = `jp-JaxprHelp-${++count}`;
  dialog.setAttribute('aria-labelledby', id);
  dialog.setAttribute('aria-modal', 'true');
  const head = element('div', 'jp-JaxprHelp-head');
  const name =
    view === 'program'
      ? trans.__('Keys of the Program view')
      : trans.__('Keys of the Diff view');
  const title = element('h2', '', name);
  title.id = id;
  const close = element('button', 'jp-JaxprHelp-close');
  close.title = trans.__('Close');
  close.setAttribute('aria-label', trans.__('Close'));
  close.append(drawIcon('close'));
  close.addEventListener('click', () => dialog.close());
  head.append(title, close);
  const content = element('div', 'jp-JaxprHelp-content');
  // A long list scrolls, by keyboard too.
  content.tabIndex = 0;
  content.setAttribute('role', 'region');
  content.setAttribute('aria-labelledby', id);
  for (const where of PLACES[view]) {
    const keys = programKeys(trans).filter(key => key.where === where);
    if (keys.length > 0) {
      content.append(element('h3', '', placeName(where, trans)), listOf(keys));
    }
  }
  dialog.append(head, content);
  // JupyterLab listens for keys on the whole page.
  dialog.addEventListener('keydown', event => event.stopPropagation());
  dialog.addEventListener('click', event => {
    if (event.target === dialog) {
      dialog.close(); // beside the window
    }
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    before?.focus();
  });
  parent.append(dialog);
  dialog.showModal();
  close.focus();
}

function listOf(keys: readonly IKey[]): HTMLElement {
  const list = element('dl', '');
  for (const { keys: names, does } of keys) {
    const term = element('dt', '');
    names.forEach((name, i) => {
      if (i > 0) {
        term.append(' ');
      }
      term.append(element('kbd', '', name));
    });
    list.append(term, element('dd', '', does));
  }
  return list;
}

function placeName(where: IKey['where'], trans: TranslationBundle): string {
  switch (where) {
    case 'view':
      return trans.__('Anywhere in the view');
    case 'code':
      return trans.__('In a text');
    case 'columns':
      return trans.__('With several levels side by side');
    case 'diff':
      return trans.__('In the lines of both programs');
  }
}
