/** Draws an icon by its name, 16 pixels wide, in the colour of the surrounding text. */

const PATHS = {
  search: [
    'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4z',
    'm10.2 10.2 3.6 3.6'
  ],
  foldAll: ['m5 2.5 3 3 3-3', 'M2.5 8h11', 'm5 13.5 3-3 3 3'],
  unfoldAll: ['m5 5.5 3-3 3 3', 'M2.5 8h11', 'm5 10.5 3 3 3-3'],
  filter: ['M2.500 4h11', 'M4.500 8h7', 'M6.500 12h3'],
  help: [
    'M5.600 6.200a2.400 2.400 0 1 1 3.400 2.100c-.7.4-1 .8-1 1.600',
    'M8 12.200v.6'
  ],
  up: ['m4.5 9.500 3.500-3.500 3.500 3.500'],
  down: ['m4.500 6.500 3.500 3.500 3.500-3.500'],
  left: ['m9.500 4.500-3.500 3.500 3.500 3.500'],
  right: ['m6.500 4.500 3.500 3.500-3.500 3.500'],
  wide: ['M2 3h12v10H2z', 'M6 3v10M10 3v10'],
  // One program, and two programs that are derived from it.
  transform: [
    'M2.500 6h4v4h-4z',
    'M10.500 2.500h3v3h-3z',
    'M10.500 10.500h3v3h-3z',
    'M6.500 8h2m2-4h-2v8h2'
  ],
  close: ['m4 4 8 8M12 4l-8 8']
};

const SVG = 'http://www.w3.org/2000/svg';

/** Icons are hidden from screen readers, because each one is on a button with a label. */
export function drawIcon(name: keyof typeof PATHS): SVGElement {
  const icon = document.createElementNS(SVG, 'svg');
  icon.setAttribute('class', 'jp-JaxprProgram-icon');
  icon.setAttribute('viewBox', '0 0 16 16');
  icon.setAttribute('aria-hidden', 'true');
  icon.setAttribute('focusable', 'false');
  for (const d of PATHS[name]) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', d);
    icon.append(path);
  }
  return icon;
}
