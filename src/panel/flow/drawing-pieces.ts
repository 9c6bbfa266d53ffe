/** Makes the parts that several drawings have in common: the box of a body, rails, inputs and outputs, captions. */
import { TranslationBundle } from '@jupyterlab/translation';

import { Control, Slot } from '../../protocol/snapshot';
import { equations } from '../../parts/summary';
import { ICard, Reading } from './cards-of-program';
import { IDrawing, Pieces, widthOf } from '../../parts/drawn-pieces';
import { isBranch, isLoop, isNamed, slotsOf, titleOf } from './words';

/** At most this many inner constructs are named; the others are counted. */
const MOST_INNER = 3;

const INNER_HEIGHT = 18;
export const INNER_STEP = 22;

/** The pixels that the buttons for saving and copying take, on each side of the centre of the last line. */
const TAKE = 56;

export abstract class Drawer {
  constructor(
    protected _reading: Reading,
    protected _card: ICard,
    protected _width: number,
    protected _trans: TranslationBundle
  ) {
    this._control = _card.control;
    this._carry = slotsOf(this._control, 'carry');
  }

  /** Draws the box of the body: its name, its number of equations, and the constructs inside. */
  protected _body(x: number, y: number, width: number, height: number): void {
    const { _pieces: pieces, _trans: trans, _control: control } = this;
    pieces.box(x, y, width, height);
    const inner = this._inside('body').length * INNER_STEP;
    const top = y + (height - 34 - inner) / 2;
    pieces.text(
      x + width / 2,
      top + 13,
      titleOf(control) || trans.__('one step'),
      'strong',
      'middle',
      width - 10
    );
    const scope = this._reading.snapshot.scopes[control.body];
    if (scope) {
      pieces.text(
        x + width / 2,
        top + 28,
        equations(scope.total, trans),
        'quiet',
        'middle',
        width - 8
      );
    }
    this._inner(x, top + 34, width, 'body');
  }

  protected _bodyHeight(width: number): number {
    return Math.max(
      width > 140 ? 62 : 58,
      50 + this._inside('body').length * INNER_STEP
    );
  }

  /**
   * The constructs directly inside a part of this card, such as its body. A named scope is replaced by its constructs.
   */
  protected _inside(part: string): (ICard | number)[] {
    const cards: ICard[] = [];
    const look = (card: ICard): void => {
      for (const child of card.children) {
        if (isNamed(child.control)) {
          look(child);
        } else {
          cards.push(child);
        }
      }
    };
    for (const child of this._card.children) {
      if (child.control.parent_part === part) {
        if (isNamed(child.control)) {
          look(child);
        } else {
          cards.push(child);
        }
      }
    }
    return cards.length > MOST_INNER
      ? [...cards.slice(0, MOST_INNER - 1), cards.length - MOST_INNER + 1]
      : cards;
  }

  protected _inner(x: number, y: number, width: number, part: string): void {
    const { _pieces: pieces, _trans: trans } = this;
    this._inside(part).forEach((innerCard, i) => {
      const top = y + i * INNER_STEP;
      if (typeof innerCard === 'number') {
        pieces.text(
          x + width / 2,
          top + 13,
          trans.__('%1 more', innerCard),
          'quiet',
          'middle'
        );
        return;
      }
      const { control } = innerCard;
      pieces.box(x + 8, top, width - 16, INNER_HEIGHT, 'inner');
      const middle = top + INNER_HEIGHT / 2;
      pieces.path(
        isLoop(control)
          ? `M${x + 21} ${middle + 3.5}a4.5 4.5 0 1 1 1.6-5M${x + 23.4} ${middle - 5.5}v4h-4`
          : isBranch(control)
            ? `M${x + 13} ${middle}h4l5-4.5M${x + 17} ${middle}l5 4.5`
            : `M${x + 13} ${middle + 4}l4.5-8 4.5 8`,
        'rail'
      );
      const times =
        isLoop(control) && control.trips !== null
          ? `×${control.trips}`
          : isBranch(control)
            ? String(control.branches.length)
            : '';
      pieces.text(
        x + width - 13,
        middle + 4,
        isBranch(control) ? '' : times,
        'name',
        'end'
      );
      pieces.text(
        x + 28,
        middle + 4,
        control.kind,
        'name',
        'start',
        width - 44 - widthOf(times, 'name')
      );
    });
  }

  /** Draws the rail of an xs or ys: the type of the whole array below the line, that of one step above it. */
  protected _rail(
    from: number,
    to: number,
    y: number,
    slot: Slot,
    more: number,
    last: boolean,
    whole = false
  ): void {
    const { _pieces: pieces, _reading: reading, _trans: trans } = this;
    const incoming = from === 0;
    const room = to - from - 4;
    pieces.arrow(
      [
        [from, y],
        [to, y]
      ],
      'rail'
    );
    // Short strokes across the outer end of the rail (railway sleepers) stand for the rows of the array.
    if (!whole) {
      const half = Math.min(26, room * 0.35);
      const start = incoming ? from + 3 : to - 8 - half;
      let sleepers = '';
      for (let x = start; x <= start + half; x += 6) {
        sleepers += `M${Math.round(x)} ${y - 3}v6`;
      }
      pieces.path(sleepers, 'rail');
    }
    const name = reading.nameOf(this._control, slot) ?? '';
    const step = whole ? '' : reading.type(slot.step);
    const far = incoming ? 'start' : 'end';
    const near = incoming ? 'end' : 'start';
    const farX = incoming ? from : to;
    const nearX = incoming ? to - 3 : from;
    const nameWidth = Math.min(widthOf(name, 'name'), room * 0.5);
    // The type of a step's value, if there is room beside the name; the table shows it in any case.
    if (widthOf(step, 'type') + nameWidth + 6 <= room) {
      pieces.text(nearX, y - 6, step, 'type', near);
      pieces.text(
        farX,
        y - 6,
        name,
        'name',
        far,
        room - widthOf(step, 'type') - 6
      );
    } else {
      pieces.text(farX, y - 6, name, 'name', far, room);
    }
    const type = reading.type(slot.whole);
    const words =
      !last || more <= 0
        ? type
        : ([
            trans.__('%1 and %2 more', type, more),
            trans.__('%1 +%2', type, more)
          ].find(wording => widthOf(wording, 'type') <= room) ??
          trans.__('%1 more', more));
    pieces.text(farX, y + 15, words, 'type', far, room);
  }

  /** Writes the names and types of the carry above the line that shows the carry. */
  protected _around(x: number, y: number, room: number): void {
    const { _carry: carry } = this;
    const names = this._names(carry);
    const type = carry.length === 1 ? this._reading.type(carry[0].step) : '';
    const words = `${names} ${type}`.trim();
    this._pieces.text(
      x,
      y,
      widthOf(words, 'name') <= room ? words : names,
      'name',
      'middle',
      room
    );
  }

  protected _initial(from: number, to: number, y: number): void {
    const { _pieces: pieces, _carry: carry, _control: control } = this;
    pieces.arrow(
      [
        [from, y],
        [to, y]
      ],
      'rail'
    );
    const room = to - from - 4;
    pieces.text(from, y - 6, this._trans.__('init'), 'name', 'start', room);
    const values = carry.map(slot =>
      slot.operand < 0 ? this._reading.operand(control, slot.operand) : null
    );
    pieces.text(
      from,
      y + 15,
      values.length > 0 && values.every(value => value !== null)
        ? values.join(', ')
        : this._types(carry, room),
      'type',
      'start',
      room
    );
  }

  protected _final(from: number, to: number, y: number): void {
    const { _pieces: pieces, _carry: carry } = this;
    pieces.arrow(
      [
        [from, y],
        [to, y]
      ],
      'rail'
    );
    const room = to - from - 4;
    pieces.text(to, y - 6, this._names(carry), 'name', 'end', room);
    pieces.text(to, y + 15, this._types(carry, room), 'type', 'end', room);
  }

  protected _gate(x: number, y: number, half: number): void {
    this._pieces.path(
      `M${x - half} ${y}L${x} ${y - half}L${x + half} ${y}L${x} ${y + half}Z`,
      'gate'
    );
    this._pieces.text(x, y + 4, '?', 'strong', 'middle');
  }

  /** The names of some values, each once; with `variables`, a value without a path has the name of its variable. */
  protected _names(slots: readonly Slot[], variables = true): string {
    const names = slots
      .map(slot =>
        variables
          ? this._reading.nameOf(this._control, slot)
          : slot.path || null
      )
      .filter(name => name !== null);
    return [...new Set(names)].join(', ');
  }

  /** The types of some values; if the types need more than `room` pixels, the number of values. */
  protected _types(slots: readonly Slot[], room = Infinity): string {
    const types = slots.map(slot => this._reading.type(slot.whole)).join(', ');
    return slots.length > 1 && widthOf(types, 'type') > room
      ? this._trans.__('%1 arrays', slots.length)
      : types;
  }

  /** Puts the lines of the caption side by side if they fit, so that the values of a step below move up. */
  private _inOneLine(lines: readonly string[]): readonly string[] {
    const line = lines.join(' · ');
    const fits = widthOf(line, 'quiet') <= this._width - TAKE;
    return lines.length > 1 && fits ? [line] : lines;
  }

  /** Draws the lowest lines: the caption, and the values that are the same in every step. */
  protected _captioned(bottom: number, caption = ''): IDrawing {
    const { _width: width, _pieces: pieces, _trans: trans } = this;
    let y = bottom;
    const lines = [caption];
    const constants = slotsOf(this._control, 'const');
    if (constants.length > 0) {
      const names = this._names(constants);
      lines.push(
        names === ''
          ? trans._n('%1 constant', '%1 constants', constants.length)
          : trans.__('constants: %1', names)
      );
    }
    if (this._control.reverse) {
      lines.push(trans.__('each step takes a row, the last row first'));
    }
    const shown = this._inOneLine(lines.filter(line => line !== ''));
    shown.forEach((line, at) => {
      y += 20;
      // The buttons are at the right of the last line; a long line leaves room for them.
      const taken = at === shown.length - 1 ? TAKE : 0;
      const isLong = widthOf(line, 'quiet') > width - 2 * taken;
      const middle = (isLong ? width - taken : width) / 2;
      pieces.text(middle, y, line, 'quiet', 'middle', width - taken);
    });
    if (shown.length === 0) {
      y += 20;
    }
    return { width, height: Math.round(y + 8), shapes: pieces.shapes };
  }

  protected _control: Control;
  protected _carry: Slot[];
  protected _pieces = new Pieces();
}
