export { diffWidget } from './main-area-diff';
export { DiffView } from './diff-view';
export { SinceLine } from './since-line';
