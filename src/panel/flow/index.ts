export { FlowView } from './flow-view';
