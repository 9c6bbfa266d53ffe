/**
 * A card and a width come in; its drawing goes out, as a person would make it: a loop arrow for the carry, rails for
 * xs and ys, a fork for branches, a gate before a while.
 */
import { TranslationBundle } from '@jupyterlab/translation';

import { Control, Slot } from '../../protocol/snapshot';
import { equations } from '../summary';
import { ICard, Reading } from './reading';
import { IDrawing, Pieces, widthOf } from './shapes';
import {
  isBranch,
  isLoop,
  isNamed,
  isSelected,
  predicateWords,
  slotsOf,
  timesWords,
  titleOf
} from './words';

/** Drawings keep the size of their letters; they grow to this, and then stay. */
export const NARROWEST = 240;
export const WIDEST = 480;

/** More rails, branches or constructs inside are counted. */
const MOST_RAILS = 2;
const MOST_BRANCHES = 5;
const MOST_INNER = 3;

const RAIL_STEP = 36;
const INNER_HEIGHT = 18;
const INNER_STEP = 22;

/** The drawing of a card; null for one that has none: a scope that only has a name. */
export function drawingOf(
  reading: Reading,
  card: ICard,
  width: number,
  trans: TranslationBundle
): IDrawing | null {
  const w = Math.round(Math.min(Math.max(width, NARROWEST), WIDEST));
  const draw = new Drawer(reading, card, w, trans);
  const { control } = card;
  if (isNamed(control)) {
    return null;
  }
  if (isBranch(control)) {
    return control.branches.length === 0 ? null : draw.fork();
  }
  if (control.kind === 'associative_scan') {
    return draw.tree();
  }
  return control.primitive === 'while' ? draw.gated() : draw.loop();
}

class Drawer {
  constructor(
    private _reading: Reading,
    private _card: ICard,
    private _width: number,
    private _trans: TranslationBundle
  ) {
    this._control = _card.control;
    this._carry = slotsOf(this._control, 'carry');
  }

  /** Xs come in on rails, ys go out on rails, the carry goes round below. */
  loop(): IDrawing {
    const { _width: width, _pieces: pieces, _carry: carry } = this;
    const xs = slotsOf(this._control, 'xs');
    const ys = slotsOf(this._control, 'ys');
    const rails = Math.min(MOST_RAILS, Math.max(xs.length, ys.length));
    const boxWidth = Math.round(Math.min(190, Math.max(92, width * 0.32)));
    const left = Math.round((width - boxWidth) / 2);
    const right = left + boxWidth;
    const top = 8;
    const turn = carry.length > 0 ? 34 : 0;
    const boxHeight = Math.max(
      this._bodyHeight(boxWidth),
      Math.max(1, rails) * RAIL_STEP + turn
    );
    this._body(left, top, boxWidth, boxHeight);
    const bottom = top + boxHeight;
    for (let i = 0; i < rails; i++) {
      const y = top + 24 + i * RAIL_STEP;
      if (i < xs.length) {
        this._rail(0, left - 2, y, xs[i], xs.length - rails, i === rails - 1);
      }
      if (i < ys.length) {
        this._rail(
          right + 2,
          width,
          y,
          ys[i],
          ys.length - rails,
          i === rails - 1
        );
      }
    }
    let y = bottom + 16;
    if (carry.length > 0) {
      const entry = bottom - 18;
      y = bottom + 24;
      const [out, back] = [right + 26, left - 26];
      pieces.arrow(
        [
          [right, entry],
          [out, entry],
          [out, y],
          [back, y],
          [back, entry],
          [left - 1, entry]
        ],
        'carry'
      );
      this._around(left + boxWidth / 2, y - 6, boxWidth + 44);
      this._initial(0, back - 2, y);
      this._final(out + 1, width, y);
      y += 16;
    }
    pieces.text(
      width / 2,
      y,
      timesWords(this._control, this._trans),
      'strong',
      'middle'
    );
    return this._captioned(y);
  }

  /** The carry goes round over the top, and leaves where the condition is false. */
  gated(): IDrawing {
    const { _width: width, _pieces: pieces } = this;
    const boxWidth = Math.round(Math.min(190, Math.max(92, width * 0.36)));
    const boxHeight = Math.max(48, this._bodyHeight(boxWidth));
    const loop = 22;
    const top = loop + 16;
    const middle = top + boxHeight / 2;
    const gate = Math.round(Math.max(76, width * 0.24));
    const half = 15;
    const right = width - 34;
    const left = right - boxWidth;
    this._body(left, top, boxWidth, boxHeight);
    this._gate(gate, middle, half);
    pieces.arrow(
      [
        [gate + half, middle],
        [left - 1, middle]
      ],
      'carry'
    );
    pieces.text(
      (gate + half + left) / 2,
      middle - 6,
      this._trans.__('true'),
      'quiet',
      'middle'
    );
    pieces.arrow(
      [
        [right, middle],
        [right + 18, middle],
        [right + 18, loop],
        [gate, loop],
        [gate, middle - half - 1]
      ],
      'carry'
    );
    const times = timesWords(this._control, this._trans);
    pieces.text(right + 18, loop - 7, times, 'strong', 'end');
    pieces.text(
      gate,
      loop - 7,
      this._names(this._carry),
      'name',
      'start',
      right + 10 - gate - widthOf(times, 'strong')
    );
    this._initial(0, gate - half - 1, middle);
    const exit = Math.max(top + boxHeight, middle + half) + 26;
    pieces.arrow(
      [
        [gate, middle + half],
        [gate, exit],
        [width, exit]
      ],
      'rail'
    );
    pieces.text(gate + 6, middle + half + 15, this._trans.__('false'), 'quiet');
    pieces.text(
      width,
      exit - 5,
      this._names(this._carry),
      'name',
      'end',
      width - gate - 40
    );
    pieces.text(
      width,
      exit + 14,
      this._types(this._carry, width - gate),
      'type',
      'end',
      width - gate
    );
    const condition = this._control.condition_text;
    const caption =
      condition !== null
        ? this._trans.__('goes on while %1', condition)
        : this._control.upper !== null
          ? this._trans.__(
              'from %1 up to %2',
              this._control.lower ?? '?',
              this._control.upper
            )
          : '';
    return this._captioned(exit + 14, caption);
  }

  /** The predicate stands where the ways part; of a select, where they meet. */
  fork(): IDrawing {
    const { _width: width, _pieces: pieces, _trans: trans } = this;
    const control = this._control;
    const selected = isSelected(control);
    const shown = control.branches.slice(
      0,
      control.branches.length > MOST_BRANCHES ? MOST_BRANCHES - 1 : undefined
    );
    const more = control.branches.length - shown.length;
    const boxWidth = Math.round(Math.min(190, Math.max(104, width * 0.36)));
    const left = Math.round((width - boxWidth) / 2);
    const right = left + boxWidth;
    const heights = shown.map(branch =>
      Math.max(40, 36 + this._inside(branch.label).length * INNER_STEP)
    );
    const tops = heights.map((_, i) =>
      heights.slice(0, i).reduce((sum, height) => sum + height + 10, 6)
    );
    const end = tops[tops.length - 1] + heights[heights.length - 1];
    const middle = Math.round((tops[0] + end) / 2);
    const half = 15;
    const operands = slotsOf(control, 'operand');
    const results = slotsOf(control, 'result');
    // The node of the way in and of the way out.
    const [inX, outX] = [left - 26, right + 26];
    const gate = selected ? outX : inX;
    this._gate(gate, middle, half);
    /** From a node to the height of a box; `corner` is how far its corners are from its middle. */
    const way = (
      x: number,
      side: 1 | -1,
      y: number,
      corner: number
    ): [number, number][] =>
      Math.abs(y - middle) <= corner
        ? [[x + side * corner, middle]]
        : [
            [x, middle + Math.sign(y - middle) * corner],
            [x, y]
          ];
    shown.forEach((branch, i) => {
      const y = Math.round(tops[i] + heights[i] / 2);
      pieces.box(left, tops[i], boxWidth, heights[i]);
      const room = boxWidth - 16;
      pieces.text(left + 8, tops[i] + 16, branch.label, 'strong');
      pieces.text(
        right - 8,
        tops[i] + 16,
        branch.name,
        'name',
        'end',
        room - 8 - widthOf(branch.label, 'strong')
      );
      pieces.text(
        left + 8,
        tops[i] + 31,
        branch.scope < 0
          ? trans.__('selected')
          : equations(branch.equations, trans),
        'quiet',
        'start',
        room
      );
      this._inner(left, tops[i] + 36, boxWidth, branch.label);
      pieces.arrow(
        [...way(inX, 1, y, selected ? 0 : half), [left - 1, y]],
        'rail'
      );
      pieces.line(
        [...way(outX, -1, y, selected ? half : 0), [right, y]],
        'rail'
      );
    });
    pieces.line(
      [
        [0, middle],
        [inX - (selected ? 0 : half), middle]
      ],
      'rail'
    );
    const inRoom = inX - (selected ? 4 : half + 4);
    pieces.text(0, middle - 6, this._names(operands), 'name', 'start', inRoom);
    pieces.text(
      0,
      middle + 15,
      this._types(operands, inRoom),
      'type',
      'start',
      inRoom
    );
    pieces.arrow(
      [
        [outX + (selected ? half : 0), middle],
        [width, middle]
      ],
      'rail'
    );
    const outRoom = width - outX - (selected ? half : 0) - 4;
    pieces.text(
      width,
      middle - 6,
      this._names(results, false),
      'name',
      'end',
      outRoom
    );
    pieces.text(
      width,
      middle + 15,
      this._types(results, outRoom),
      'type',
      'end',
      outRoom
    );
    let y = end;
    if (more > 0) {
      y += 16;
      pieces.text(
        width / 2,
        y,
        trans._n('and %1 more branch', 'and %1 more branches', more),
        'quiet',
        'middle'
      );
    }
    const predicate = predicateWords(this._reading, control);
    return this._captioned(
      y,
      predicate === null
        ? ''
        : selected
          ? trans.__('all run, then selected by %1', predicate)
          : trans.__('chosen by %1', predicate)
    );
  }

  /** Neighbours are combined in pairs, then pairs of pairs. */
  tree(): IDrawing {
    const { _width: width, _pieces: pieces } = this;
    const xs = slotsOf(this._control, 'xs', 'operand');
    const ys = slotsOf(this._control, 'ys', 'result');
    const boxWidth = Math.round(Math.min(190, Math.max(104, width * 0.36)));
    const left = Math.round((width - boxWidth) / 2);
    const right = left + boxWidth;
    const top = 8;
    const height = 84;
    pieces.box(left, top, boxWidth, height);
    const step = Math.min(22, (boxWidth - 24) / 4);
    const first = left + boxWidth / 2 - 1.5 * step;
    const row = (level: number): number => top + height - 34 - level * 14;
    for (let i = 0; i < 4; i++) {
      const x = first + i * step;
      const joint = first + (Math.floor(i / 2) * 2 + 0.5) * step;
      pieces.line(
        [
          [x, row(0)],
          [joint, row(1)]
        ],
        'rail'
      );
    }
    for (const pair of [0, 1]) {
      pieces.line(
        [
          [first + (pair * 2 + 0.5) * step, row(1)],
          [first + 1.5 * step, row(2)]
        ],
        'rail'
      );
    }
    pieces.text(
      left + boxWidth / 2,
      top + height - 12,
      titleOf(this._control) || this._trans.__('combine'),
      'strong',
      'middle',
      boxWidth - 12
    );
    const y = top + height / 2;
    if (xs.length > 0) {
      this._rail(0, left - 2, y, xs[0], xs.length - 1, true, true);
    }
    if (ys.length > 0) {
      this._rail(right + 2, width, y, ys[0], ys.length - 1, true, true);
    }
    return this._captioned(
      top + height,
      this._trans.__('in pairs, as a tree, not one by one')
    );
  }

  /** The box of the body: its name, how long it is, and what is inside. */
  private _body(x: number, y: number, width: number, height: number): void {
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

  private _bodyHeight(width: number): number {
    return Math.max(
      width > 140 ? 62 : 58,
      50 + this._inside('body').length * INNER_STEP
    );
  }

  /** What stands in a part of this card, one level down; scopes that only have a name are looked through. */
  private _inside(part: string): (ICard | number)[] {
    const found: ICard[] = [];
    const look = (card: ICard): void => {
      for (const child of card.children) {
        if (isNamed(child.control)) {
          look(child);
        } else {
          found.push(child);
        }
      }
    };
    for (const child of this._card.children) {
      if (child.control.parent_part === part) {
        if (isNamed(child.control)) {
          look(child);
        } else {
          found.push(child);
        }
      }
    }
    return found.length > MOST_INNER
      ? [...found.slice(0, MOST_INNER - 1), found.length - MOST_INNER + 1]
      : found;
  }

  private _inner(x: number, y: number, width: number, part: string): void {
    const { _pieces: pieces, _trans: trans } = this;
    this._inside(part).forEach((one, i) => {
      const top = y + i * INNER_STEP;
      if (typeof one === 'number') {
        pieces.text(
          x + width / 2,
          top + 13,
          trans.__('and %1 more', one),
          'quiet',
          'middle'
        );
        return;
      }
      const { control } = one;
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

  /** A value that is cut along, or stacked on, its first axis: the whole below the line, a step above it. */
  private _rail(
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
    // Sleepers under the part that is far from the box: many rows, one after the other.
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
    // The type of a step where there is room beside the name; the table has it in any case.
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
          ].find(each => widthOf(each, 'type') <= room) ??
          trans.__('and %1 more', more));
    pieces.text(farX, y + 15, words, 'type', far, room);
  }

  /** What goes round, above its line. */
  private _around(x: number, y: number, room: number): void {
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

  private _initial(from: number, to: number, y: number): void {
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

  private _final(from: number, to: number, y: number): void {
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

  private _gate(x: number, y: number, half: number): void {
    this._pieces.path(
      `M${x - half} ${y}L${x} ${y - half}L${x + half} ${y}L${x} ${y + half}Z`,
      'gate'
    );
    this._pieces.text(x, y + 4, '?', 'strong', 'middle');
  }

  /** Names, as far as they are known, each once; variables stand for paths where they may. */
  private _names(slots: readonly Slot[], variables = true): string {
    const names = slots
      .map(slot =>
        variables
          ? this._reading.nameOf(this._control, slot)
          : slot.path || null
      )
      .filter(name => name !== null);
    return [...new Set(names)].join(', ');
  }

  /** Types where there is room for them, else how many there are. */
  private _types(slots: readonly Slot[], room = Infinity): string {
    const types = slots.map(slot => this._reading.type(slot.whole)).join(', ');
    return slots.length > 1 && widthOf(types, 'type') > room
      ? this._trans.__('%1 values', slots.length)
      : types;
  }

  /** Below everything: what is said of it, and what is the same at every step. */
  private _captioned(bottom: number, caption = ''): IDrawing {
    const { _width: width, _pieces: pieces, _trans: trans } = this;
    let y = bottom;
    const lines = [caption];
    const constants = slotsOf(this._control, 'const');
    if (constants.length > 0) {
      const names = this._names(constants);
      lines.push(
        names === ''
          ? trans._n('%1 constant', '%1 constants', constants.length)
          : trans.__('constants %1', names)
      );
    }
    if (this._control.reverse) {
      lines.push(trans.__('runs backwards: the last row first'));
    }
    for (const line of lines) {
      if (line !== '') {
        y += 20;
        pieces.text(width / 2, y, line, 'quiet', 'middle', width);
      }
    }
    return { width, height: Math.round(y + 8), shapes: pieces.shapes };
  }

  private _control: Control;
  private _carry: Slot[];
  private _pieces = new Pieces();
}
