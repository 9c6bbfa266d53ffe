/**
 * An arrangement comes in; the line above the columns goes out: which are shown, whether they scroll together, find.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../program/describe';
import { drawIcon } from '../program/icons';
import { COLUMNS, ColumnName, IArrangement } from './arrangement';
import { columnTitle } from './words';

/** What the toolbar does. */
export interface IWideToolbarActions {
  toggle(column: ColumnName): void;
  together(): void;
  find(): void;
  foldAll(): void;
  unfoldAll(): void;
  help(): void;
}

/** One stop of the Tab key, arrows inside. */
export class WideToolbar {
  /**
   * @param filters Below the line: its switches are shown and put away by a button here.
   */
  constructor(
    trans: TranslationBundle,
    actions: IWideToolbarActions,
    filters: HTMLElement
  ) {
    this.node = element('div', 'jp-JaxprProgram-toolbar');
    this.node.setAttribute('role', 'toolbar');
    this.node.setAttribute('aria-label', trans.__('Columns'));
    const group = element('div', 'jp-JaxprProgram-levels');
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', trans.__('Shown columns'));
    for (const column of COLUMNS) {
      const button = element('button', '', columnTitle(column, trans));
      button.addEventListener('click', () => {
        if (button.getAttribute('aria-disabled') !== 'true') {
          actions.toggle(column);
        }
      });
      this._columns.set(column, button);
      group.append(button);
    }
    this._together = element(
      'button',
      'jp-JaxprWide-together',
      trans.__('Scroll together')
    );
    this._together.title = trans.__(
      'Bring what is pointed at in one column into view in the others'
    );
    this._together.addEventListener('click', actions.together);
    const filter = action('filter', trans.__('Hide lines'), () => {
      filters.hidden = !filters.hidden;
      filter.setAttribute('aria-expanded', String(!filters.hidden));
    });
    filter.setAttribute('aria-expanded', 'false');
    this.said = element('span', 'jp-JaxprWide-said');
    this.said.setAttribute('role', 'status');
    this.node.append(
      group,
      element('span', 'jp-JaxprProgram-space'),
      this.said,
      this._together,
      filter,
      action('unfoldAll', trans.__('Unfold all'), actions.unfoldAll),
      action('foldAll', trans.__('Fold all'), actions.foldAll),
      action('search', trans.__('Find in program'), actions.find),
      action('help', trans.__('Keys of this view'), actions.help)
    );
    this.node.addEventListener('keydown', event => this._key(event));
    this.node.addEventListener('focusin', event =>
      this._stop(event.target as HTMLElement)
    );
    this._stop(group.firstElementChild as HTMLElement);
  }

  readonly node: HTMLElement;
  /** What the last key did, for a screen reader too. */
  readonly said: HTMLElement;

  show(arrangement: IArrangement, shown: readonly ColumnName[]): void {
    for (const [column, button] of this._columns) {
      const pressed = shown.includes(column);
      button.setAttribute('aria-pressed', String(pressed));
      // One stays.
      button.setAttribute(
        'aria-disabled',
        String(pressed && shown.length === 1)
      );
    }
    this._together.setAttribute('aria-pressed', String(arrangement.together));
  }

  /** Put the keyboard on the button of a column. */
  focus(column: ColumnName): void {
    this._columns.get(column)?.focus();
  }

  private _key(event: KeyboardEvent): void {
    const stops = [...this.node.querySelectorAll('button')];
    const at = stops.indexOf(document.activeElement as HTMLButtonElement);
    const last = stops.length - 1;
    const next: Record<string, number> = {
      ArrowLeft: at === 0 ? last : at - 1,
      ArrowRight: at === last ? 0 : at + 1,
      Home: 0,
      End: last
    };
    if (at >= 0 && next[event.key] !== undefined) {
      event.preventDefault();
      stops[next[event.key]].focus();
    }
  }

  private _stop(current: HTMLElement): void {
    for (const button of this.node.querySelectorAll('button')) {
      button.tabIndex = button === current ? 0 : -1;
    }
  }

  private _columns = new Map<ColumnName, HTMLButtonElement>();
  private _together: HTMLButtonElement;
}

function action(
  icon: Parameters<typeof drawIcon>[0],
  label: string,
  act: () => void
): HTMLButtonElement {
  const button = element('button', 'jp-JaxprProgram-action');
  button.title = label;
  button.setAttribute('aria-label', label);
  button.append(drawIcon(icon));
  button.addEventListener('click', act);
  return button;
}
