/** The icon of the panel, in its tab, its command and the notebook's toolbar, and the icon of the types. */
import { LabIcon } from '../host';

// The panel's icon: braces around the lines of a program.
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <g class="jp-icon3 jp-icon-selectable" fill="#616161">
    <path d="M5 2.2v1.2c-1 0-1.4.4-1.4 1.4v1.6c0 .8-.3 1.3-.9 1.6.6.3.9.8.9 1.6v1.6c0 1 .4 1.4 1.4 1.4v1.2c-1.8 0-2.7-.8-2.7-2.5V9.7c0-.8-.3-1.1-1-1.1V7.4c.7 0 1-.3 1-1.1V4.7C2.3 3 3.2 2.2 5 2.2z"/>
    <path d="M11 2.2c1.8 0 2.7.8 2.7 2.5v1.6c0 .8.3 1.1 1 1.1v1.2c-.7 0-1 .3-1 1.1v1.6c0 1.7-.9 2.5-2.7 2.5v-1.2c1 0 1.4-.4 1.4-1.4V9.6c0-.8.3-1.3.9-1.6-.6-.3-.9-.8-.9-1.6V4.8c0-1-.4-1.4-1.4-1.4z"/>
    <path d="M5.6 5.3h4.8v1.1H5.6zM5.6 7.45h3.3v1.1H5.6zM5.6 9.6h4.8v1.1H5.6z"/>
  </g>
</svg>`;

export const jaxprIcon = new LabIcon({
  name: 'jupyter-jaxpr:jaxpr',
  svgstr: SVG
});

// The icon of the types: a name, a colon and a type.
const TYPES_SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <g class="jp-icon3" fill="#616161">
    <path d="M1 5.2h1.5l1.3 2 1.3-2h1.4L4.6 8.1l2.1 3.2H5.2L3.7 9.1l-1.5 2.2H.8l2.2-3.2z"/>
    <path d="M7.6 5.4h1.3v1.5H7.6zM7.6 9.8h1.3v1.5H7.6z"/>
    <path d="M9.9 3.6h5.3V5h-1.9v6.3h-1.5V5H9.9z"/>
  </g>
</svg>`;

export const typesIcon = new LabIcon({
  name: 'jupyter-jaxpr:types',
  svgstr: TYPES_SVG
});
