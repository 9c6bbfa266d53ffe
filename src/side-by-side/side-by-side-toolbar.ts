/**
 * The toolbar above the columns, with a button for each column, and buttons that scroll all columns together, fold,
 * filter, search, and show the keys.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../parts/dom';
import {
  filterButton,
  iconButton,
  space,
  switches,
  togetherButton,
  toolRow
} from '../workbench/reading/tool-row';
import { COLUMNS, ColumnName, IArrangement } from './column-arrangement';
import { columnTitle } from './words';

/** The functions that the buttons of the toolbar call. */
export interface IWideToolbarActions {
  toggle(column: ColumnName): void;
  together(): void;
  find(): void;
  foldAll(): void;
  unfoldAll(): void;
  help(): void;
}

/** The toolbar: the Tab key stops at it once, and arrow keys move inside. */
export class WideToolbar {
  /** @param filters The row below this line; a button here shows and hides it. */
  constructor(
    trans: TranslationBundle,
    actions: IWideToolbarActions,
    filters: HTMLElement
  ) {
    for (const column of COLUMNS) {
      const button = element('button', '', columnTitle(column, trans));
      button.addEventListener('click', () => {
        if (button.getAttribute('aria-disabled') !== 'true') {
          actions.toggle(column);
        }
      });
      this._columns.set(column, button);
    }
    this._together = togetherButton(trans, actions.together);
    this.announcement = element('span', 'jp-JaxprWide-said');
    this.announcement.setAttribute('role', 'status');
    this.node = toolRow(
      trans.__('Columns'),
      switches(trans.__('Shown columns'), [...this._columns.values()]),
      space(),
      this.announcement,
      this._together,
      filterButton(filters, trans),
      iconButton('unfoldAll', trans.__('Unfold all'), actions.unfoldAll),
      iconButton('foldAll', trans.__('Fold all'), actions.foldAll),
      iconButton('search', trans.__('Find in program'), actions.find),
      iconButton(
        'help',
        trans.__('Keyboard shortcuts of this view'),
        actions.help
      )
    );
  }

  readonly node: HTMLElement;
  /** A sentence on the effect of the last key, also for a screen reader. */
  readonly announcement: HTMLElement;

  show(arrangement: IArrangement, shown: readonly ColumnName[]): void {
    for (const [column, button] of this._columns) {
      const pressed = shown.includes(column);
      button.setAttribute('aria-pressed', String(pressed));
      // The button of the only shown column is disabled, because at least one column must stay.
      button.setAttribute(
        'aria-disabled',
        String(pressed && shown.length === 1)
      );
    }
    this._together.setAttribute('aria-pressed', String(arrangement.together));
  }

  /** Move the keyboard focus to the button of a column. */
  focus(column: ColumnName): void {
    this._columns.get(column)?.focus();
  }

  private _columns = new Map<ColumnName, HTMLButtonElement>();
  private _together: HTMLButtonElement;
}
