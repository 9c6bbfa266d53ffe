/** Makes the text of an SVG file that looks like the drawing on the page without needing the page's styles. */

/** The style properties that come from the style sheet and have to be in the file. */
const STYLES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-linejoin',
  'font-family',
  'font-size',
  'font-weight'
] as const;

/** The text of a file with a drawing: each piece has its styles, and the drawing has the page's background. */
export function standAlone(svg: SVGSVGElement, title: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = svg.querySelectorAll<SVGElement>('path, rect, text');
  copy.querySelectorAll<SVGElement>('path, rect, text').forEach((piece, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value !== '') {
        piece.setAttribute(name, value);
      }
    }
    piece.removeAttribute('class');
  });
  const width = Number(svg.getAttribute('width'));
  const height = Number(svg.getAttribute('height'));
  const ground = document.createElementNS(NAMESPACE, 'rect');
  ground.setAttribute('x', String(-MARGIN));
  ground.setAttribute('y', String(-MARGIN));
  ground.setAttribute('width', String(width + 2 * MARGIN));
  ground.setAttribute('height', String(height + 2 * MARGIN));
  ground.setAttribute('fill', groundOf(svg));
  copy.setAttribute(
    'viewBox',
    [-MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN].join(' ')
  );
  copy.setAttribute('width', String(width + 2 * MARGIN));
  copy.setAttribute('height', String(height + 2 * MARGIN));
  const name = document.createElementNS(NAMESPACE, 'title');
  name.textContent = title;
  copy.prepend(name, ground);
  return new XMLSerializer().serializeToString(copy);
}

/** Lets the browser save a file; a text is an SVG. */
export function saveAs(name: string, file: Blob | string): void {
  const url = URL.createObjectURL(
    file instanceof Blob ? file : new Blob([file], { type: 'image/svg+xml' })
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The address is revoked later, because the browser has to begin reading the file first.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const NAMESPACE = 'http://www.w3.org/2000/svg';
const MARGIN = 8;

/** The background of the nearest ancestor whose background is not transparent. */
function groundOf(node: Element): string {
  for (let at: Element | null = node; at !== null; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour !== '' && !/^(transparent|rgba\(.*, 0\))$/.test(colour)) {
      return colour;
    }
  }
  return 'none';
}
