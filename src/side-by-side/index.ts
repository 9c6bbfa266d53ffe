export { wideWidget, WIDE_ID } from './side-by-side-widget';
