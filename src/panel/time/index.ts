export { TimeView } from './time-view';
