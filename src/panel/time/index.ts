export { TimeView } from './time-view';
export { headlineOf } from './headline';
