/** Draws a cond or a switch: a fork whose paths join again. */
import { equations } from '../../parts/summary';
import { Slot } from '../../protocol/snapshot';
import { Drawer, INNER_STEP } from './drawing-pieces';
import { IDrawing, widthOf } from '../../parts/drawn-pieces';
import { isSelected, predicateWords, slotsOf } from './words';

/** The largest number of branches that are drawn; further branches are counted. */
const MOST_BRANCHES = 5;

export class ForkDrawer extends Drawer {
  /** Draws a cond or a switch. The predicate stands where the paths part; for a select, where the paths join. */
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
    const operands = slotsOf(control, 'operand');
    const results = slotsOf(control, 'result');
    // The x positions of the point where the paths fork and of the point where they join.
    const [inX, outX] = [left - 26, right + 26];
    const half = 15;
    const inRoom = inX - (selected ? 4 : half + 4);
    const outRoom = width - outX - (selected ? half : 0) - 4;
    const [inName, inType] = [
      this._names(operands),
      this._types(operands, inRoom)
    ];
    const [outName, outType] = [
      this._names(results, false),
      this._types(results, outRoom)
    ];
    // Texts that are too long for the space beside the boxes get a line above or below the boxes.
    const isInAbove = !fits(inName, inType, inRoom);
    const isOutBelow = !fits(outName, outType, outRoom);
    const first = isInAbove ? 20 : 6;
    const isNameBelow = shown.map(
      branch =>
        widthOf(branch.name, 'name') >
        boxWidth - 24 - widthOf(branch.label, 'strong')
    );
    const heights = shown.map((branch, i) =>
      Math.max(
        isNameBelow[i] ? 55 : 40,
        (isNameBelow[i] ? 51 : 36) +
          this._inside(branch.label).length * INNER_STEP
      )
    );
    const tops = heights.map((_, i) =>
      heights.slice(0, i).reduce((sum, height) => sum + height + 10, first)
    );
    const end = tops[tops.length - 1] + heights[heights.length - 1];
    const middle = Math.round((tops[0] + end) / 2);
    const gate = selected ? outX : inX;
    this._gate(gate, middle, half);
    /** Draws the path from a point to the height of a box; `corner` is the distance of its bends from its middle. */
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
        isNameBelow[i] ? left + 8 : right - 8,
        tops[i] + (isNameBelow[i] ? 31 : 16),
        branch.name,
        'name',
        isNameBelow[i] ? 'start' : 'end',
        room
      );
      const below = tops[i] + (isNameBelow[i] ? 46 : 31);
      pieces.text(
        left + 8,
        below,
        branch.scope < 0
          ? trans.__('operand of select')
          : equations(branch.equations, trans),
        'quiet',
        'start',
        room
      );
      this._inner(left, below + 5, boxWidth, branch.label);
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
    if (isInAbove) {
      pieces.text(
        0,
        12,
        this._together(inName, operands),
        'name',
        'start',
        width
      );
    } else {
      pieces.text(0, middle - 6, inName, 'name');
      pieces.text(0, middle + 15, inType, 'type');
    }
    pieces.arrow(
      [
        [outX + (selected ? half : 0), middle],
        [width, middle]
      ],
      'rail'
    );
    let y = end;
    if (isOutBelow) {
      y += 16;
      pieces.text(
        width,
        y,
        this._together(outName, results),
        'name',
        'end',
        width
      );
    } else {
      pieces.text(width, middle - 6, outName, 'name', 'end');
      pieces.text(width, middle + 15, outType, 'type', 'end');
    }
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

  /** The text of a line with a name and the types of its values. */
  private _together(name: string, slots: readonly Slot[]): string {
    const room = this._width - widthOf(`${name} `, 'name');
    return `${name} ${this._types(slots, room)}`.trim();
  }
}

function fits(name: string, type: string, room: number): boolean {
  return widthOf(name, 'name') <= room && widthOf(type, 'type') <= room;
}
