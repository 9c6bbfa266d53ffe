/** The sign of the panel: its tab, its command, the notebook's toolbar button. */
import { LabIcon } from '@jupyterlab/ui-components';

// Braces around the lines of a program.
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">
  <g class="jp-icon3" fill="#616161">
    <path d="M5 2.2v1.2c-1 0-1.4.4-1.4 1.4v1.6c0 .8-.3 1.3-.9 1.6.6.3.9.8.9 1.6v1.6c0 1 .4 1.4 1.4 1.4v1.2c-1.8 0-2.7-.8-2.7-2.5V9.7c0-.8-.3-1.1-1-1.1V7.4c.7 0 1-.3 1-1.1V4.7C2.3 3 3.2 2.2 5 2.2z"/>
    <path d="M11 2.2c1.8 0 2.7.8 2.7 2.5v1.6c0 .8.3 1.1 1 1.1v1.2c-.7 0-1 .3-1 1.1v1.6c0 1.7-.9 2.5-2.7 2.5v-1.2c1 0 1.4-.4 1.4-1.4V9.6c0-.8.3-1.3.9-1.6-.6-.3-.9-.8-.9-1.6V4.8c0-1-.4-1.4-1.4-1.4z"/>
    <path d="M5.6 5.3h4.8v1.1H5.6zM5.6 7.45h3.3v1.1H5.6zM5.6 9.6h4.8v1.1H5.6z"/>
  </g>
</svg>`;

export const jaxprIcon = new LabIcon({
  name: 'jupyter-jaxpr:jaxpr',
  svgstr: SVG
});
