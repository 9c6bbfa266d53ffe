/** Draws an excerpt as SVG: a column for each level, its lines as text, and lines between linked text. */
import { TranslationBundle } from '@jupyterlab/translation';

import type { IExcerpt, IExcerptColumn } from './chosen-lines';

const NAMESPACE = 'http://www.w3.org/2000/svg';
/** The width and the line height of monospaced letters of 12 pixels. */
const LETTER = 7.3;
const ROW = 20;
const HEAD = 30;
/** The pixels between two columns, which leave room for the link lines. */
const GAP = 56;
const PAD = 8;

/** The classes of the drawing's elements; style/excerpt.css styles them. */
type Look =
  'title' | 'number' | 'code' | 'note' | 'ground' | 'link' | 'linkInferred';

interface IPlaced {
  column: IExcerptColumn;
  x: number;
  width: number;
  /** The x at which the text begins, after the numbers. */
  text: number;
}

/** Draw an excerpt; `title` is the name of the program. */
export function drawExcerpt(
  excerpt: IExcerpt,
  title: string,
  trans: TranslationBundle
): SVGSVGElement {
  const svg = document.createElementNS(NAMESPACE, 'svg');
  svg.setAttribute('class', 'jp-JaxprExcerpt');
  const placed = place(excerpt.columns);
  const rows = Math.max(
    ...excerpt.columns.map(
      ({ lines, more }) => lines.length + (more > 0 ? 1 : 0)
    )
  );
  const isInferred = excerpt.links.some(({ inferred }) => inferred);
  const last = placed[placed.length - 1];
  const width = last.x + last.width;
  const height = HEAD * 2 + rows * ROW + (isInferred ? ROW : 0);
  svg.setAttribute('width', `${Math.ceil(width)}`);
  svg.setAttribute('height', `${height}`);
  const put = (
    kind: 'text' | 'rect' | 'path',
    look: Look,
    attributes: Record<string, string | number>,
    text = ''
  ): void => {
    const piece = document.createElementNS(NAMESPACE, kind);
    piece.setAttribute('class', `jp-mod-${look}`);
    for (const [name, value] of Object.entries(attributes)) {
      piece.setAttribute(name, `${value}`);
    }
    piece.textContent = text;
    svg.append(piece);
  };
  put('text', 'title', { x: 0, y: 14 }, title);
  const middle = (row: number): number => HEAD * 2 + row * ROW;
  for (const { column, from, to, inferred } of excerpt.links) {
    const left = placed[column].x + placed[column].width;
    const right = placed[column + 1].x;
    const bend = (right - left) / 2;
    const [a, b] = [middle(from), middle(to)];
    put('path', inferred ? 'linkInferred' : 'link', {
      d: `M${left} ${a}C${left + bend} ${a} ${right - bend} ${b} ${right} ${b}`,
      ...(inferred ? { 'stroke-dasharray': '4 3' } : {})
    });
  }
  for (const { column, x, width, text } of placed) {
    put('text', 'title', { x, y: HEAD + 14 }, column.title);
    column.lines.forEach((line, row) => {
      const y = middle(row);
      put('rect', 'ground', { x, y: y - ROW / 2 + 1, width, height: ROW - 2 });
      put('text', 'number', { x: x + PAD, y: y + 4 }, line.number);
      put(
        'text',
        'code',
        { x: text + 2 * line.indent * LETTER, y: y + 4 },
        line.text
      );
    });
    if (column.more > 0) {
      put(
        'text',
        'note',
        { x: text, y: middle(column.lines.length) + 4 },
        trans._n('… %1 more line', '… %1 more lines', column.more)
      );
    }
  }
  if (isInferred) {
    put(
      'text',
      'note',
      { x: 0, y: height - 6 },
      trans.__(
        'A dashed link is inferred: XLA does not state the source of the line.'
      )
    );
  }
  return svg;
}

function place(columns: readonly IExcerptColumn[]): IPlaced[] {
  let x = 0;
  return columns.map(column => {
    const digits = Math.max(...column.lines.map(line => line.number.length));
    const letters = Math.max(
      column.title.length,
      ...column.lines.map(line => 2 * line.indent + line.text.length)
    );
    const text = x + PAD + (digits + 1) * LETTER;
    const width = text - x + letters * LETTER + PAD;
    const placed = { column, x, width, text };
    x += width + GAP;
    return placed;
  });
}
