export { wideWidget, WIDE_ID } from './wide-widget';
