/** Makes an SVG file from a drawing on the page; the file looks the same without the page's style sheets. */

/** The style properties that come from the style sheets and must be copied into the file. */
const STYLES = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-linejoin',
  'font-family',
  'font-size',
  'font-weight'
] as const;

/** Returns the text of an SVG file: each piece has its styles, and the background is that of the page. */
export function standaloneSvg(svg: SVGSVGElement, title: string): string {
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

/** Lets the browser save a file; a string is saved as SVG. */
export function saveAs(name: string, file: Blob | string): void {
  const url = URL.createObjectURL(
    file instanceof Blob ? file : new Blob([file], { type: 'image/svg+xml' })
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The URL is revoked later, because the browser must first begin to read the file.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const NAMESPACE = 'http://www.w3.org/2000/svg';
const MARGIN = 8;

/** Returns the background colour of the nearest ancestor that has one. */
function groundOf(node: Element): string {
  for (let at: Element | null = node; at !== null; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (colour !== '' && !/^(transparent|rgba\(.*, 0\))$/.test(colour)) {
      return colour;
    }
  }
  return 'none';
}
