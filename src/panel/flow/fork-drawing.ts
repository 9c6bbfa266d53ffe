/** Draws a cond or a switch: a fork whose ways join again. */
import { equations } from '../../parts/summary';
import { Drawer, INNER_STEP } from './drawing-pieces';
import { IDrawing, widthOf } from '../../parts/shapes';
import { isSelected, predicateWords, slotsOf } from './words';

/** The largest number of branches that are drawn; further branches are counted. */
const MOST_BRANCHES = 5;

export class ForkDrawer extends Drawer {
  /** The predicate stands at the fork; for a select, at the join. */
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
    // The points where the ways fork and where they join.
    const [inX, outX] = [left - 26, right + 26];
    const gate = selected ? outX : inX;
    this._gate(gate, middle, half);
    /** The way from a point to the height of a box; `corner` is the distance of its corners from its middle. */
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
        trans._n('%1 more branch', '%1 more branches', more),
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
          ? trans.__('all branches run, then %1 selects', predicate)
          : trans.__('branch chosen by %1', predicate)
    );
  }
}
