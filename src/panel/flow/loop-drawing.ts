/**
 * Draws a loop: rails for xs and ys, an arrow for the carry, a gate for a condition; or a tree for an associative scan.
 */
import { Drawer } from './drawing-pieces';
import { IDrawing, widthOf } from '../../parts/drawn-pieces';
import { slotsOf, timesWords, titleOf } from './words';

/** The largest number of rails (arrows of xs or ys) on one side; further rails are given as a number. */
const MOST_RAILS = 2;

const RAIL_STEP = 36;

export class LoopDrawer extends Drawer {
  /** Draws a loop. The xs come in and the ys go out on rails; the carry goes around below the body. */
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

  /** Draws a while loop. The carry goes around above the body, and leaves at the gate when the condition is false. */
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
        ? this._trans.__('continues while %1', condition)
        : this._control.upper !== null
          ? this._trans.__(
              'loop bounds %1 and %2',
              this._control.lower ?? '?',
              this._control.upper
            )
          : '';
    return this._captioned(exit + 14, caption);
  }

  /** Draws an associative_scan as a tree, which combines neighbours in pairs, then pairs of pairs. */
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
      titleOf(this._control) || this._trans.__('combine pairs'),
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
      this._trans.__('elements combined in pairs, as a tree')
    );
  }
}
