/**
 * Shows a drawing as an SVG that fills the available width, with a text alternative and buttons to save and copy it.
 */
import { Clipboard } from '../host';
import { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IDrawing, Shape } from './drawn-pieces';
import { saveAs, standaloneSvg } from './standalone-svg';
import { Icon } from './icons';

/** The width that is assumed before the first measurement: that in a panel of 360 pixels. */
const USUAL = 336;

export function Picture(props: {
  /**
   * Computes the drawing for a width; null if there is nothing to draw. If another function is passed, the picture is
   * drawn again.
   */
  draw: (width: number) => IDrawing | null;
  /** A sentence that describes the picture, for screen readers. */
  words: string;
  /** The name of the saved file, without the file extension. */
  file: string;
  trans: TranslationBundle;
}): JSX.Element | null {
  const { draw, words, file, trans } = props;
  const place = React.useRef<HTMLDivElement>(null);
  const svg = React.useRef<SVGSVGElement>(null);
  const [width, setWidth] = React.useState(USUAL);
  const [announcement, setAnnouncement] = React.useState('');
  React.useLayoutEffect(() => {
    const node = place.current;
    if (node === null || typeof ResizeObserver === 'undefined') {
      return;
    }
    const observer = new ResizeObserver(() => setWidth(node.clientWidth));
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  const drawing = React.useMemo(() => draw(width), [draw, width]);
  if (drawing === null) {
    return null;
  }
  const take = (act: (text: string) => void, sentence: string): void => {
    if (svg.current !== null) {
      act(standaloneSvg(svg.current, words));
      setAnnouncement(sentence);
    }
  };
  const name = `${file.replace(/[^\w.-]+/g, '_')}.svg`;
  return (
    <div className="jp-JaxprFlow-diagram">
      <div ref={place} className="jp-JaxprFlow-drawing">
        <svg
          ref={svg}
          role="img"
          aria-label={words}
          width={drawing.width}
          height={drawing.height}
          viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        >
          {drawing.shapes.map((shape, i) => (
            // The pieces have no identity, so their index is the key; each drawing is a new list.
            <Piece key={i} shape={shape} />
          ))}
        </svg>
      </div>
      <div className="jp-JaxprFlow-take">
        <button
          className="jp-JaxprPanel-action"
          aria-label={trans.__('Save the diagram as SVG')}
          title={trans.__('Save the diagram as SVG')}
          onClick={() =>
            take(text => saveAs(name, text), trans.__('The diagram was saved.'))
          }
        >
          <Icon name="save" />
        </button>
        <button
          className="jp-JaxprPanel-action"
          aria-label={trans.__('Copy the diagram as SVG')}
          title={trans.__('Copy the diagram as SVG')}
          onClick={() =>
            take(
              text => Clipboard.copyToSystem(text),
              trans.__('The diagram was copied as SVG.')
            )
          }
        >
          <Icon name="copy" />
        </button>
        <span className="jp-JaxprPanel-small" role="status">
          {announcement}
        </span>
      </div>
    </div>
  );
}

function Piece({ shape }: { shape: Shape }): JSX.Element {
  const look = `jp-mod-${shape.look}`;
  switch (shape.kind) {
    case 'path':
      return <path className={look} d={shape.d} />;
    case 'rect': {
      const { x, y, width, height } = shape;
      return <rect className={look} {...{ x, y, width, height }} />;
    }
    case 'text':
      return (
        <text
          className={look}
          x={shape.x}
          y={shape.y}
          textAnchor={shape.anchor}
        >
          {shape.whole !== shape.text && <title>{shape.whole}</title>}
          {shape.text}
        </text>
      );
  }
}
