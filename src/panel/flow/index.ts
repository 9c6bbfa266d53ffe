export { FlowView } from './flow-view';
export { headlineOf } from './headline';
