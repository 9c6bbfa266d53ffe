/** Makes a toolbar that is one stop of the Tab key, with arrow keys between its buttons. */
import { TranslationBundle } from '@jupyterlab/translation';

import { stepped } from '../../parts/arrow-key-focus';
import { element } from '../../parts/dom';
import { drawIcon } from '../../parts/dom-icons';

/** Makes a toolbar; the first button takes the Tab key until the user has used another button. */
export function toolRow(label: string, ...content: HTMLElement[]): HTMLElement {
  const row = element('div', 'jp-JaxprProgram-toolbar');
  row.setAttribute('role', 'toolbar');
  row.setAttribute('aria-label', label);
  row.append(...content);
  const buttons = () => [...row.querySelectorAll('button')];
  const stop = (current: EventTarget | undefined | null) => {
    for (const button of buttons()) {
      button.tabIndex = button === current ? 0 : -1;
    }
  };
  row.addEventListener('keydown', event => {
    const seen = buttons().filter(
      button => button.checkVisibility?.() !== false
    );
    const next = stepped(event.key, seen, document.activeElement);
    if (next) {
      event.preventDefault();
      next.focus();
    }
  });
  row.addEventListener('focusin', event => stop(event.target));
  stop(buttons()[0]);
  return row;
}

/** Makes a group of switches that belong together, such as the levels. */
export function switches(
  label: string,
  buttons: readonly HTMLElement[]
): HTMLElement {
  const group = element('div', 'jp-JaxprProgram-levels');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', label);
  group.append(...buttons);
  return group;
}

/** Makes a space that pushes the following buttons to the right. */
export function space(): HTMLElement {
  return element('span', 'jp-JaxprProgram-space');
}

/** Makes a button with an icon; the button does nothing while it is `aria-disabled`. */
export function iconButton(
  icon: Parameters<typeof drawIcon>[0],
  label: string,
  act: () => void
): HTMLButtonElement {
  const button = element('button', 'jp-JaxprProgram-action');
  button.title = label;
  button.setAttribute('aria-label', label);
  button.append(drawIcon(icon));
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') {
      act();
    }
  });
  return button;
}

/** Makes the button that shows and hides the switches of the filters. */
export function filterButton(
  filters: HTMLElement,
  trans: TranslationBundle
): HTMLButtonElement {
  const button = iconButton('filter', trans.__('Hide lines'), () => {
    filters.hidden = !filters.hidden;
    button.setAttribute('aria-expanded', String(!filters.hidden));
  });
  button.setAttribute('aria-expanded', String(!filters.hidden));
  return button;
}

/**
 * Makes the button for scrolling the columns together: a selection in one column scrolls the others. The owner sets its
 * pressed state.
 */
export function togetherButton(
  trans: TranslationBundle,
  act: () => void
): HTMLButtonElement {
  const button = element(
    'button',
    'jp-JaxprWide-together',
    trans.__('Scroll to linked lines')
  );
  button.title = trans.__(
    'Select a line in one column to scroll the other columns to the linked lines'
  );
  button.addEventListener('click', act);
  return button;
}
