/** Makes a toolbar that is one stop of the Tab key, with arrow keys between its buttons. */
import { TranslationBundle } from '@jupyterlab/translation';

import { stepped } from '../../parts/roving';
import { element } from '../../parts/dom';
import { drawIcon } from '../words/icons';

/** A toolbar; its first button is its stop until another was used. */
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

/** Switches that belong together, such as the levels. */
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

/** What pushes the buttons after it to the right. */
export function space(): HTMLElement {
  return element('span', 'jp-JaxprProgram-space');
}

/** A button with an icon; it does nothing while it is `aria-disabled`. */
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

/** Shows the switches that hide lines, and puts them away. */
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

/** Has what is pointed at in one column brought into view in the others; pressed or not is set by its owner. */
export function togetherButton(
  trans: TranslationBundle,
  act: () => void
): HTMLButtonElement {
  const button = element(
    'button',
    'jp-JaxprWide-together',
    trans.__('Scroll together')
  );
  button.title = trans.__(
    'Select a line in one column to scroll the other columns to the linked lines'
  );
  button.addEventListener('click', act);
  return button;
}
