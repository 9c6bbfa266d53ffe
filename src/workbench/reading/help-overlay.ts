/** The window that lists the keys of a view; Escape or its button closes it. */
import { TranslationBundle } from '@jupyterlab/translation';

import { aboveAll } from '../../host';
import { element } from '../../parts/dom';
import { drawIcon } from '../../parts/dom-icons';
import { IKeyEntry, KEYS, KeyPlace, hasPlace, printed } from '../../view-keys';

type Heading = 'view' | 'text' | 'columns' | 'diff';

/**
 * The headings of the help for each view that has keys; the heading with the keys that act in the whole view comes
 * first.
 */
const HEADINGS: Readonly<Record<'program' | 'diff', readonly Heading[]>> = {
  program: ['view', 'text', 'columns'],
  diff: ['diff']
};

/** For each heading of the help, the parts of the page whose keys the heading lists. */
const PLACES: Readonly<Record<Heading, readonly KeyPlace[]>> = {
  view: ['view', 'search', 'searchField', 'stepper', 'presenting'],
  text: ['text', 'level', 'source', 'shardings', 'cell', 'code'],
  columns: ['divider', 'sourceCell'],
  diff: ['diffLines', 'diff']
};

let count = 0;

/**
 * Show the keys of a view that also work in this application. When the window closes, the element that had the keyboard
 * focus gets it back.
 */
export function showHelp(
  trans: TranslationBundle,
  parent: HTMLElement = aboveAll(),
  view: keyof typeof HEADINGS = 'program'
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
  close.title = trans.__('Close the list of keys');
  close.setAttribute('aria-label', close.title);
  close.append(drawIcon('close'));
  close.addEventListener('click', () => dialog.close());
  head.append(title, close);
  const content = element('div', 'jp-JaxprHelp-content');
  // The list can get the keyboard focus, so that keys scroll a long list.
  content.tabIndex = 0;
  content.setAttribute('role', 'region');
  content.setAttribute('aria-labelledby', id);
  for (const heading of HEADINGS[view]) {
    const places = PLACES[heading].filter(hasPlace);
    const entries = KEYS.filter(entry =>
      entry.in.some(place => places.includes(place))
    );
    if (entries.length === 0) {
      continue;
    }
    content.append(
      element('h3', '', headingName(heading, trans)),
      listOf(entries, trans)
    );
  }
  dialog.append(head, content);
  // Stops the event, since JupyterLab listens for keys on the whole page.
  dialog.addEventListener('keydown', event => event.stopPropagation());
  dialog.addEventListener('click', event => {
    if (event.target === dialog) {
      dialog.close(); // the click was outside of the window
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

function listOf(
  entries: readonly IKeyEntry[],
  trans: TranslationBundle
): HTMLElement {
  const list = element('dl', '');
  for (const { keys, mouse = [], does } of entries) {
    const term = element('dt', '');
    [...Object.keys(keys).map(printed), ...mouse].forEach((name, i) => {
      if (i > 0) {
        term.append(' ');
      }
      term.append(element('kbd', '', name));
    });
    list.append(term, element('dd', '', does(trans)));
  }
  return list;
}

function headingName(heading: Heading, trans: TranslationBundle): string {
  switch (heading) {
    case 'view':
      return trans.__('Anywhere in the view');
    case 'text':
      return trans.__('With the keyboard focus in a text');
    case 'columns':
      return trans.__('With several levels side by side');
    case 'diff':
      return trans.__('In the two columns of a diff');
  }
}
