/** The pieces of a drawing: lines, boxes and words at places, before anything is on the screen. */

/** How a piece looks; the style sheet says in which colours. */
export type Look =
  /** Words. */
  | 'name'
  | 'strong'
  | 'type'
  | 'quiet'
  /** Lines and boxes. */
  | 'rail'
  | 'carry'
  | 'box'
  | 'inner'
  | 'gate'
  /** Parts of an array, each in a colour of its own. */
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
      /** The words before they were cut; the same where they fit. */
      whole: string;
    };

export interface IDrawing {
  width: number;
  height: number;
  shapes: readonly Shape[];
}

/** Widths of a letter at 11 px; of the UI's font a mean. */
const CODE_WIDTH = 6.7;
const UI_WIDTH = 5.9;

/** The width that words take, in pixels. */
export function widthOf(text: string, look: Look): number {
  const inCode = look !== 'quiet';
  return text.length * (inCode ? CODE_WIDTH : UI_WIDTH);
}

/** Words cut to a width, with a sign where something is missing. */
export function fitted(text: string, look: Look, width: number): string {
  if (widthOf(text, look) <= width) {
    return text;
  }
  const letters = Math.floor(width / widthOf('m', look));
  return letters < 2 ? '…' : `${text.slice(0, letters - 1)}…`;
}

/** Pieces that are put down one by one. */
export class Pieces {
  readonly shapes: Shape[] = [];

  /** Words, cut to `room` pixels. */
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

  /** A line along `points`, with a head at its end. */
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
