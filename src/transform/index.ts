export { transformWidget, TRANSFORMS_ID } from './transform-widget';
