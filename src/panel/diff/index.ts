export { diffWidget } from './beside';
export { DiffView } from './diff-view';
export { SinceLine } from './since-line';
