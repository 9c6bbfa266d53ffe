/** Computes the pieces of a drawing (lines, boxes and texts with their positions) before they are drawn on the page. */

/** The kind of a piece; the style sheet gives each kind its colours. */
export type Look =
  /** The kinds of texts. */
  | 'name'
  | 'strong'
  | 'type'
  | 'quiet'
  /** The kinds of lines and boxes in drawings of constructs. */
  | 'rail'
  | 'carry'
  | 'box'
  | 'inner'
  | 'gate'
  /** The kinds of boxes that stand for an array's shards, one colour for each kind. */
  | 'shard0'
  | 'shard1'
  | 'shard2'
  | 'shard3'
  | 'shard4'
  | 'shard5'
  | 'shard6'
  | 'shard7';

export type Shape =
  | { kind: 'path'; d: string; look: Look }
  | {
      kind: 'rect';
      x: number;
      y: number;
      width: number;
      height: number;
      look: Look;
    }
  | {
      kind: 'text';
      x: number;
      y: number;
      anchor: 'start' | 'middle' | 'end';
      text: string;
      look: Look;
      /** The complete text, before it was cut; equal to `text` if it fits. */
      whole: string;
    };

export interface IDrawing {
  width: number;
  height: number;
  shapes: readonly Shape[];
}

/** The width of a character at 11 px; for the font of the user interface, the average width. */
const CODE_WIDTH = 6.7;
const UI_WIDTH = 5.9;

/** Returns the estimated width of a text in pixels. */
export function widthOf(text: string, look: Look): number {
  const inCode = look !== 'quiet';
  return text.length * (inCode ? CODE_WIDTH : UI_WIDTH);
}

/** Matches between the parts of a name, such as after `a_long_` in `a_long_name` and before the dot of `params.w`. */
const NAME_ENDS = /(?<=[_.])|(?=\[)|(?= )/;

/**
 * Cuts a text to a width, between two of its parts, with a mark for the missing part. A type keeps its dtype: `f32[…]`.
 */
export function fitted(text: string, look: Look, width: number): string {
  if (widthOf(text, look) <= width) {
    return text;
  }
  const words = text.split(look === 'quiet' ? /(?= )/ : NAME_ENDS);
  for (let count = words.length - 1; count > 0; count--) {
    const kept = words.slice(0, count).join('');
    const cut =
      look === 'type' && words[count].startsWith('[')
        ? `${kept}[…]`
        : `${kept}…`;
    if (widthOf(cut, look) <= width) {
      return cut;
    }
  }
  return '…';
}

/** Collects the pieces of one drawing. */
export class Pieces {
  readonly shapes: Shape[] = [];

  /** Adds a text, cut between two of its parts so that it fits into `room` pixels. */
  text(
    x: number,
    y: number,
    text: string,
    look: Look,
    anchor: 'start' | 'middle' | 'end' = 'start',
    room = Infinity
  ): void {
    if (text !== '') {
      this.shapes.push({
        kind: 'text',
        x,
        y,
        anchor,
        text: fitted(text, look, room),
        look,
        whole: text
      });
    }
  }

  path(d: string, look: Look): void {
    this.shapes.push({ kind: 'path', d, look });
  }

  box(
    x: number,
    y: number,
    width: number,
    height: number,
    look: Look = 'box'
  ): void {
    this.shapes.push({ kind: 'rect', x, y, width, height, look });
  }

  /** Adds a line through `points` with an arrowhead at its end. */
  arrow(points: readonly (readonly [number, number])[], look: Look): void {
    const [x, y] = points[points.length - 1];
    const [fromX, fromY] = points[points.length - 2];
    const along = Math.hypot(x - fromX, y - fromY) || 1;
    const [dx, dy] = [(x - fromX) / along, (y - fromY) / along];
    const wing = (side: 1 | -1): string =>
      `${round(x - 5 * dx - side * 4 * dy)} ${round(y - 5 * dy + side * 4 * dx)}`;
    const line = points
      .map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${round(px)} ${round(py)}`)
      .join('');
    this.path(`${line}M${wing(1)}L${round(x)} ${round(y)}L${wing(-1)}`, look);
  }

  line(points: readonly (readonly [number, number])[], look: Look): void {
    this.path(
      points
        .map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${round(x)} ${round(y)}`)
        .join(''),
      look
    );
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
