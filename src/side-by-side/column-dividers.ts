/** Lays out columns side by side, with dividers that the mouse and the keys move. */
import { TranslationBundle } from '@jupyterlab/translation';

import { element } from '../parts/dom';
import { dispatchKey } from '../view-keys';
import { drawIcon } from '../parts/dom-icons';
import {
  ColumnName,
  IArrangement,
  divided,
  shareOf
} from './column-arrangement';
import { columnTitle } from './words';

/** The functions that the columns call when the user moves a divider or a column. */
export interface IColumnsHost {
  arrange(arrangement: IArrangement): void;
  move(column: ColumnName, by: 1 | -1): void;
}

/** One column: a head, a line of messages, and a body that a pane fills. */
export interface IColumn {
  node: HTMLElement;
  title: HTMLElement;
  count: HTMLElement;
  messages: HTMLElement;
  body: HTMLElement;
}

/** A key moves a divider by this share of both columns. */
const STEP = 0.05;

export class Columns {
  constructor(
    private _trans: TranslationBundle,
    private _host: IColumnsHost
  ) {
    this.node = element('div', 'jp-JaxprWide-columns');
  }

  readonly node: HTMLElement;

  column(name: ColumnName): IColumn {
    let column = this._columns.get(name);
    if (!column) {
      column = this._make(name);
      this._columns.set(name, column);
    }
    return column;
  }

  /** Arranges the columns; `shown` is from left to right. Returns true if other columns are shown, or another order. */
  arrange(arrangement: IArrangement, shown: readonly ColumnName[]): boolean {
    this._arrangement = arrangement;
    const isOther = this._shown !== shown.join();
    if (isOther) {
      this._shown = shown.join();
      const focused = document.activeElement;
      const nodes = shown.flatMap((name, i) =>
        i === 0
          ? [this.column(name).node]
          : [this._divider(shown[i - 1], name), this.column(name).node]
      );
      this.node.replaceChildren(...nodes);
      if (focused instanceof HTMLElement && this.node.contains(focused)) {
        focused.focus(); // taking the focused element out of the page and putting it back has removed the focus
      }
    }
    for (const name of shown) {
      this.column(name).node.style.flexGrow = `${arrangement.weights[name]}`;
    }
    for (const divider of this.node.querySelectorAll<HTMLElement>(
      '.jp-JaxprWide-divider'
    )) {
      const { left, right } = divider.dataset as Record<string, ColumnName>;
      const share = Math.round(100 * shareOf(arrangement, left, right));
      divider.setAttribute('aria-valuenow', `${share}`);
    }
    return isOther;
  }

  private _make(name: ColumnName): IColumn {
    const node = element('section', 'jp-JaxprWide-column');
    const text = columnTitle(name, this._trans);
    node.dataset.column = name;
    // The ARIA role is `group`, not a landmark: a page may show several views with columns of the same names.
    node.setAttribute('role', 'group');
    node.setAttribute('aria-label', text);
    const head = element('div', 'jp-JaxprWide-columnHead');
    const title = element('h2', 'jp-JaxprWide-title', text);
    const count = element('span', 'jp-JaxprWide-count');
    const messages = element('div', 'jp-JaxprProgram-messages');
    messages.setAttribute('role', 'status');
    const body = element('div', 'jp-JaxprProgram-body');
    head.append(
      title,
      count,
      this._mover(name, -1, this._trans.__('Move %1 to the left', text)),
      this._mover(name, 1, this._trans.__('Move %1 to the right', text))
    );
    node.append(head, messages, body);
    return { node, title, count, messages, body };
  }

  private _mover(
    name: ColumnName,
    by: 1 | -1,
    label: string
  ): HTMLButtonElement {
    const button = element('button', 'jp-JaxprWide-mover');
    button.title = label;
    button.setAttribute('aria-label', label);
    button.append(drawIcon(by > 0 ? 'right' : 'left'));
    button.addEventListener('click', () => {
      this._host.move(name, by);
      button.focus();
    });
    return button;
  }

  private _divider(left: ColumnName, right: ColumnName): HTMLElement {
    const node = element('div', 'jp-JaxprWide-divider');
    node.dataset.left = left;
    node.dataset.right = right;
    node.tabIndex = 0;
    node.setAttribute('role', 'separator');
    node.setAttribute('aria-orientation', 'vertical');
    node.setAttribute('aria-valuemin', '0');
    node.setAttribute('aria-valuemax', '100');
    const label = this._trans.__(
      'Width of %1 beside %2, in per cent',
      columnTitle(left, this._trans),
      columnTitle(right, this._trans)
    );
    node.setAttribute('aria-label', label);
    node.title = this._trans.__(
      'Drag the divider or press the arrow keys to move it; double-click for equal widths'
    );
    const put = (share: number): void => {
      if (this._arrangement) {
        this._host.arrange(divided(this._arrangement, left, right, share));
      }
    };
    node.addEventListener('keydown', event => {
      const share = this._arrangement
        ? shareOf(this._arrangement, left, right)
        : 0.5;
      dispatchKey(event, 'divider', {
        left: () => put(share - STEP),
        right: () => put(share + STEP),
        leftEnd: () => put(0),
        rightEnd: () => put(1)
      });
    });
    node.addEventListener('dblclick', () => put(0.5));
    node.addEventListener('pointerdown', event => {
      if (event.button !== 0) {
        return;
      }
      event.preventDefault();
      node.focus();
      node.setPointerCapture(event.pointerId);
      node.classList.add('jp-mod-dragged');
    });
    node.addEventListener('pointermove', event => {
      if (node.hasPointerCapture(event.pointerId)) {
        const from = this.column(left).node.getBoundingClientRect().left;
        const to = this.column(right).node.getBoundingClientRect().right;
        put((event.clientX - from) / (to - from));
      }
    });
    node.addEventListener('lostpointercapture', () =>
      node.classList.remove('jp-mod-dragged')
    );
    return node;
  }

  private _columns = new Map<ColumnName, IColumn>();
  private _arrangement: IArrangement | null = null;
  private _shown = '';
}
