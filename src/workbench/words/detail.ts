/** The detail strip below the code: a description of the selected or hovered line, equation or variable. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { ILinked, Links } from '../../model/links';
import { noNamesSentence } from '../../model/named-types';
import { typesChoice } from '../../model/types-choice';
import type { Selection } from '../../tokens';
import type { ProgramCost } from '../../protocol/snapshot';
import { costLine } from './cost-line';
import { badgeText, describeEquation } from './describe';
import { element } from '../../parts/dom';
import { drawIcon } from '../../parts/dom-icons';
import { noEquationWords } from './no-equation';
import type { JaxprListing } from '../levels/jaxpr-listing';
import type { TextListing } from '../levels/text-listing';

/** The pixels that the strip leaves free for the line under the pointer. */
const POINTED_LINE = 24;

/** The height of one line of text in pixels: the strip's least height, also if the pointer is near. */
const LEAST_HEIGHT = 30;

/**
 * The strip below the code, as tall as its text.
 *
 * A change of the text moves no line of the code: when the strip gets lower, the code gets the same space below its
 * last line, so a code that is scrolled to its end stays in place. The strip does not grow over the line under the
 * pointer, because the pointer would then be on the strip; the strip scrolls instead.
 */
export class Detail {
  /** @param _code - The element above the strip, which gets lower when the strip gets taller. */
  constructor(
    private _trans: TranslationBundle,
    private _code: HTMLElement
  ) {
    this.node = element('div', 'jp-JaxprProgram-detail');
    // The ARIA role is `group`, not a landmark: a page may show several views, each with a detail strip.
    this.node.setAttribute('role', 'group');
    this.node.setAttribute(
      'aria-label',
      this._trans.__('Details of the selection')
    );
    this._content = element('div', 'jp-JaxprProgram-pointed');
    this._content.tabIndex = 0;
    this._button = element('button', 'jp-JaxprProgram-action');
    this._button.addEventListener('click', () => this._open(!this._isOpen));
    this.node.append(this._content, this._button);
    this._open(false);
    _code.addEventListener('mousemove', event => {
      this._pointer = event.clientY;
      if (this._pointer + POINTED_LINE > this._top) {
        this._fit();
      }
    });
    _code.addEventListener('mouseleave', () => {
      this._pointer = null;
      this._fit();
    });
  }

  readonly node: HTMLElement;

  /** Show a description; null if no program is shown. */
  show(content: HTMLElement | null): void {
    // Without a text, the strip takes no space. The position of the code is not read then, because the browser would
    // lay out the page in the middle of the change to another program.
    const isAtEnd = content !== null && this._isAtEnd();
    if (content !== null && !this._isFitted) {
      this._fit(isAtEnd); // the height of the old text was not measured yet; measure it before it is replaced
    }
    this.node.hidden = content === null;
    this._content.replaceChildren(...(content === null ? [] : [content]));
    if (content === null) {
      this._tallest = 0;
    }
    if (this._tallest > 0 || this._pointer !== null) {
      this._fit(isAtEnd);
    } else {
      // The first text of a program needs no space below the code, and is not measured yet, because a measurement would
      // make the browser lay out the program's lines at once.
      this._isFitted = false;
      this._top = 0;
      this._content.style.maxHeight = '';
      this._giveRoom(0);
    }
  }

  /**
   * Measure the height of the text, and give the code the space that remains of the strip's greatest height.
   *
   * @param isAtEnd - Whether the code was scrolled near its end before the text changed. Elsewhere, the code needs no
   * space: a change of the space makes the browser style all lines of the code again, at each key of the user.
   */
  private _fit(isAtEnd = this._isAtEnd()): void {
    this._isFitted = true;
    if (this.node.hidden) {
      return;
    }
    // The code keeps enough space during the measurement: with less space, the browser would scroll the code.
    this._giveRoom(isAtEnd ? this._tallest : 0);
    const { bottom } = this.node.getBoundingClientRect();
    const free =
      this._pointer === null || this._isOpen
        ? Infinity
        : Math.max(LEAST_HEIGHT, bottom - this._pointer - POINTED_LINE);
    this._content.style.maxHeight = '';
    const wanted = this.node.offsetHeight;
    if (wanted > free) {
      this._content.style.maxHeight = `${free}px`;
    }
    const taken = Math.min(wanted, free);
    this._top = bottom - taken;
    this._tallest = Math.max(this._tallest, this._isOpen ? 0 : taken);
    this._giveRoom(isAtEnd ? Math.max(0, this._tallest - taken) : 0);
  }

  /** Set the space below the last line of the code. */
  private _giveRoom(pixels: number): void {
    if (pixels !== this._room) {
      this._room = pixels;
      this._code.style.setProperty('--jjx-room-below', `${pixels}px`);
    }
  }

  /** True if the code is scrolled so near to its end that a lower strip, or less space below it, would scroll it. */
  private _isAtEnd(): boolean {
    const reach = this._tallest + this._room;
    return (
      reach > 0 &&
      [...this._code.querySelectorAll('.cm-scroller')].some(
        ({ scrollHeight, scrollTop, clientHeight }) =>
          clientHeight > 0 &&
          scrollTop > 0 &&
          scrollHeight - scrollTop - clientHeight < reach
      )
    );
  }

  private _open(open: boolean): void {
    const label = open
      ? this._trans.__('Fewer details')
      : this._trans.__('More details');
    this._isOpen = open;
    this.node.classList.toggle('jp-mod-open', open);
    this._button.title = label;
    this._button.setAttribute('aria-label', label);
    this._button.setAttribute('aria-expanded', String(open));
    this._button.replaceChildren(drawIcon(open ? 'down' : 'up'));
    this._fit();
  }

  private _content: HTMLElement;
  private _button: HTMLButtonElement;
  private _isOpen = false;
  /** The space below the last line of the code, in pixels. */
  private _room = 0;
  /** The greatest height of the strip since the program is shown, in pixels. */
  private _tallest = 0;
  /** The top of the strip; 0 before the height of the text is taken. */
  private _top = 0;
  /** False until the height of the text has been measured. */
  private _isFitted = true;
  /** The vertical position of the pointer over the code; null if the pointer is elsewhere. */
  private _pointer: number | null = null;
}

/** The detail lists at most this many numbers of equations. */
const MOST_NUMBERS = 12;

/** The detail of a selection; a hint if nothing is selected. */
export function detailOf(
  selection: Selection | null,
  linked: ILinked,
  jaxpr: JaxprListing,
  text: TextListing | null,
  cost: ProgramCost | null,
  trans: TranslationBundle
): HTMLElement {
  const { links } = jaxpr.described;
  if (selection === null) {
    const hint = element(
      'div',
      'jp-JaxprProgram-hint',
      trans.__(
        'Point at an equation, or at an expression in the cell, to see its details.'
      )
    );
    const noNames = typesChoice.shown
      ? noNamesSentence(links.equations.snapshot, trans)
      : null;
    if (noNames !== null) {
      hint.append(element('div', 'jp-JaxprProgram-fact', noNames));
    }
    return hint;
  }
  const node = element('div', '');
  if (selection.kind === 'text' && text?.level === selection.level) {
    const line = text.describeLine(selection.line);
    if (line) {
      node.append(line);
    }
  } else if (linked.equations.size === 1) {
    const row = jaxpr.rowOf(linked);
    if (row) {
      node.append(
        describeEquation(jaxpr.described, row, true, costLine(cost, row, trans))
      );
    }
  } else if (linked.equations.size > 1) {
    node.append(several(linked, jaxpr, links, trans));
  }
  const note = precisionNote(selection, linked, links, trans);
  if (note !== null) {
    node.append(element('div', 'jp-JaxprProgram-fact', note));
  }
  return node;
}

function several(
  linked: ILinked,
  jaxpr: JaxprListing,
  links: Links,
  trans: TranslationBundle
): HTMLElement {
  const node = element('div', 'jp-JaxprProgram-description');
  const title = element('div', 'jp-JaxprProgram-title');
  const span = linked.spans[0];
  if (span) {
    title.append(
      element('span', 'jp-JaxprProgram-badge', badgeText(links, span))
    );
  }
  const count = linked.equations.size;
  title.append(
    element('b', '', trans._n('%1 equation', '%1 equations', count))
  );
  const text =
    linked.spans.length === 1 && span ? links.spans.text(span) : null;
  if (text !== null) {
    title.append(element('code', '', text));
  }
  node.append(title);
  const numbers = jaxpr
    .linkedLines(linked)
    .map(index => jaxpr.rows.rows[index].number)
    .filter(number => number > 0);
  if (numbers.length > 0) {
    node.append(element('div', 'jp-JaxprProgram-fact', listed(numbers, trans)));
  }
  return node;
}

/** Prints numbers: `9 to 17`, or `5, 6, 9`. */
function listed(numbers: readonly number[], trans: TranslationBundle): string {
  const last = numbers[numbers.length - 1];
  if (numbers.length > 2 && last - numbers[0] === numbers.length - 1) {
    return trans.__('%1 to %2', numbers[0], last);
  }
  return numbers.length > MOST_NUMBERS
    ? trans.__('%1, …', numbers.slice(0, MOST_NUMBERS).join(', '))
    : numbers.join(', ');
}

/** The note for a link that is less precise than it seems. */
function precisionNote(
  selection: Selection,
  linked: ILinked,
  links: Links,
  trans: TranslationBundle
): string | null {
  switch (linked.precision) {
    case 'span':
      return null;
    case 'line':
      if (linked.spans.every(({ column }) => column < 0)) {
        return trans.__(
          'The link covers whole lines: JAX recorded no columns for this code.'
        );
      }
      return linked.spans.length === 1
        ? null
        : trans.__(
            'The whole line is selected. Put the caret into an expression to select the expression alone.'
          );
    case 'none':
      return selection.kind === 'caret' || selection.kind === 'source'
        ? noEquationWords(selection, links, trans)
        : trans.__(
            'This line of the program has no link, because JAX recorded no line of your code as its source.'
          );
  }
}
